//! A call that a person is asked to approve, as one channel shows it, and what comes of asking.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use crate::ApprovalChoice;

/// What a person is asked, over one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalQuestion {
    /// To be shown as it is, every line of it.
    pub text: String,
    /// What may be said to it. Where the text had to be cut, nothing that allows the call is offered.
    pub choices: Vec<ApprovalChoice>,
    /// What both sides note of it.
    pub moment: Arc<QuestionMoment>,
}

/// When a question was written, and why it is taken away. Whoever shows it says the one where that is
/// later than being asked to, since an answer is timed from then on; whoever asks says the other before
/// the question is dropped.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct QuestionMoment {
    written: OnceLock<Instant>,
    over: OnceLock<&'static str>,
}

impl QuestionMoment {
    pub fn written_now(&self) {
        let _ = self.written.set(Instant::now());
    }

    /// How long ago it was written, where anybody said so.
    pub fn elapsed(&self) -> Option<Duration> {
        self.written.get().map(Instant::elapsed)
    }

    /// For the person who still sees it. The first reason counts.
    pub fn is_over(&self, why: &'static str) {
        let _ = self.over.set(why);
    }

    pub fn over(&self) -> Option<&'static str> {
        self.over.get().copied()
    }
}

/// What a form that came back says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormAnswer {
    Chose(ApprovalChoice),
    /// It was declined or cancelled, without a choice: a person's no, if it was a person.
    Declined,
}

/// What came of asking over one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalReply {
    /// Counts where it was offered, and else says as little as [`Self::Nothing`].
    Said(ApprovalChoice),
    /// It was declined or cancelled without a choice.
    Declined,
    /// Nothing that could be understood was said.
    Nothing,
    /// Only the caller can ask the person, and comes back with the answer.
    Deferred,
    /// There is nobody to ask.
    NoChannel,
}

impl From<Option<FormAnswer>> for ApprovalReply {
    fn from(answer: Option<FormAnswer>) -> Self {
        match answer {
            Some(FormAnswer::Chose(choice)) => Self::Said(choice),
            Some(FormAnswer::Declined) => Self::Declined,
            None => Self::Nothing,
        }
    }
}

/// What a caller has to ask its person before the call can be made; the same call again, with the
/// answer and the state, goes on.
#[derive(Debug)]
pub struct ApprovalRequired {
    pub question: ApprovalQuestion,
    /// To be returned exactly.
    pub state: Box<RawValue>,
}
