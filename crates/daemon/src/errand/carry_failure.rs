//! Why nothing came of what a server was to do.

use serde::{Deserialize, Serialize};
use toolgate_control::{CommandExit, CommandFailure};
use toolgate_types::{CallError, Code, visible};

use super::missing_server::{MissingServer, in_lines, login_hint};

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

impl FailedCall {
    /// How the command ends that it was made for.
    pub fn exit(&self) -> CommandExit {
        match self.code {
            Code::PermissionDenied => CommandExit::Denied,
            Code::Unauthenticated => CommandExit::LoginNeeded,
            Code::Unavailable | Code::DeadlineExceeded => CommandExit::Unreachable,
            Code::Cancelled => CommandExit::Interrupted,
            Code::Internal | Code::InvalidArgument | Code::NotFound | Code::ResourceExhausted => {
                CommandExit::Error
            }
        }
    }

    /// What the person can do about it.
    pub fn hint(&self) -> Option<String> {
        if let Some(suggestion) = &self.suggestion {
            return Some(suggestion.clone());
        }
        let server = self.server.as_deref().unwrap_or("SERVER");
        match (self.code, self.tool.as_deref()) {
            // In the guard's word; a server that refuses is no matter of approval.
            (Code::PermissionDenied, Some(tool))
                if !self.is_answer && self.reason.as_deref() == Some("no_channel") =>
            {
                let (key, tool) = (bare_or_quoted(tool), visible(tool));
                Some(format!(
                    "set approval = \"approve\" on the server, or for one tool under \
                     [servers.{server}.tools.{key}]; for the reason: \
                     toolgate explain {server} {tool}"
                ))
            }
            (Code::Unauthenticated, _) => Some(login_hint(server, &self.message)),
            (Code::Unavailable, _) => Some(format!("see `toolgate test {server}`")),
            _ => None,
        }
    }
}

/// A key as TOML wants it.
fn bare_or_quoted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => format!("{:?}", visible(key)),
    }
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
            // The message says the same to whoever writes a hint.
            wants_login: _,
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
            partial: partial.map(String::from),
        })
    }
}
