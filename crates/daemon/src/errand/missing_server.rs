//! A server whose things are missing from a list, and why.

use serde::{Deserialize, Serialize};
use toolgate_control::{CommandExit, CommandFailure};
use toolgate_types::{Code, ServerState, ServerStatus, visible};

/// A server that could not be listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MissingServer {
    pub id: String,
    pub state: ServerState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<ServerStatus> for MissingServer {
    fn from(status: ServerStatus) -> Self {
        Self { id: status.id.to_string(), state: status.state, error: status.last_error }
    }
}

impl MissingServer {
    /// How a command ends that means this server alone.
    pub fn exit(&self) -> CommandExit {
        match self.state {
            ServerState::Disabled => CommandExit::Ok,
            ServerState::AuthRequired => CommandExit::LoginNeeded,
            ServerState::Pending => CommandExit::TrustNeeded,
            _ => CommandExit::Unreachable,
        }
    }

    /// In the words that a failed call has.
    pub fn code(&self) -> Code {
        match self.state {
            ServerState::AuthRequired => Code::Unauthenticated,
            _ => Code::Unavailable,
        }
    }

    pub fn sentence(&self) -> String {
        let why = match (&self.error, self.state) {
            (Some(error), ServerState::Pending) => format!("it is pending: {error}"),
            (Some(error), _) => error.clone(),
            (None, ServerState::Connecting) => "it is not connected yet".to_owned(),
            (None, _) => "it gave no answer in time".to_owned(),
        };
        format!("{}: {}", visible(&self.id), visible(&why))
    }

    pub fn hint(&self) -> String {
        match self.state {
            ServerState::Pending => "accept it with: toolgate trust".to_owned(),
            ServerState::AuthRequired => "it needs a login or a token".to_owned(),
            _ => format!("see `toolgate test {}`", visible(&self.id)),
        }
    }

    /// For a command that means this server alone.
    pub fn failure(&self) -> CommandFailure {
        CommandFailure::new(self.sentence()).hint(self.hint()).exits(self.exit())
    }
}
