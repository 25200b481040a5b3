//! The relay between a client's standard streams and the daemon: every byte passes as it is.
//!
//! It knows no configuration and decides nothing. It remembers just enough that a client is never
//! left waiting when a daemon ends, and can go on with the next one. Two threads copy, and a third
//! waits for the end.

mod batch;
mod down;
mod glance;
mod lull;
mod notices;
mod open_requests;
mod up;

use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::hello::ShimHello;
use crate::{CommandExit, CommandFailure, DaemonStarter, LineReader, Person, attach};
use batch::look;
use down::RelayDownward;
use glance::RelayedMessageKind;
use lull::{LullWatch, PassedMarks};
use open_requests::OpenRequests;
use up::RelayUpward;

/// How long the daemon has for what it still says when the client has left.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What a relay is given: the streams of the client, a way to start a daemon, and somebody to tell.
pub struct RelayEnds {
    /// What the client says. No buffer is before it.
    pub input: File,
    /// What the client hears.
    pub output: Box<dyn Write + Send>,
    pub starter: Box<dyn DaemonStarter>,
    /// For the person: that something went wrong, in one line.
    pub warn: Box<dyn Fn(&str) + Send + Sync>,
    /// What is done when nothing has passed for some seconds, and at most once a minute.
    pub in_a_lull: fn(),
}

impl fmt::Debug for RelayEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayEnds").finish_non_exhaustive()
    }
}

/// What both directions share.
struct StdioRelay {
    person: Person,
    hello: ShimHello,
    output: Mutex<Box<dyn Write + Send>>,
    starter: Box<dyn DaemonStarter>,
    warn: Box<dyn Fn(&str) + Send + Sync>,
    state: Mutex<RelayState>,
    marks: Arc<PassedMarks>,
    happens: Sender<RelayEvent>,
}

struct RelayState {
    open: OpenRequests,
    /// The way to the daemon, while there is one.
    way: Option<Arc<DaemonWriter>>,
    is_leaving: bool,
}

/// One connection's way up. Whoever writes has it alone until the line is whole.
struct DaemonWriter(Mutex<UnixStream>);

/// What the client hears, by whoever has the word.
struct LineToClient<'a> {
    relay: &'a StdioRelay,
    output: MutexGuard<'a, Box<dyn Write + Send>>,
}

enum RelayEvent {
    /// The client says nothing more. Something may still come down to it, or not.
    ClientLeft {
        is_attached: bool,
    },
    /// The client does not listen any more.
    ClientDeaf,
    DaemonGone,
    /// After a lull something passes again.
    Resumed,
}

/// Attaches and relays until the client leaves. Where it cannot attach, `failed` hears why before the
/// client does.
pub fn run(
    person: Person,
    hello: ShimHello,
    ends: RelayEnds,
    failed: impl FnOnce(CommandFailure),
) -> CommandExit {
    let RelayEnds { input, output, starter, warn, in_a_lull } = ends;
    let mut input = LineReader::new(input);
    let attached = match attach(&person, &hello, &*starter) {
        Ok(attached) => attached,
        Err(failure) => {
            let (exit, sentence) = (failure.exit, notices::sentence(&failure));
            failed(failure);
            answer_once(&mut input, output, &sentence);
            return exit;
        }
    };
    let (happens, happenings) = mpsc::channel();
    let state = RelayState { open: OpenRequests::default(), way: None, is_leaving: false };
    let (output, state) = (Mutex::new(output), Mutex::new(state));
    let marks = Arc::new(PassedMarks::default());
    let relay = Arc::new(StdioRelay {
        person,
        hello,
        output,
        starter,
        warn,
        state,
        marks: Arc::clone(&marks),
        happens,
    });
    let down = RelayDownward::new(&relay, attached);
    down.begin();
    thread::spawn(move || RelayUpward::new(relay).run(input));
    wait_for_the_end(&happenings, &marks, in_a_lull);
    CommandExit::Ok
}

fn wait_for_the_end(happenings: &Receiver<RelayEvent>, marks: &PassedMarks, in_a_lull: fn()) {
    let mut lulls = LullWatch::new();
    loop {
        let happening = match lulls.wait() {
            Some(wait) => happenings.recv_timeout(wait),
            None => happenings.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match happening {
            // Another daemon is started when it is needed.
            Ok(RelayEvent::DaemonGone) => {}
            Ok(RelayEvent::Resumed) => lulls.resumes(),
            Ok(RelayEvent::ClientLeft { is_attached: true }) => {
                return wait_for_last_words(happenings);
            }
            Ok(RelayEvent::ClientLeft { is_attached: false } | RelayEvent::ClientDeaf)
            | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                if lulls.looks(marks.take()) {
                    in_a_lull();
                    marks.await_next();
                }
            }
        }
    }
}

/// The client has left; what the daemon still says is passed on.
fn wait_for_last_words(happenings: &Receiver<RelayEvent>) {
    let until = Instant::now() + LAST_WORDS;
    // Gone or deaf, there is nothing left to wait for.
    while let Ok(RelayEvent::Resumed) =
        happenings.recv_timeout(until.saturating_duration_since(Instant::now()))
    {}
}

/// A client shows its person the answer to what it asks first; a question that only finds out what
/// it talks to is not that yet.
fn answer_once(input: &mut LineReader<File>, mut output: impl Write, message: &str) {
    while let Ok(batch) = input.batch()
        && !batch.is_empty()
    {
        let (mut out, mut is_shown) = (Vec::new(), false);
        for (_, glance) in look(batch) {
            for (id, about) in glance.requests() {
                notices::refuse(&mut out, id, message);
                is_shown |= *about != RelayedMessageKind::Discover;
            }
        }
        if output.write_all(&out).is_err() || is_shown {
            return;
        }
    }
}

impl StdioRelay {
    fn state(&self) -> MutexGuard<'_, RelayState> {
        lock(&self.state)
    }

    /// Says something to the client, whole lines only; whether it listens.
    fn tell_client(&self, lines: &[u8]) -> bool {
        self.begin_line().write(lines)
    }

    /// Until it is dropped nobody else says anything to the client.
    fn begin_line(&self) -> LineToClient<'_> {
        LineToClient { relay: self, output: lock(&self.output) }
    }

    /// Something is passed on.
    fn passes(&self) {
        if self.marks.leave() {
            self.tell(RelayEvent::Resumed);
        }
    }

    fn tell(&self, happening: RelayEvent) {
        // Nobody is left to hear it only when all is over.
        let _ = self.happens.send(happening);
    }
}

impl LineToClient<'_> {
    /// A part of it; whether the client listens.
    fn write(&mut self, part: &[u8]) -> bool {
        self.relay.passes();
        let is_told = self.output.write_all(part).is_ok();
        if !is_told {
            self.relay.tell(RelayEvent::ClientDeaf);
        }
        is_told
    }
}

impl DaemonWriter {
    fn write(&self, lines: &[u8]) -> io::Result<()> {
        lock(&self.0).write_all(lines)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}
