//! Why a server could not be reached, or did not answer.
//!
//! Each says what happened in one sentence for a person; none repeats a header, a variable or a
//! payload.

use std::time::Duration;

use serde_json::value::RawValue;
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
    #[error("the server wants a login (HTTP {status})")]
    Unauthorized { status: u16, challenge: Option<String> },
    #[error("there is no credential for the server: {0}")]
    NoCredential(String),
    #[error("the server answered HTTP {status}")]
    Status { status: u16 },
    #[error("returned HTML: not an MCP endpoint")]
    Html,
    #[error("no answer within {} ms", .0.as_millis())]
    TimedOut(Duration),
    #[error("the server speaks protocol version {0}, which Toolgate does not")]
    UnsupportedVersion(String),
    #[error("the server broke the protocol: {0}")]
    Protocol(String),
    #[error("the server refused the handshake: {}", .0.message)]
    Refused(ErrorReply),
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
    #[error("the server wants a login (HTTP {status})")]
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
    /// Nothing was sent, and the server is not to blame.
    #[error("the request cannot be sent: {0}")]
    Unsendable(String),
}

impl RequestError {
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
                Self::Unauthorized { status, challenge }
            }
            RequestError::NoCredential(why) => Self::NoCredential(why),
            RequestError::Status { status } => Self::Status { status },
            RequestError::Html => Self::Html,
            RequestError::SessionLost => Self::Status { status: 404 },
            RequestError::Protocol(what) => Self::Protocol(what),
            RequestError::Unsendable(message) => Self::Setup { message, hint: None },
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
