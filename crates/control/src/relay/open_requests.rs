//! What a relay remembers of a conversation, so that it can go on when the daemon does not: which
//! requests wait for an answer, how the session was opened, what the client was asked.
//!
//! Plain bookkeeping: it reads and writes nothing.

mod session_wishes;

use std::collections::HashSet;

use serde::Deserialize;
use toolgate_wire::MessageIdBuf;

use super::glance::{MessageGlance, RelayedMessageKind};
use session_wishes::{SessionWishes, WishLine};

#[derive(Debug, Default)]
pub(crate) struct OpenRequests {
    /// The client's requests without an answer yet.
    open: HashSet<MessageIdBuf>,
    /// The daemon's questions without one.
    asked: HashSet<MessageIdBuf>,
    /// Questions of a daemon that is gone: nobody waits for their answers, and the next daemon might
    /// take one for the answer to a question of its own.
    stale: HashSet<MessageIdBuf>,
    /// An `initialize` that was sent.
    trying: Option<(MessageIdBuf, Vec<u8>)>,
    opening: Option<SessionOpening>,
    wishes: SessionWishes,
}

/// How the session was opened.
#[derive(Debug, Clone)]
pub(crate) struct SessionOpening {
    pub(crate) id: MessageIdBuf,
    /// The line, its end included.
    pub(crate) line: Vec<u8>,
    /// Whether the client said that it is ready.
    pub(crate) is_complete: bool,
    /// Whether the client was told that it will hear of changed tools.
    pub(crate) announces_tools: bool,
}

/// What was left open when a daemon ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LostRequests {
    pub(crate) open: HashSet<MessageIdBuf>,
    pub(crate) asked: HashSet<MessageIdBuf>,
}

impl OpenRequests {
    /// Notes what the client sends; whether it is for the daemon at all.
    pub(crate) fn sends(&mut self, glance: &MessageGlance, line: &[u8]) -> bool {
        match glance {
            MessageGlance::Request { id, about } => {
                if *about == RelayedMessageKind::Initialize {
                    self.trying = Some((id.clone(), with_its_end(line)));
                }
                self.wishes.sends(id, about, line);
                self.open.insert(id.clone());
            }
            MessageGlance::Notification(_) => self.notes(glance),
            MessageGlance::Response(id) if self.stale.remove(id) => return false,
            MessageGlance::Response(id) => drop(self.asked.remove(id)),
            MessageGlance::Batch(messages) => {
                for message in messages {
                    match message {
                        // A session is never opened in a batch.
                        MessageGlance::Request { id, .. } => drop(self.open.insert(id.clone())),
                        _ => drop(self.sends(message, line)),
                    }
                }
            }
            MessageGlance::Other => {}
        }
        true
    }

    /// Notes what the client says while there is nobody to hear it.
    pub(crate) fn notes(&mut self, glance: &MessageGlance) {
        match glance {
            MessageGlance::Notification(RelayedMessageKind::Initialized) => {
                if let Some(opening) = &mut self.opening {
                    opening.is_complete = true;
                }
            }
            MessageGlance::Notification(RelayedMessageKind::Cancelled(Some(id))) => {
                self.open.remove(id);
            }
            MessageGlance::Response(id) => drop(self.stale.remove(id)),
            _ => {}
        }
    }

    /// Notes what the daemon sends.
    pub(crate) fn receives(&mut self, glance: &MessageGlance, line: &[u8]) {
        match glance {
            MessageGlance::Response(id) => {
                self.open.remove(id);
                self.wishes.receives(id, line);
                if self.trying.as_ref().is_some_and(|(trying, _)| trying == id) {
                    self.opened(line);
                }
            }
            MessageGlance::Request { id, .. } => drop(self.asked.insert(id.clone())),
            MessageGlance::Notification(RelayedMessageKind::Cancelled(Some(id))) => {
                self.asked.remove(id);
            }
            MessageGlance::Batch(messages) => {
                messages.iter().for_each(|one| self.receives(one, line));
            }
            MessageGlance::Notification(_) | MessageGlance::Other => {}
        }
    }

    /// Whether more than the id of the answer to this counts here.
    pub(crate) fn reads_answer_to(&self, id: &MessageIdBuf) -> bool {
        let is_trying = self.trying.as_ref().is_some_and(|(trying, _)| trying == id);
        is_trying || self.wishes.reads_answer_to(id)
    }

    fn opened(&mut self, answer: &[u8]) {
        let Some((id, line)) = self.trying.take() else { return };
        if let Some(announces_tools) = InitializeAnswer::announces_tools(answer) {
            self.wishes = SessionWishes::default();
            self.opening = Some(SessionOpening { id, line, is_complete: false, announces_tools });
        }
    }

    /// The daemon is gone; what is open will not be answered by it.
    pub(crate) fn loses(&mut self) -> LostRequests {
        self.trying = None;
        let lost = LostRequests {
            open: std::mem::take(&mut self.open),
            asked: std::mem::take(&mut self.asked),
        };
        self.stale.extend(lost.asked.iter().cloned());
        lost
    }

    /// What the client asked of its session, for the next daemon.
    pub(crate) fn wishes(&self) -> Vec<WishLine> {
        self.wishes.all()
    }

    /// The session that the client believes to have.
    pub(crate) fn opening(&self) -> Option<&SessionOpening> {
        self.opening.as_ref()
    }
}

fn with_its_end(line: &[u8]) -> Vec<u8> {
    let mut line = line.to_vec();
    if line.last() != Some(&b'\n') {
        line.push(b'\n');
    }
    line
}

/// The answer to `initialize`, as far as it matters here.
#[derive(Deserialize)]
pub(crate) struct InitializeAnswer {
    result: Option<OpenedResult>,
    error: Option<RefusedInitialize>,
}

#[derive(Deserialize)]
struct OpenedResult {
    capabilities: Option<Capabilities>,
}

#[derive(Deserialize)]
struct Capabilities {
    tools: Option<ToolsCapability>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolsCapability {
    list_changed: Option<bool>,
}

#[derive(Deserialize)]
struct RefusedInitialize {
    message: Option<String>,
}

impl InitializeAnswer {
    /// Whether a session is told of changed tools; `None` if there is none.
    fn announces_tools(line: &[u8]) -> Option<bool> {
        let opened = serde_json::from_slice::<Self>(line).ok()?.result?;
        let tools = opened.capabilities.and_then(|capabilities| capabilities.tools);
        Some(tools.and_then(|tools| tools.list_changed).unwrap_or_default())
    }

    /// Why a session was refused, if it was.
    pub(crate) fn refusal(line: &[u8]) -> Option<String> {
        match serde_json::from_slice::<Self>(line) {
            Ok(Self { result: Some(_), .. }) => None,
            Ok(Self { error: Some(RefusedInitialize { message: Some(message) }), .. }) => {
                Some(message)
            }
            _ => Some("the session could not be opened again".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
