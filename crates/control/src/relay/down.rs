//! From the daemon to the client.
//!
//! What the daemon says to the shim itself goes no further; everything else does, untouched.

use parking_lot::Mutex;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

use toolgate_types::visible;
use toolgate_wire::MessageIdBuf;

use super::batch::lines;
use super::glance::MessageGlance;
use super::open_requests::InitializeAnswer;
use super::{DaemonWriter, RelayEvent, StdioRelay, notices};
use crate::hello::{FromDaemon, FromShim, MARK, line};
use crate::line_reader::ArrivedLines;
use crate::{AttachedDaemon, CommandFailure, DaemonIdentity, LineReader};

/// One connection's way down.
pub(crate) struct RelayDownward {
    relay: Arc<StdioRelay>,
    reader: LineReader<UnixStream>,
    way: Arc<DaemonWriter>,
    daemon: DaemonIdentity,
    /// The answer to this is not for the client.
    swallowed: Option<MessageIdBuf>,
    /// What became of that: nothing, or why not.
    refusal: Option<String>,
    /// The daemon's last words to us, if it had any.
    why: Option<String>,
}

/// Why nothing more comes down.
enum RelayEnd {
    DaemonGone,
    ClientDeaf,
}

impl RelayDownward {
    pub(crate) fn new(relay: &Arc<StdioRelay>, attached: AttachedDaemon) -> Self {
        let AttachedDaemon { reader, writer, daemon } = attached;
        let way = Arc::new(DaemonWriter(Mutex::new(writer)));
        let (swallowed, refusal, why) = (None, None, None);
        Self { relay: Arc::clone(relay), reader, way, daemon, swallowed, refusal, why }
    }

    pub(crate) fn way(&self) -> &Arc<DaemonWriter> {
        &self.way
    }

    /// Waits for the answer to this, which the client already had once.
    pub(crate) fn swallow(&mut self, id: MessageIdBuf) -> Result<(), CommandFailure> {
        self.swallowed = Some(id);
        while self.swallowed.is_some() {
            if self.pass().is_err() {
                return Err(CommandFailure::new(
                    "the daemon ended before the session was open again",
                ));
            }
        }
        match self.refusal.take() {
            Some(why) => Err(CommandFailure::new(format!("the daemon refuses: {}", visible(&why)))),
            None => Ok(()),
        }
    }

    /// From here on the daemon is the one that is talked to.
    pub(crate) fn begin(mut self) {
        self.relay.state().way = Some(Arc::clone(&self.way));
        thread::spawn(move || {
            let over = loop {
                if let Err(over) = self.pass() {
                    break over;
                }
            };
            match over {
                // That was told where it was noticed.
                RelayEnd::ClientDeaf => {}
                RelayEnd::DaemonGone => self.lose(),
            }
        });
    }

    /// Passes on what comes next.
    fn pass(&mut self) -> Result<(), RelayEnd> {
        let Self { relay, reader, way, swallowed, refusal, why, .. } = self;
        let batch = match reader.batch_or_beginning() {
            Ok(ArrivedLines::Begun(beginning)) => match long_answer(beginning, relay, swallowed) {
                Some(id) => return pass_in_parts(relay, reader, id),
                None => reader.batch(),
            },
            Ok(ArrivedLines::Whole(batch)) => Ok(batch),
            Err(error) => Err(error),
        };
        let batch = match batch {
            // What does not end in a line's end was cut off.
            Ok(batch) if batch.ends_with(b"\n") => batch,
            Ok(_) | Err(_) => return Err(RelayEnd::DaemonGone),
        };
        let mut from = 0;
        let mut at = 0;
        for line in lines(batch) {
            let end = at + line.len();
            let is_for_us = if line.starts_with(MARK) {
                hear(line, relay, way, why);
                true
            } else {
                let glance = MessageGlance::at(line);
                let is_swallowed = match &glance {
                    MessageGlance::Response(id) => swallowed.as_ref() == Some(id),
                    _ => false,
                };
                if is_swallowed {
                    (*swallowed, *refusal) = (None, InitializeAnswer::refusal(line));
                } else {
                    // Before the client can read it: it may use the id again at once.
                    relay.state().open.receives(&glance, line);
                }
                is_swallowed
            };
            if is_for_us {
                pass_on(relay, batch.get(from..at))?;
                from = end;
            }
            at = end;
        }
        pass_on(relay, batch.get(from..))
    }

    /// Answers what will not be answered any more.
    fn lose(self) {
        let Self { relay, way, daemon, why, reader, .. } = self;
        // Whoever is about to write is not to wait for a reader that is gone.
        let _ = reader.stream().shutdown(Shutdown::Both);
        let mut state = relay.state();
        let is_current = state.way.as_ref().is_some_and(|current| Arc::ptr_eq(current, &way));
        if !is_current {
            return;
        }
        state.way = None;
        let lost = state.open.loses();
        let is_leaving = state.is_leaving;
        // Told in the order in which it happened: see where the client leaves.
        relay.tell(RelayEvent::DaemonGone);
        drop(state);
        if !is_leaving {
            let count = lost.open.len();
            relay.tell_client(&notices::lost(&lost, why.as_deref()));
            (relay.warn)(&format!(
                "the daemon (pid {}) ended with {count} requests open; \
                 another is started when it is needed",
                daemon.pid
            ));
        }
    }
}

/// The request that a long line answers of which nothing else has to be known here.
fn long_answer(
    beginning: &[u8],
    relay: &StdioRelay,
    swallowed: &Option<MessageIdBuf>,
) -> Option<MessageIdBuf> {
    match MessageGlance::at(beginning) {
        MessageGlance::Response(id)
            if swallowed.as_ref() != Some(&id) && !relay.state().open.reads_answer_to(&id) =>
        {
            Some(id)
        }
        _ => None,
    }
}

/// Passes on one line as it comes. It is answered when its end is there; where that never comes, the client
/// gets an end that makes no message of it, and hears as of any other open request that it is lost.
fn pass_in_parts(
    relay: &StdioRelay,
    reader: &mut LineReader<UnixStream>,
    id: MessageIdBuf,
) -> Result<(), RelayEnd> {
    let mut line = relay.begin_line();
    let answer = MessageGlance::Response(id);
    loop {
        let part = reader.part().unwrap_or_default();
        let is_last = part.ends_with(b"\n");
        if is_last {
            relay.state().open.receives(&answer, b"");
        }
        if !line.write(if part.is_empty() { b"\n" } else { part }) {
            return Err(RelayEnd::ClientDeaf);
        }
        match part {
            [] => return Err(RelayEnd::DaemonGone),
            _ if is_last => return Ok(()),
            _ => {}
        }
    }
}

fn pass_on(relay: &StdioRelay, lines: Option<&[u8]>) -> Result<(), RelayEnd> {
    match lines {
        None | Some([]) => Ok(()),
        Some(lines) if relay.tell_client(lines) => Ok(()),
        Some(_) => Err(RelayEnd::ClientDeaf),
    }
}

/// What the daemon says to us.
fn hear(word: &[u8], relay: &Arc<StdioRelay>, way: &Arc<DaemonWriter>, why: &mut Option<String>) {
    match serde_json::from_slice(word) {
        Ok(FromDaemon::Wants { variables, .. }) => {
            let values = relay.person.values_of(&variables);
            let answer = line(&FromShim::Variables { values });
            let way = Arc::clone(way);
            // Not from here: who writes may have to wait until the daemon was read from.
            thread::spawn(move || way.write(&answer));
        }
        Ok(FromDaemon::Refused { why: reason, .. }) => *why = Some(visible(&reason)),
        // A word that is not for now, or from a daemon that knows more of them.
        Ok(_) | Err(_) => {}
    }
}
