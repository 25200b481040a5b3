//! What the listing verbs share: the servers whose things are missing from a list, and one line of
//! what a server says of a thing.

use serde::{Serialize, Serializer};
use toolgate_host::Found;
use toolgate_types::{Code, ListKind, ServerState, ServerStatus, visible};

use crate::failure::{Done, Exit, Failure};
use crate::hosting::{Wish, with_host};
use crate::output::Output;
use crate::surroundings::Surroundings;

/// The most of a description that a table shows.
const LONGEST: usize = 72;

/// A server that could not be listed.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Missing {
    pub(crate) id: String,
    #[serde(serialize_with = "as_word")]
    pub(crate) state: ServerState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

fn as_word<S: Serializer>(state: &ServerState, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.as_str())
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

/// What servers have besides tools.
pub(crate) struct List {
    pub(crate) found: Vec<Found>,
    pub(crate) missing: Vec<Missing>,
    pub(crate) is_any_listed: bool,
}

/// Asks all servers, or one, for such a list.
pub(crate) fn list(
    kind: ListKind,
    only: Option<&str>,
    surroundings: &Surroundings,
    output: &mut Output,
) -> Result<List, Failure> {
    let wish = Wish { only, role: None, cached: false, answers: false };
    with_host(wish, surroundings, output, async |hosted| {
        hosted.connect().await?;
        hosted.progress.doing("listing");
        let found = hosted
            .unless_interrupted(hosted.host.found(&hosted.audience.address, kind, None))
            .await?;
        let is_listed = |status: &ServerStatus| status.connection.is_some();
        let missing = hosted.missing(is_listed);
        let is_any_listed = hosted.host.status().iter().any(is_listed);
        Ok(List { found, missing, is_any_listed })
    })?
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
