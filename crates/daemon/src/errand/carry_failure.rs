//! Why nothing came of what a server was to do.

use serde::{Deserialize, Serialize};
use toolgate_control::CommandFailure;
use toolgate_types::{CallError, Code, visible};

use super::{MissingServer, in_lines};

/// Why nothing came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarryFailure {
    /// Nothing was asked of the server.
    Before(CommandFailure),
    /// There is no connection.
    Unconnected(MissingServer),
    Failed(FailedCall),
    /// The server has a question that nobody here can answer.
    Asked {
        correlation: String,
    },
    /// A person has to approve it, and is not waited for.
    Unapproved {
        /// Under which it waits, where others can answer it.
        reference: Option<String>,
        correlation: String,
    },
}

/// A call that has no outcome.
#[derive(Debug, Serialize, Deserialize)]
pub struct FailedCall {
    pub code: Code,
    pub message: String,
    pub correlation: String,
    /// Why exactly, for programs.
    pub reason: Option<String>,
    /// For the curious only.
    pub detail: Option<String>,
    /// Whether these are the server's own words.
    pub is_answer: bool,
    /// Who was asked to do it, and with which tool.
    #[serde(default)]
    pub server: Option<String>,
    #[serde(default)]
    pub tool: Option<String>,
    /// What was probably meant, where there is no such thing.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// What a command had printed until it was ended.
    #[serde(default)]
    pub partial: Option<String>,
}

impl From<CommandFailure> for CarryFailure {
    fn from(failure: CommandFailure) -> Self {
        Self::Before(failure)
    }
}

impl From<CallError> for CarryFailure {
    fn from(error: CallError) -> Self {
        let CallError {
            code,
            message,
            correlation,
            reason,
            detail,
            answer,
            partial,
            retry_after: _,
        } = error;
        let (correlation, is_answer) = (correlation.to_string(), answer.is_some());
        // A server's own words are one sentence for a caller, and lines for a person.
        let message = match answer.filter(|answer| answer.message.contains('\n')) {
            Some(answer) => message.replace(&visible(&answer.message), &in_lines(&answer.message)),
            None => message,
        };
        let reason = reason.map(str::to_owned);
        let (server, tool, suggestion) = (None, None, None);
        Self::Failed(FailedCall {
            code,
            message,
            correlation,
            reason,
            detail,
            is_answer,
            server,
            tool,
            suggestion,
            partial,
        })
    }
}
