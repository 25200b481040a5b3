//! A command that waits for its answer, and what can be said to it meanwhile.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use toolgate_control::QUESTION_TAKEN_BACK;
use toolgate_wire::{IdBuf, Outcome, write_notification, write_request};

/// The process that asks, until it has its answer.
#[derive(Debug)]
pub struct Peer {
    /// Whose number it is, where the system tells.
    pub pid: Option<u32>,
    /// It ends with the conversation, whoever still holds this.
    say: mpsc::WeakSender<Vec<u8>>,
    open: Mutex<Open>,
    given_up: CancellationToken,
}

/// The questions that it has not answered yet.
#[derive(Debug, Default)]
struct Open {
    asked: u64,
    waiting: HashMap<u64, oneshot::Sender<Reply>>,
}

/// What a command answers.
#[derive(Debug)]
pub enum Reply {
    Result(Box<RawValue>),
    /// It will not, or nobody there can.
    Refused,
}

impl Reply {
    pub(super) fn of(outcome: &Outcome<'_>) -> Self {
        match outcome {
            Outcome::Result(result) => Self::Result(result.raw().to_owned()),
            Outcome::Error(_) | Outcome::Flawed { .. } => Self::Refused,
        }
    }
}

impl Peer {
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
    pub async fn ask(&self, method: &str, params: &RawValue) -> Reply {
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut open = self.open();
            open.asked += 1;
            let number = open.asked;
            open.waiting.insert(number, answer);
            number
        };
        // Taken back however this ends, also where it is dropped.
        let _asking = Asking { peer: self, number };
        let mut message = Vec::new();
        write_request(&mut message, IdBuf::from(number).as_id(), method, Some(params));
        match self.say.upgrade() {
            Some(say) if say.send(message).await.is_ok() => {}
            _ => return Reply::Refused,
        }
        let answered = self.given_up.run_until_cancelled(answered).await;
        answered.and_then(Result::ok).unwrap_or(Reply::Refused)
    }

    /// Ends when it left, or does not want its answer any more.
    pub fn given_up(&self) -> &CancellationToken {
        &self.given_up
    }

    pub(super) fn give_up(&self) {
        self.given_up.cancel();
    }

    /// A reply that nobody waits for is nothing.
    pub(super) fn take_reply(&self, id: &IdBuf, reply: Reply) {
        let mut open = self.open();
        let number = open.waiting.keys().copied().find(|number| IdBuf::from(*number) == *id);
        if let Some(answer) = number.and_then(|number| open.waiting.remove(&number)) {
            let _ = answer.send(reply);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // Changes are single steps, so a panic elsewhere left it whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Serialize)]
struct TakenBack {
    id: u64,
}

struct Asking<'a> {
    peer: &'a Peer,
    number: u64,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let was_open = self.peer.open().waiting.remove(&self.number).is_some();
        // Whoever gave up knows.
        if !was_open || self.peer.given_up.is_cancelled() {
            return;
        }
        if let Ok(params) = to_raw_value(&TakenBack { id: self.number }) {
            self.peer.tell(QUESTION_TAKEN_BACK, &params);
        }
    }
}
