//! What the listing verbs share: the servers whose things are missing from a list, and one line of
//! what a server says of a thing.

use serde::{Deserialize, Serialize};
use toolgate_types::{Code, ServerState, ServerStatus, visible};

use crate::failure::{Done, Exit, Failure};
use crate::output::Output;

/// The most of a description that a table shows.
const LONGEST: usize = 72;

/// A server that could not be listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Missing {
    pub(crate) id: String,
    pub(crate) state: ServerState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl From<ServerStatus> for Missing {
    fn from(status: ServerStatus) -> Self {
        Self { id: status.id.to_string(), state: status.state, error: status.last_error }
    }
}

impl Missing {
    fn exit(&self) -> Exit {
        match self.state {
            ServerState::Disabled => Exit::Ok,
            ServerState::AuthRequired => Exit::LoginNeeded,
            ServerState::Pending => Exit::TrustNeeded,
            _ => Exit::Unreachable,
        }
    }

    /// In the words that a failed call has.
    pub(crate) fn code(&self) -> Code {
        match self.state {
            ServerState::AuthRequired => Code::Unauthenticated,
            _ => Code::Unavailable,
        }
    }

    pub(crate) fn sentence(&self) -> String {
        let why = match (&self.error, self.state) {
            (Some(error), ServerState::Pending) => format!("it is pending: {error}"),
            (Some(error), _) => error.clone(),
            (None, ServerState::Connecting) => "it is not connected yet".to_owned(),
            (None, _) => "it gave no answer in time".to_owned(),
        };
        format!("{}: {}", visible(&self.id), visible(&why))
    }

    fn hint(&self) -> String {
        match self.state {
            ServerState::Pending => "accept it with: toolgate trust".to_owned(),
            ServerState::AuthRequired => "it needs a login or a token".to_owned(),
            _ => format!("see `toolgate test {}`", visible(&self.id)),
        }
    }

    pub(crate) fn failure(&self) -> Failure {
        Failure::new(self.sentence()).hint(self.hint()).exits(self.exit())
    }
}

/// What is printed for an empty list; nothing where only a failure made it empty.
pub(crate) fn emptiness(what: &str, missing: &[Missing], is_any_listed: bool) -> Option<String> {
    match (is_any_listed, missing) {
        (true, _) => Some(format!("no {what}")),
        (false, []) => Some("no MCP servers configured".to_owned()),
        (false, some) if some.iter().all(|one| one.state == ServerState::Disabled) => {
            Some(format!("no {what}: every server is disabled"))
        }
        (false, _) => None,
    }
}

/// Says what is missing. A list is a success if a server is in it, or if there is none to miss.
pub(crate) fn report(
    missing: &[Missing],
    is_one_meant: bool,
    is_any_listed: bool,
    output: &mut Output,
) -> Done {
    let mut missing = missing.iter().filter(|one| one.state != ServerState::Disabled).peekable();
    let first = missing.peek().map_or(Exit::Ok, |one| one.exit());
    if let (true, Some(one)) = (is_one_meant, missing.peek()) {
        return Err(one.failure());
    }
    for one in missing {
        output.warning(format!("{}; {}", one.sentence(), one.hint()));
    }
    Ok(if is_any_listed { Exit::Ok } else { first })
}

/// The first line of a server's words, short and with nothing hidden in it.
pub(crate) fn one_line(words: Option<&str>) -> String {
    let line = words.unwrap_or_default().lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", visible(line[..end].trim_end())),
        None => visible(line),
    }
}
