//! What is asked of a server on somebody's behalf, and what comes of it.
//!
//! Payloads stay the bytes they are. Whether an operation may happen is the guard's word: only what
//! it permitted reaches a server.

use serde_json::value::RawValue;

use crate::{ApprovalRequired, FormAnswer, QuestionKind};

/// Something a server does for a caller.
#[derive(Debug, Clone)]
pub enum Operation {
    CallTool {
        name: String,
        /// An object, or nothing.
        arguments: Option<Box<RawValue>>,
    },
    ReadResource {
        uri: String,
    },
    GetPrompt {
        name: String,
        arguments: Option<Box<RawValue>>,
    },
    /// Suggestions for an argument of a prompt or of a resource template.
    Complete {
        /// The prompt or template, raw: `{"type": "ref/prompt", "name": …}`.
        reference: Box<RawValue>,
        argument: Box<RawValue>,
        context: Option<Box<RawValue>>,
    },
    Subscribe {
        uri: String,
    },
    Unsubscribe {
        uri: String,
    },
}

impl Operation {
    /// The name or URI that it is about, where it has one.
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::CallTool { name, .. } | Self::GetPrompt { name, .. } => Some(name),
            Self::ReadResource { uri } | Self::Subscribe { uri } | Self::Unsubscribe { uri } => {
                Some(uri)
            }
            Self::Complete { .. } => None,
        }
    }

    /// What it is, in a word for logs and people.
    pub fn word(&self) -> &'static str {
        match self {
            Self::CallTool { .. } => "call",
            Self::ReadResource { .. } => "read",
            Self::GetPrompt { .. } => "prompt",
            Self::Complete { .. } => "complete",
            Self::Subscribe { .. } => "subscribe",
            Self::Unsubscribe { .. } => "unsubscribe",
        }
    }
}

/// How an operation ended, if nothing went wrong on the way.
#[derive(Debug)]
pub enum OperationOutcome {
    Done(OperationResult),
    /// The server wants answers first; the same operation again, with them, goes on.
    InputRequired(InputRequired),
    /// A person is to be asked first, by the caller.
    ApprovalRequired(ApprovalRequired),
}

/// A result.
#[derive(Debug, Clone)]
pub struct OperationResult {
    /// The tool says that it failed: an outcome for the model, no error of the call.
    pub is_error: bool,
    /// The whole result as it came.
    pub result: Box<RawValue>,
}

/// What a server wants to know before it goes on.
#[derive(Debug, Clone)]
pub struct InputRequired {
    /// Its questions by the keys it gave them.
    pub questions: Vec<InputQuestion>,
    /// Its own note to itself, to be returned exactly.
    pub state: Option<Box<RawValue>>,
    /// The whole result as it came.
    pub result: Box<RawValue>,
}

/// One question of [`InputRequired`].
#[derive(Debug, Clone)]
pub struct InputQuestion {
    pub key: String,
    /// `None` for a kind that nobody knows.
    pub kind: Option<QuestionKind>,
    pub params: Option<Box<RawValue>>,
}

/// The answers with which an operation is asked again.
#[derive(Debug, Clone, Default)]
pub struct RetryAnswers {
    /// By key; nothing where only the state goes back.
    pub responses: Vec<(String, Box<RawValue>)>,
    pub state: Option<Box<RawValue>>,
    /// What a person said to the caller, where they were asked to approve it.
    pub approval: Option<FormAnswer>,
}
