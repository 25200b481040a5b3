//! What is asked of a server on somebody's behalf, and what comes of it.
//!
//! Payloads stay the bytes they are. Whether an operation may happen is the guard's word: only what
//! it permitted reaches a server.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::ApprovalRequired;
use crate::long_result::LongResult;
use crate::operation_result::{InputRequired, OperationResult};
use crate::task::{TaskReport, TaskRequest};

/// Something a server does for a caller.
#[derive(Debug, Clone)]
pub enum Operation {
    CallTool {
        name: Arc<str>,
        /// An object, or nothing.
        arguments: Option<Arc<RawValue>>,
    },
    ReadResource {
        uri: String,
    },
    GetPrompt {
        name: Arc<str>,
        arguments: Option<Arc<RawValue>>,
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
    /// About a task that a call was answered with.
    Task {
        /// As its server has it.
        id: String,
        request: TaskRequest,
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
            Self::Task { id, .. } => Some(id),
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
            Self::Task { request, .. } => request.word(),
        }
    }
}

/// How an operation ended, if nothing went wrong on the way.
#[derive(Debug)]
pub enum OperationOutcome {
    Done(OperationResult),
    /// The same, where the result is too long to hold: only for who said that it takes such results.
    DoneAtLength(LongResult),
    /// The server wants answers first; the same operation again, with them, goes on.
    InputRequired(InputRequired),
    /// A person is to be asked first, by the caller.
    ApprovalRequired(ApprovalRequired),
    /// It goes on as a task, which is asked for by its id.
    Task(TaskReport),
}

impl OperationOutcome {
    /// With another result where it is done; of one that is too long to hold, what is held of it.
    #[must_use]
    pub fn with_result(self, change: impl FnOnce(Box<RawValue>) -> Box<RawValue>) -> Self {
        match self {
            Self::Done(OperationResult { is_error, result }) => {
                Self::Done(OperationResult { is_error, result: change(result) })
            }
            Self::DoneAtLength(LongResult { is_error, held, rests, bytes }) => {
                Self::DoneAtLength(LongResult { is_error, held: change(held), rests, bytes })
            }
            other => other,
        }
    }
}
