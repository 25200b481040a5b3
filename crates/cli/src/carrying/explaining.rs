//! Why nothing came of it, for people, for programs, and as an exit code.

use serde::{Deserialize, Serialize};
use toolgate_types::{CallError, Code, visible};

use super::CarryOut;
use crate::failure::{Exit, Failure};
use crate::listing::Missing;
use crate::output::Output;

/// Why nothing came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NotDone {
    /// Nothing was asked of the server.
    Before(Failure),
    /// There is no connection.
    Unconnected(Missing),
    Failed(Failed),
    /// The server has a question that nobody here can answer.
    Asked {
        correlation: String,
    },
}

/// A call that has no outcome.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Failed {
    code: Code,
    message: String,
    correlation: String,
    /// For the curious only.
    detail: Option<String>,
    /// Whether these are the server's own words.
    is_answer: bool,
}

impl From<Failure> for NotDone {
    fn from(failure: Failure) -> Self {
        Self::Before(failure)
    }
}

impl From<CallError> for NotDone {
    fn from(error: CallError) -> Self {
        let CallError { code, message, correlation, detail, answer, retry_after: _ } = error;
        let (correlation, is_answer) = (correlation.to_string(), answer.is_some());
        Self::Failed(Failed { code, message, correlation, detail, is_answer })
    }
}

/// An error as programs read it.
#[derive(Serialize)]
struct Told<'a> {
    code: &'a str,
    message: &'a str,
    /// None where nothing was asked of the server.
    #[serde(rename = "correlationId")]
    correlation: Option<&'a str>,
}

#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: Told<'a>,
}

impl NotDone {
    pub(super) fn explain(self, errand: &CarryOut, output: &mut Output) -> Failure {
        let mut tell = |code: Code, message: &str, correlation: Option<&str>| {
            if output.json {
                output.document_of(&ErrorDocument {
                    error: Told { code: code.as_str(), message, correlation },
                });
            }
        };
        match self {
            Self::Before(failure) => failure,
            Self::Unconnected(missing) => {
                tell(missing.code(), &missing.sentence(), None);
                missing.failure()
            }
            Self::Asked { correlation } => {
                let code = Code::PermissionDenied;
                let message = "the server asks for something that nobody here can answer";
                tell(code, message, Some(&correlation));
                let failure = Failure::new(format!("{message} ({code}, ref {correlation})"));
                failure.exits(Exit::Denied)
            }
            Self::Failed(failed) => {
                let Failed { code, message, correlation, detail, .. } = &failed;
                tell(*code, message, Some(correlation));
                if let Some(detail) = detail {
                    output.detail(visible(detail));
                }
                // As the error of a call says it itself.
                let failure = Failure::new(format!("{message} ({code}, ref {correlation})"));
                let failure = failure.exits(exit_of(*code));
                match failed.hint(errand) {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            }
        }
    }
}

impl Failed {
    fn hint(&self, errand: &CarryOut) -> Option<String> {
        let server = &errand.server;
        match (self.code, errand.tool()) {
            // In the guard's word; a server that refuses is no matter of approval.
            (Code::PermissionDenied, Some(tool))
                if !self.is_answer && self.message.ends_with("(no_channel)") =>
            {
                let (key, tool) = (bare_or_quoted(tool), visible(tool));
                Some(format!(
                    "set approval = \"approve\" on the server, or for one tool under \
                     [servers.{server}.tools.{key}]; for the reason: \
                     toolgate explain {server} {tool}"
                ))
            }
            (Code::Unauthenticated, _) => Some("it needs a login or a token".to_owned()),
            (Code::Unavailable, _) => Some(format!("see `toolgate test {server}`")),
            _ => None,
        }
    }
}

fn exit_of(code: Code) -> Exit {
    match code {
        Code::PermissionDenied => Exit::Denied,
        Code::Unauthenticated => Exit::LoginNeeded,
        Code::Unavailable | Code::DeadlineExceeded => Exit::Unreachable,
        Code::Cancelled => Exit::Interrupted,
        Code::Internal | Code::InvalidArgument | Code::NotFound | Code::ResourceExhausted => {
            Exit::Error
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
