//! A server whose things are missing from a list, and why.

use serde::{Deserialize, Serialize};
use toolgate_control::{CommandExit, CommandFailure};
use toolgate_types::{
    Code, NEEDS_REGISTRATION, NO_TOKEN_GIVEN, OFFERS_NO_LOGIN, ServerState, ServerStatus,
    UNUSABLE_LOGIN, visible,
};

/// What to do about a server that refuses whoever brings no token.
pub fn login_hint(id: &str, why: &str) -> String {
    let id = visible(id);
    if why.contains(NEEDS_REGISTRATION) {
        return format!(
            "register a client with the server's provider, and set its id as `oauth.client_id` of {id}; then: toolgate login {id}"
        );
    }
    if why.contains(NO_TOKEN_GIVEN) || why.contains(UNUSABLE_LOGIN) {
        return format!("see `toolgate test {id}`");
    }
    match why.contains(OFFERS_NO_LOGIN) {
        true => format!(
            "name the variable that holds a token: toolgate add {id} URL --replace --bearer-token-env NAME, or set `headers.Authorization`"
        ),
        false => format!("log in with: toolgate login {id}"),
    }
}

/// What a server said over several lines is read so; each but the first stands a little to the right,
/// and cannot be taken for a line of ours.
pub fn in_lines(words: &str) -> String {
    words.lines().map(visible).collect::<Vec<_>>().join("\n  ")
}

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
            ServerState::Disabled => CommandExit::Error,
            ServerState::AuthRequired | ServerState::RegistrationRequired => {
                CommandExit::LoginNeeded
            }
            ServerState::Pending => CommandExit::TrustNeeded,
            _ => CommandExit::Unreachable,
        }
    }

    /// In the words that a failed call has.
    pub fn code(&self) -> Code {
        match self.state {
            ServerState::AuthRequired | ServerState::RegistrationRequired => Code::Unauthenticated,
            _ => Code::Unavailable,
        }
    }

    pub fn sentence(&self) -> String {
        let why = match (&self.error, self.state) {
            (Some(error), ServerState::Pending) => format!("it is pending: {error}"),
            (Some(error), _) => error.clone(),
            (None, ServerState::Disabled) => "it is disabled".to_owned(),
            (None, ServerState::Connecting) => "it is not connected yet".to_owned(),
            (None, _) => "it gave no answer in time".to_owned(),
        };
        format!("{}: {}", visible(&self.id), in_lines(&why))
    }

    pub fn hint(&self) -> String {
        match self.state {
            ServerState::Pending => "accept it with: toolgate trust".to_owned(),
            ServerState::Disabled => {
                format!("enable it with: toolgate enable {}", visible(&self.id))
            }
            ServerState::AuthRequired | ServerState::RegistrationRequired => {
                login_hint(&self.id, self.error.as_deref().unwrap_or_default())
            }
            _ => format!("see `toolgate test {}`", visible(&self.id)),
        }
    }

    /// For a command that means this server alone.
    pub fn failure(&self) -> CommandFailure {
        CommandFailure::new(self.sentence()).hint(self.hint()).exits(self.exit())
    }
}
