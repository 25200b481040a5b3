//! What a server may ask in the middle of a call, and who answers.
//!
//! Questions of servers and their answers stay the raw JSON they are on the wire: whoever shows one to a person, or
//! passes it on to a client, knows how to read it.

use async_trait::async_trait;
use serde_json::value::RawValue;

use crate::{ApprovalQuestion, ApprovalReply, ServerId};

/// The questions the protocol knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuestionKind {
    /// Something from a person: a form, or a page to open.
    Elicit,
    /// An answer from a model.
    Sample,
    /// The folders that the caller works in.
    Roots,
}

/// A question of a server.
#[derive(Debug)]
pub struct ServerQuestion {
    pub server: ServerId,
    pub kind: QuestionKind,
    /// The parameters as the server sent them; absent for questions that have none.
    pub params: Option<Box<RawValue>>,
}

/// A question that the caller answers with a second request of its own.
#[derive(Debug)]
pub struct InputRequest {
    pub kind: QuestionKind,
    pub params: Option<Box<RawValue>>,
}

/// What came of a question.
#[derive(Debug)]
pub enum QuestionAnswer {
    /// The result, as the server expects it.
    Answered(Box<RawValue>),
    /// An error, raw: `code`, `message` and perhaps more.
    Refused(Box<RawValue>),
    /// Only the caller can answer, by calling again.
    Defer(InputRequest),
    /// There is nobody to ask.
    NoChannel,
}

/// Someone who can be asked.
#[async_trait]
pub trait Asker: Send + Sync {
    /// Whether a question of this kind could be answered at all: a server is told only that.
    fn answers(&self, kind: QuestionKind) -> bool;

    async fn ask(&self, question: ServerQuestion) -> QuestionAnswer;

    /// Whether questions are answered by coming back: by [`QuestionAnswer::Defer`].
    fn defers(&self) -> bool {
        false
    }

    /// The channel over which a person can be asked to approve a call, as records name it; nothing
    /// where nobody can.
    fn approves(&self) -> Option<&'static str> {
        None
    }

    /// Whether whoever called waits for a person however long that takes, since they are one, or said
    /// so.
    fn waits_unattended(&self) -> bool {
        false
    }

    /// The longest text that it shows a person whole; a longer one can be declined over it, and not
    /// approved.
    fn longest_shown(&self) -> usize {
        16 * 1024
    }

    /// Asks a person to approve a call. It is dropped when somebody else was faster.
    async fn approve(&self, question: ApprovalQuestion) -> ApprovalReply {
        let _ = question;
        ApprovalReply::NoChannel
    }
}

/// An asker who is never there.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyToAsk;

#[async_trait]
impl Asker for NobodyToAsk {
    fn answers(&self, _: QuestionKind) -> bool {
        false
    }

    async fn ask(&self, _: ServerQuestion) -> QuestionAnswer {
        QuestionAnswer::NoChannel
    }
}
