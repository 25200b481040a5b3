//! A command that waits for its answer, and what can be said to it meanwhile.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use toolgate_control::QUESTION_TAKEN_BACK;
use toolgate_wire::{MessageIdBuf, ResponseOutcome, write_notification, write_request};

/// The process that asks, until it has its answer.
#[derive(Debug)]
pub struct ControlPeer {
    /// Whose number it is, where the system tells.
    pub pid: Option<u32>,
    /// It ends with the conversation, whoever still holds this.
    say: mpsc::WeakSender<Vec<u8>>,
    open: Mutex<OpenPeerQuestions>,
    given_up: CancellationToken,
}

/// The questions that it has not answered yet.
#[derive(Debug, Default)]
struct OpenPeerQuestions {
    asked: u64,
    waiting: HashMap<u64, oneshot::Sender<PeerReply>>,
}

/// What a command answers.
#[derive(Debug)]
pub enum PeerReply {
    Result(Box<RawValue>),
    /// It will not, or nobody there can.
    Refused,
}

impl PeerReply {
    pub(super) fn of(outcome: &ResponseOutcome<'_>) -> Self {
        match outcome {
            ResponseOutcome::Result(result) => Self::Result(result.raw().to_owned()),
            ResponseOutcome::Error(_) | ResponseOutcome::Flawed { .. } => Self::Refused,
        }
    }
}

impl ControlPeer {
    pub(super) fn new(pid: Option<u32>, say: &mpsc::Sender<Vec<u8>>) -> Self {
        let say = say.downgrade();
        Self { pid, say, open: Mutex::default(), given_up: CancellationToken::new() }
    }

    /// Tells it something. One that does not read along misses some.
    pub fn tell(&self, method: &str, params: &RawValue) {
        let mut message = Vec::new();
        write_notification(&mut message, method, Some(params));
        if let Some(say) = self.say.upgrade() {
            let _ = say.try_send(message);
        }
    }

    /// Tells it something that it must not miss, as soon as there is room for it.
    pub async fn tell_surely(&self, method: &str, params: &RawValue) {
        let mut message = Vec::new();
        write_notification(&mut message, method, Some(params));
        if let Some(say) = self.say.upgrade() {
            let _ = self.given_up.run_until_cancelled(say.send(message)).await;
        }
    }

    /// Asks it something, and waits for as long as it is there. Where this is
    /// dropped, it is told that nobody wants to know any more.
    pub async fn ask(&self, method: &str, params: &RawValue) -> PeerReply {
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut open = self.open();
            open.asked += 1;
            let number = open.asked;
            open.waiting.insert(number, answer);
            number
        };
        // Taken back however this ends, also where it is dropped.
        let _asking = OpenPeerQuestion { peer: self, number };
        let mut message = Vec::new();
        write_request(&mut message, MessageIdBuf::from(number).as_id(), method, Some(params));
        match self.say.upgrade() {
            Some(say) if say.send(message).await.is_ok() => {}
            _ => return PeerReply::Refused,
        }
        let answered = self.given_up.run_until_cancelled(answered).await;
        answered.and_then(Result::ok).unwrap_or(PeerReply::Refused)
    }

    /// Ends when it left, or does not want its answer any more.
    pub fn given_up(&self) -> &CancellationToken {
        &self.given_up
    }

    pub(super) fn give_up(&self) {
        self.given_up.cancel();
    }

    /// A reply that nobody waits for is nothing.
    pub(super) fn take_reply(&self, id: &MessageIdBuf, reply: PeerReply) {
        let mut open = self.open();
        let number = open.waiting.keys().copied().find(|number| MessageIdBuf::from(*number) == *id);
        if let Some(answer) = number.and_then(|number| open.waiting.remove(&number)) {
            let _ = answer.send(reply);
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenPeerQuestions> {
        // Changes are single steps, so a panic elsewhere left it whole.
        self.open.lock()
    }
}

#[derive(Serialize)]
struct WithdrawnQuestion {
    id: u64,
}

struct OpenPeerQuestion<'a> {
    peer: &'a ControlPeer,
    number: u64,
}

impl Drop for OpenPeerQuestion<'_> {
    fn drop(&mut self) {
        let was_open = self.peer.open().waiting.remove(&self.number).is_some();
        // Whoever gave up knows.
        if !was_open || self.peer.given_up.is_cancelled() {
            return;
        }
        if let Ok(params) = to_raw_value(&WithdrawnQuestion { id: self.number }) {
            self.peer.tell(QUESTION_TAKEN_BACK, &params);
        }
    }
}
