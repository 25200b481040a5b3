//! Why a server could not be reached, or did not answer.
//!
//! Each says what happened in one sentence for a person; none repeats a header, a variable or a
//! payload.

use std::time::Duration;

use serde_json::value::RawValue;
use toolgate_guard::Refusal;
use toolgate_store::StoreError;
use toolgate_types::{NEEDS_REGISTRATION, OFFERS_NO_LOGIN, UNUSABLE_LOGIN};
use toolgate_wire::ErrorCode;

use crate::HttpFailure;

/// Why there is no connection.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ConnectError {
    /// The entry cannot be used as it is, or the machine cannot start it.
    #[error("{message}")]
    Setup { message: String, hint: Option<&'static str> },
    /// A file that the entry names is not the one that a person accepted with it.
    #[error("`{0}` changed since its entry was accepted; see `toolgate trust`")]
    Changed(String),
    #[error("{reason}")]
    Ended { reason: String },
    #[error(transparent)]
    Http(#[from] HttpFailure),
    #[error("{}", wanted(*status, registration, *standing))]
    Unauthorized {
        status: u16,
        challenge: Option<String>,
        /// Why nobody can log in before a client was registered.
        registration: Option<String>,
        standing: TokenStanding,
    },
    /// It wants a credential, and publishes nothing about a login.
    #[error("the server {} (HTTP {status})", OFFERS_NO_LOGIN)]
    NoLogin { status: u16 },
    /// Its login cannot be used, or must not be.
    #[error("the server wants {UNUSABLE_LOGIN}: {why}", why = .0)]
    BadLogin(String),
    #[error("there is no credential for the server: {0}")]
    NoCredential(String),
    #[error("the server answered HTTP {status}")]
    Status { status: u16 },
    #[error("returned HTML: not an MCP endpoint")]
    Html,
    #[error("no answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// A local process did not get so far, and there is more to say about it.
    #[error("no answer within {} ms{}{}", .after.as_millis(), said(last_words), kept_back(withheld))]
    StartTimedOut {
        after: Duration,
        /// What it last wrote to its standard error.
        last_words: Option<String>,
        /// What it may need for the network and was not given.
        withheld: Vec<&'static str>,
    },
    #[error("the server speaks protocol version {0}, which Toolgate does not")]
    UnsupportedVersion(String),
    #[error("the server broke the protocol: {0}")]
    Protocol(String),
    #[error("the server refused the handshake: {}", .0.message)]
    Refused(ErrorReply),
}

impl ConnectError {
    /// Whether the server said something to the handshake, and not what was hoped for.
    pub(crate) fn is_an_answer(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::UnsupportedVersion(_) | Self::Protocol(_))
    }

    /// What kind of failure it is, in words of ours: for the log, which has the server's own words
    /// from elsewhere, masked.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Setup { .. } => "cannot be started as it is written",
            Self::Changed(_) => "a file changed since it was accepted",
            Self::Ended { .. } => "it ended",
            Self::Http(_) => "cannot be reached",
            Self::Unauthorized { .. } => "wants a login",
            Self::NoLogin { .. } => "wants a credential",
            Self::BadLogin(_) => "its login cannot be used",
            Self::NoCredential(_) => "there is no credential",
            Self::Status { .. } => "answered with an HTTP error",
            Self::Html => "answered with a web page",
            Self::TimedOut(_) | Self::StartTimedOut { .. } => "gave no answer in time",
            Self::UnsupportedVersion(_) => "speaks no version of ours",
            Self::Protocol(_) => "broke the protocol",
            Self::Refused(_) => "refused the handshake",
        }
    }
}

/// How it is with the token that a server did not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenStanding {
    /// It was shown none.
    Missing,
    /// It was shown one, which has expired or was never good.
    Refused,
}

impl TokenStanding {
    /// In the words that every surface has.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "there is no token for it",
            Self::Refused => "its token has expired or was refused",
        }
    }
}

fn wanted(status: u16, registration: &Option<String>, standing: TokenStanding) -> String {
    match registration {
        Some(why) => format!("the server wants a login, and {NEEDS_REGISTRATION}: {why}"),
        None => format!("the server wants a login (HTTP {status}): {}", standing.as_str()),
    }
}

fn said(last_words: &Option<String>) -> String {
    last_words.as_ref().map(|words| format!("; it last said: {words}")).unwrap_or_default()
}

fn kept_back(withheld: &[&str]) -> String {
    match withheld {
        [] => String::new(),
        names => {
            let names = names.join(", ");
            format!("; it was not given {names} (`inherit_env` and `env_vars` say what it gets)")
        }
    }
}

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RequestError {
    /// The server's own word.
    #[error("{}", .0.message)]
    Refused(ErrorReply),
    #[error("no answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    #[error("the connection ended: {0}")]
    Closed(String),
    #[error(transparent)]
    Http(#[from] HttpFailure),
    #[error("the server wants a login (HTTP {status}): {}", TokenStanding::Refused.as_str())]
    Unauthorized { status: u16, challenge: Option<String> },
    /// The entry's auth provider has none, and says why.
    #[error("there is no credential for the server: {0}")]
    NoCredential(String),
    /// The server's own word, inside an HTTP error.
    #[error("{} (HTTP {status})", .error.message)]
    Rejected { status: u16, error: ErrorReply },
    #[error("the server answered HTTP {status}")]
    Status { status: u16 },
    #[error("returned HTML: not an MCP endpoint")]
    Html,
    /// The server no longer knows the session; a new one may be opened.
    #[error("the server ended the session")]
    SessionLost,
    #[error("the server broke the protocol: {0}")]
    Protocol(String),
    /// It made a task for somebody who could not ask for it.
    #[error("the server answered with a task, and was not told that this caller takes any")]
    UntoldTask,
    /// Longer than `limits.message_bytes`, and why it could not be kept either.
    #[error("the answer is too large: {why}{}", .detail.as_ref().map(|more| format!(" ({more})")).unwrap_or_default())]
    TooLarge { why: String, detail: Option<String> },
    /// Nothing was sent, and the server is not to blame.
    #[error("the request cannot be sent: {0}")]
    Unsendable(String),
    /// It was ended, since its caller did not answer what the server asked.
    #[error("what the server asked was not answered, and others needed the server")]
    GaveWay,
    /// Nothing was sent: a person took their yes back in time.
    #[error(transparent)]
    Withheld(Refusal),
}

impl RequestError {
    /// An answer that nobody could make anything of, even if it were kept.
    pub fn too_large() -> Self {
        let why = "it has more bytes than `limits.message_bytes` allows".to_owned();
        Self::TooLarge { why, detail: None }
    }

    /// An answer that is too large to hold, and that could not be put aside.
    pub fn unkept(error: &StoreError) -> Self {
        let why = match error {
            StoreError::Full => "there is no room left on the disk to keep it",
            _ => "it could not be kept",
        };
        Self::TooLarge { why: why.to_owned(), detail: Some(error.to_string()) }
    }

    /// Whether the connection is of no further use.
    pub fn ends_connection(&self) -> bool {
        matches!(self, Self::Closed(_) | Self::SessionLost)
    }
}

impl From<RequestError> for ConnectError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Refused(error) | RequestError::Rejected { error, .. } => {
                Self::Refused(error)
            }
            RequestError::TimedOut(after) => Self::TimedOut(after),
            RequestError::Closed(reason) => Self::Ended { reason },
            RequestError::Http(failure) => Self::Http(failure),
            RequestError::Unauthorized { status, challenge } => {
                // Whoever opened the connection knows better.
                let standing = TokenStanding::Missing;
                Self::Unauthorized { status, challenge, registration: None, standing }
            }
            RequestError::NoCredential(why) => Self::NoCredential(why),
            RequestError::Status { status } => Self::Status { status },
            RequestError::Html => Self::Html,
            RequestError::SessionLost => Self::Status { status: 404 },
            RequestError::Protocol(what) => Self::Protocol(what),
            RequestError::TooLarge { .. } | RequestError::GaveWay | RequestError::UntoldTask => {
                Self::Protocol(error.to_string())
            }
            RequestError::Unsendable(message) => Self::Setup { message, hint: None },
            RequestError::Withheld(refusal) => {
                Self::Setup { message: refusal.to_string(), hint: None }
            }
        }
    }
}

/// An error that the server answered with.
#[derive(Debug, Clone)]
pub struct ErrorReply {
    pub code: ErrorCode,
    pub message: String,
    pub data: Option<Box<RawValue>>,
}
