//! What became of asking a person about a call: a row of its own, beside those of the call.

use serde::Serialize;

use crate::Record;
use crate::draft::Draft;
use crate::journal::{Journal, now};

/// How asking ended.
#[derive(Debug, Clone, Serialize)]
pub struct Answered {
    #[serde(rename = "ref")]
    pub reference: String,
    /// `approved`, `denied`, `expired` or `withdrawn`: the row's own outcome.
    #[serde(skip)]
    pub outcome: &'static str,
    /// `once`, `session` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<&'static str>,
    /// Over what it was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<&'static str>,
    /// Whose process answered, and whose child that is, up to the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<String>,
    /// What the person wanted the caller to know, or why nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What exactly it was an answer to.
    pub subject: String,
}

/// The call as it was when a person was asked.
pub struct Question {
    journal: Journal,
    draft: Box<Draft>,
}

impl Record {
    /// To be answered later, perhaps after the call itself is over.
    pub fn question(&self) -> Option<Question> {
        let draft = Box::new(self.draft()?.clone());
        Some(Question { journal: self.journal().clone(), draft })
    }
}

impl Question {
    pub fn answered(&self, answered: Answered) {
        let draft = Draft { at: now(), ..(*self.draft).clone() };
        self.journal.keep_answer(draft, answered);
    }
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("call", &self.draft.call).finish_non_exhaustive()
    }
}
