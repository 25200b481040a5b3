//! What a shim and the daemon say to each other before the first message of the protocol.
//!
//! Which words there are is the gateway's; here is what is said when, and that the one at the other
//! end is the same user.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::hello::{FromDaemon, FromShim, LONGEST, ShimHello, line};
use toolgate_types::visible;

use super::version::is_newer;
use crate::{CommandFailure, LineReader, Person, current_uid};

/// How long a daemon may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take to let somebody in: servers that are required are started first.
const LONG_PATIENCE: Duration = Duration::from_secs(180);

/// A connection on which the protocol is spoken from here on.
#[derive(Debug)]
pub struct AttachedDaemon {
    pub reader: LineReader<UnixStream>,
    pub writer: UnixStream,
    pub daemon: DaemonIdentity,
}

/// The daemon at the other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonIdentity {
    pub pid: u32,
    pub version: String,
}

/// How it went.
pub(crate) enum GreetingOutcome {
    Attached(Box<AttachedDaemon>),
    /// It ended, or is about to: another can be started.
    Gone,
}

/// Why it did not get to the end.
enum GreetingFailure {
    /// The other end is not there any more.
    Gone,
    Failed(CommandFailure),
}

/// Says hello and everything that follows.
pub(crate) fn greet(
    stream: UnixStream,
    hello: &ShimHello,
    person: &Person,
) -> Result<GreetingOutcome, CommandFailure> {
    check_peer(&stream)?;
    let greeting = DaemonGreeting::new(stream).and_then(|greeting| greeting.run(hello, person));
    match greeting {
        Ok(attached) => Ok(GreetingOutcome::Attached(Box::new(attached))),
        Err(GreetingFailure::Gone) => Ok(GreetingOutcome::Gone),
        Err(GreetingFailure::Failed(failure)) => Err(failure),
    }
}

struct DaemonGreeting {
    reader: LineReader<UnixStream>,
    writer: UnixStream,
}

impl DaemonGreeting {
    fn new(stream: UnixStream) -> Result<Self, GreetingFailure> {
        stream.set_write_timeout(Some(PATIENCE)).map_err(broken)?;
        let writer = stream.try_clone().map_err(broken)?;
        Ok(Self { reader: LineReader::new(stream), writer })
    }

    fn run(
        mut self,
        hello: &ShimHello,
        person: &Person,
    ) -> Result<AttachedDaemon, GreetingFailure> {
        self.say(&FromShim::Hello(Box::new(hello.clone())))?;
        let (daemon, variables) = match self.hear(PATIENCE)? {
            FromDaemon::Wants { version, pid, variables } => {
                (DaemonIdentity { pid, version }, variables)
            }
            word => return Err(out_of_turn(word)),
        };
        if is_newer(&hello.version, &daemon.version) {
            self.say(&FromShim::Retire)?;
            match self.hear(PATIENCE)? {
                FromDaemon::Busy => {}
                FromDaemon::Retiring => {
                    // It says nothing more; that the line closes is all there is to wait for.
                    while !self.reader.line().unwrap_or_default().is_empty() {}
                    return Err(GreetingFailure::Gone);
                }
                word => return Err(out_of_turn(word)),
            }
        }
        self.say(&FromShim::Variables { values: person.values_of(&variables) })?;
        match self.hear(LONG_PATIENCE)? {
            FromDaemon::Attached => {}
            word => return Err(out_of_turn(word)),
        }
        let Self { reader, writer } = self;
        writer
            .set_write_timeout(None)
            .and_then(|()| writer.set_read_timeout(None))
            .map_err(broken)?;
        Ok(AttachedDaemon { reader, writer, daemon })
    }

    fn say(&mut self, word: &FromShim) -> Result<(), GreetingFailure> {
        self.writer.write_all(&line(word)).map_err(broken)
    }

    fn hear(&mut self, patience: Duration) -> Result<FromDaemon, GreetingFailure> {
        self.writer.set_read_timeout(Some(patience)).map_err(broken)?;
        let line = self.reader.line().map_err(broken)?;
        if line.is_empty() {
            return Err(GreetingFailure::Gone);
        }
        let word = serde_json::from_slice(line).ok().filter(|_| line.len() <= LONGEST);
        word.ok_or_else(|| failed("it says something that is not understood here"))
    }
}

fn out_of_turn(word: FromDaemon) -> GreetingFailure {
    match word {
        FromDaemon::Refused { why, hint } => {
            let failure = CommandFailure::new(format!("the daemon refuses: {}", visible(&why)));
            GreetingFailure::Failed(match hint {
                Some(hint) => failure.hint(visible(&hint)),
                None => failure,
            })
        }
        _ => failed("it says something that is not understood here"),
    }
}

fn failed(why: impl Display) -> GreetingFailure {
    let failure = CommandFailure::new(format!("cannot attach to the daemon: {why}"));
    GreetingFailure::Failed(
        failure.hint("end it with `toolgate stop`; another is started when it is needed"),
    )
}

fn broken(error: io::Error) -> GreetingFailure {
    match error.kind() {
        io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::NotConnected => GreetingFailure::Gone,
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => failed("it does not answer"),
        _ => failed(error),
    }
}

/// The one who listens must be us: somebody else would be told our variables.
pub(crate) fn check_peer(stream: &UnixStream) -> Result<(), CommandFailure> {
    let theirs = peer_uid(stream).map_err(|error| {
        CommandFailure::new(format!("cannot tell whose daemon this is: {error}"))
    })?;
    if theirs == current_uid() {
        return Ok(());
    }
    let address = stream.peer_addr().ok();
    let path = address.as_ref().and_then(|address| address.as_pathname()).map(Path::display);
    let place = path.map(|path| format!(" at {path}")).unwrap_or_default();
    Err(CommandFailure::new(format!(
        "the daemon{place} belongs to user {theirs} and you are user {}",
        current_uid()
    ))
    .hint("somebody else listens there; remove the folder it is in"))
}

#[cfg(target_os = "linux")]
fn peer_uid(stream: &UnixStream) -> nix::Result<u32> {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    Ok(getsockopt(stream, PeerCredentials)?.uid())
}

#[cfg(not(target_os = "linux"))]
fn peer_uid(stream: &UnixStream) -> nix::Result<u32> {
    Ok(nix::unistd::getpeereid(stream)?.0.as_raw())
}
