//! From the client to the daemon, and to the next daemon when that one is gone.

use std::fs::File;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use super::batch::{GlancedLine, look};
use super::down::RelayDownward;
use super::glance::{MessageGlance, RelayedMessageKind};
use super::{DaemonWriter, RelayEvent, RelayState, StdioRelay, lock, notices};
use crate::hello::MARK;
use crate::{CommandFailure, LineReader, attach};

/// How long a daemon may take to open a session that was open before.
const PATIENCE: Duration = Duration::from_secs(60);

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

pub(crate) struct RelayUpward {
    relay: Arc<StdioRelay>,
}

impl RelayUpward {
    pub(crate) fn new(relay: Arc<StdioRelay>) -> Self {
        Self { relay }
    }

    /// Passes on what the client says until it says nothing more.
    pub(crate) fn run(self, mut stdin: LineReader<File>) {
        while let Ok(batch) = stdin.batch()
            && !batch.is_empty()
        {
            self.pass(batch);
        }
        let mut state = self.relay.state();
        state.is_leaving = true;
        let way = state.way.clone();
        // While nobody can lose the daemon: what is told is told in the order it happened.
        self.relay.tell(RelayEvent::ClientLeft { is_attached: way.is_some() });
        drop(state);
        if let Some(way) = way {
            let _ = lock(&way.0).shutdown(Shutdown::Write);
        }
    }

    fn pass(&self, batch: &[u8]) {
        self.relay.passes();
        let looked = look(batch);
        if self.send(batch, &looked) {
            return;
        }
        // Nobody is there. Only who wants an answer is worth a daemon; the rest was for the last one.
        let first = looked.iter().position(|(_, glance)| glance.is_or_has_request());
        let (before, rest) = looked.split_at(first.unwrap_or(looked.len()));
        let mut state = self.relay.state();
        before.iter().for_each(|(_, glance)| state.open.notes(glance));
        drop(state);
        let Some((_, glance)) = rest.first() else { return };
        let begins =
            matches!(glance, MessageGlance::Request { about: RelayedMessageKind::Initialize, .. });
        match self.attach_again(begins) {
            Ok(()) => {
                let length: usize = before.iter().map(|(line, _)| line.len()).sum();
                if !self.send(batch.get(length..).unwrap_or_default(), rest) {
                    self.refuse(rest, notices::UNKNOWN_OUTCOME);
                }
            }
            Err(failure) => self.refuse(rest, &notices::sentence(&failure)),
        }
    }

    /// Sends all of it, if there is a daemon. One that ends meanwhile is noticed by who listens to
    /// it, who also answers what was sent.
    fn send(&self, batch: &[u8], looked: &[GlancedLine<'_>]) -> bool {
        let mut state = self.relay.state();
        let RelayState { open, way, .. } = &mut *state;
        let Some(way) = way.clone() else { return false };
        let mut altered: Option<Vec<u8>> = None;
        let mut sent = 0;
        for (line, glance) in looked {
            let is_wanted = open.sends(glance, line);
            let is_disguised = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).starts_with(MARK);
            if !is_wanted || is_disguised {
                altered.get_or_insert_with(|| batch.get(..sent).unwrap_or_default().to_vec());
            }
            if let Some(altered) = altered.as_mut().filter(|_| is_wanted) {
                if is_disguised {
                    // Only we speak to the daemon so. With a space before it, it is a message, and a
                    // bad one.
                    altered.push(b' ');
                }
                altered.extend_from_slice(line);
            }
            sent += line.len();
        }
        drop(state);
        if way.write(altered.as_deref().unwrap_or(batch)).is_err() {
            // So that who listens is sure to notice; what has come already is still read.
            let _ = lock(&way.0).shutdown(Shutdown::Both);
        }
        true
    }

    /// Attaches to another daemon, with the session that the client believes to have.
    fn attach_again(&self, begins: bool) -> Result<(), CommandFailure> {
        let attached = attach(&self.relay.person, &self.relay.hello, &*self.relay.starter)?;
        let opening = self.relay.state().open.opening().cloned().filter(|_| !begins);
        let stream = attached.writer.try_clone().map_err(failed)?;
        let mut down = RelayDownward::new(&self.relay, attached);
        if let Some(opening) = &opening {
            stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
            let way: &DaemonWriter = down.way();
            way.write(&opening.line).map_err(failed)?;
            down.swallow(opening.id.clone())?;
            stream.set_read_timeout(None).map_err(failed)?;
            if opening.is_complete {
                down.way().write(&notices::initialized()).map_err(failed)?;
            }
            self.wish_again(&stream, &mut down)?;
        }
        down.begin();
        if opening.is_some_and(|opening| opening.announces_tools) {
            self.relay.tell_client(&notices::tools_changed());
        }
        Ok(())
    }

    /// The client believes that it hears of what it asked to hear of. What cannot be had any more is
    /// no reason not to go on.
    fn wish_again(
        &self,
        stream: &UnixStream,
        down: &mut RelayDownward,
    ) -> Result<(), CommandFailure> {
        let wishes = self.relay.state().open.wishes();
        for wish in wishes {
            stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
            down.way().write(&wish.line).map_err(failed)?;
            let _ = down.swallow(wish.id);
        }
        stream.set_read_timeout(None).map_err(failed)
    }

    fn refuse(&self, looked: &[GlancedLine<'_>], message: &str) {
        let mut out = Vec::new();
        for (id, _) in looked.iter().flat_map(|(_, glance)| glance.requests()) {
            notices::refuse(&mut out, id, message);
        }
        self.relay.tell_client(&out);
    }
}

fn failed(error: std::io::Error) -> CommandFailure {
    CommandFailure::new(format!("the daemon ended before the session was open again: {error}"))
}
