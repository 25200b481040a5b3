//! The relay between a client's standard streams and the daemon: every byte passes as it is.
//!
//! It knows no configuration and decides nothing. It remembers just enough that a client is never
//! left waiting when a daemon ends, and can go on with the next one. Two threads copy, and a third
//! waits for the end.

mod down;
mod glance;
mod saying;
mod standing;
mod up;

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use toolgate_gateway::socket::hello::Hello;

use crate::attaching::{Lines, Person, attach};
use crate::failure::{Done, Exit, Failure};
use crate::output::{ForClient, Output};
use down::Down;
use glance::About;
use standing::Standing;
use up::{Up, look};

/// How long the daemon has for what it still says when the client has left.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What both directions share.
struct Relay {
    person: Person,
    hello: Hello,
    stdout: Mutex<ForClient>,
    state: Mutex<State>,
    happens: Sender<Happening>,
}

struct State {
    standing: Standing,
    /// The way to the daemon, while there is one.
    way: Option<Arc<Way>>,
    is_leaving: bool,
}

/// One connection's way up. Whoever writes has it alone until the line is whole.
struct Way(Mutex<UnixStream>);

enum Happening {
    /// The client says nothing more. Something may still come down to it, or not.
    ClientLeft {
        is_attached: bool,
    },
    /// The client does not listen any more.
    ClientDeaf,
    DaemonGone,
}

/// Attaches and relays until the client leaves.
pub(crate) fn run(person: Person, hello: Hello, output: &mut Output) -> Done {
    let (stdin, stdout) = streams()
        .map_err(|error| Failure::new(format!("cannot use the standard streams: {error}")))?;
    let mut stdin = Lines::new(stdin);
    let attached = match attach(&person, &hello) {
        Ok(attached) => attached,
        Err(failure) => {
            output.failure(&failure);
            answer_once(&mut stdin, stdout, &failure);
            return Ok(failure.exit);
        }
    };
    let (happens, happenings) = mpsc::channel();
    let state = State { standing: Standing::default(), way: None, is_leaving: false };
    let stdout = Mutex::new(stdout);
    let relay = Arc::new(Relay { person, hello, stdout, state: Mutex::new(state), happens });
    let down = Down::new(&relay, attached);
    down.begin();
    thread::spawn(move || Up::new(relay).run(stdin));
    wait_for_the_end(&happenings);
    Ok(Exit::Ok)
}

fn wait_for_the_end(happenings: &Receiver<Happening>) {
    loop {
        match happenings.recv() {
            // Another daemon is started when it is needed.
            Ok(Happening::DaemonGone) => {}
            Ok(Happening::ClientLeft { is_attached: true }) => {
                // Gone or deaf, there is nothing left to wait for.
                let _ = happenings.recv_timeout(LAST_WORDS);
                return;
            }
            Ok(Happening::ClientLeft { is_attached: false } | Happening::ClientDeaf) | Err(_) => {
                return;
            }
        }
    }
}

/// A client shows its person the answer to what it asks first; a question that only finds out what
/// it talks to is not that yet.
fn answer_once(stdin: &mut Lines<File>, mut stdout: ForClient, failure: &Failure) {
    let message = saying::sentence(failure);
    while let Ok(batch) = stdin.batch()
        && !batch.is_empty()
    {
        let (mut out, mut is_shown) = (Vec::new(), false);
        for (_, glance) in look(batch) {
            for (id, about) in glance.requests() {
                saying::refuse(&mut out, id, &message);
                is_shown |= *about != About::Discover;
            }
        }
        if stdout.write_all(&out).is_err() || is_shown {
            return;
        }
    }
}

/// The streams themselves, with no buffer of the library before them.
fn streams() -> io::Result<(File, ForClient)> {
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    Ok((stdin.into(), ForClient::open()?))
}

impl Relay {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Says something to the client, whole lines only; whether it listens.
    fn tell_client(&self, lines: &[u8]) -> bool {
        let is_told = lock(&self.stdout).write_all(lines).is_ok();
        if !is_told {
            self.tell(Happening::ClientDeaf);
        }
        is_told
    }

    fn tell(&self, happening: Happening) {
        // Nobody is left to hear it only when all is over.
        let _ = self.happens.send(happening);
    }
}

impl Way {
    fn write(&self, lines: &[u8]) -> io::Result<()> {
        lock(&self.0).write_all(lines)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
