//! Why a server did not do what was asked of it, and what that is in the words of every surface.

use std::time::Duration;

use toolgate_types::{
    Code, NEEDS_REGISTRATION, NO_TOKEN_GIVEN, OFFERS_NO_LOGIN, PendingReason, ServerAnswer,
    UNUSABLE_LOGIN, visible,
};
use toolgate_wire::ErrorCode;

use crate::{CommandError, ConnectError, ErrorReply, PoolFull, RequestError, TokenStanding};

/// A server that is not there, or that did not answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UpstreamError {
    #[error("it is disabled")]
    Disabled,
    #[error("it waits for a person's trust: {0}")]
    Pending(PendingReason),
    /// It failed before; nothing was tried.
    #[error("{last_error} (the next try is in {} s)", .retry_in.as_secs_f64().ceil())]
    Waiting {
        retry_in: Duration,
        last_error: String,
        /// What it wants is a login.
        wants_login: bool,
    },
    #[error(transparent)]
    Connect(ConnectError),
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Too much runs already; nothing was tried.
    #[error(transparent)]
    Full(#[from] PoolFull),
    #[error("it was closed")]
    Closed,
    /// A command tool that did not run, or was ended.
    #[error(transparent)]
    Command(#[from] CommandError),
}

impl UpstreamError {
    pub fn code(&self) -> Code {
        match self {
            Self::Waiting { wants_login: true, .. } => Code::Unauthenticated,
            Self::Disabled | Self::Pending(_) | Self::Waiting { .. } | Self::Closed => {
                Code::Unavailable
            }
            Self::Full(_) => Code::ResourceExhausted,
            Self::Command(error) => error.code(),
            Self::Connect(ConnectError::Unauthorized { .. })
            | Self::Connect(ConnectError::NoCredential(_))
            | Self::Connect(ConnectError::NoLogin { .. })
            | Self::Connect(ConnectError::BadLogin(_))
            | Self::Request(RequestError::Unauthorized { .. })
            | Self::Request(RequestError::NoCredential(_)) => Code::Unauthenticated,
            Self::Connect(_) => Code::Unavailable,
            Self::Request(error) => match error {
                RequestError::TimedOut(_) | RequestError::GaveWay => Code::DeadlineExceeded,
                RequestError::Refused(error) | RequestError::Rejected { error, .. } => {
                    code_of(error.code)
                }
                RequestError::Unsendable(_) => Code::InvalidArgument,
                RequestError::Status { status: 403 } | RequestError::Withheld(_) => {
                    Code::PermissionDenied
                }
                RequestError::Status { status: 429 } | RequestError::TooLarge { .. } => {
                    Code::ResourceExhausted
                }
                RequestError::Status { .. }
                | RequestError::Closed(_)
                | RequestError::Http(_)
                | RequestError::SessionLost => Code::Unavailable,
                _ => Code::Internal,
            },
        }
    }

    /// What a caller may be told: no path, no address, nothing of how the server is reached. It has
    /// all of the server's own words, to be masked first and cut then: half a secret is not known.
    pub fn told(&self, server: &str) -> String {
        match self {
            Self::Waiting { retry_in, wants_login: false, .. } => {
                let seconds = retry_in.as_secs_f64().ceil();
                format!("the server `{server}` failed; it is tried again in {seconds} s")
            }
            Self::Connect(ConnectError::NoLogin { .. }) => {
                format!("the server `{server}` {OFFERS_NO_LOGIN}")
            }
            Self::Waiting { last_error, .. } if last_error.contains(OFFERS_NO_LOGIN) => {
                format!("the server `{server}` {OFFERS_NO_LOGIN}")
            }
            Self::Connect(ConnectError::Unauthorized { registration: Some(_), .. }) => {
                wants_login(server, NEEDS_REGISTRATION)
            }
            Self::Connect(ConnectError::Unauthorized { standing, .. }) => {
                wants_login(server, standing.as_str())
            }
            Self::Request(RequestError::Unauthorized { .. }) => {
                wants_login(server, TokenStanding::Refused.as_str())
            }
            Self::Waiting { last_error, .. } if last_error.contains(UNUSABLE_LOGIN) => {
                format!("the server `{server}` wants {UNUSABLE_LOGIN}")
            }
            Self::Waiting { last_error, wants_login: true, .. } => {
                let known = [NEEDS_REGISTRATION, TokenStanding::Missing.as_str()];
                let known = known.into_iter().find(|words| last_error.contains(words));
                wants_login(server, known.unwrap_or(TokenStanding::Refused.as_str()))
            }
            Self::Connect(ConnectError::BadLogin(_)) => {
                format!("the server `{server}` wants {UNUSABLE_LOGIN}")
            }
            Self::Connect(ConnectError::NoCredential(_))
            | Self::Request(RequestError::NoCredential(_)) => {
                format!("the server `{server}` wants a token, and {NO_TOKEN_GIVEN}")
            }
            Self::Command(error) => error.told(),
            Self::Full(full) => format!("the server `{server}` cannot be started now: {full}"),
            Self::Request(error) => match error {
                RequestError::Refused(error) | RequestError::Rejected { error, .. } => {
                    format!("the server `{server}` refused: {}", visible(&error.message))
                }
                RequestError::TimedOut(after) => {
                    let millis = after.as_millis();
                    format!("the server `{server}` gave no answer within {millis} ms")
                }
                RequestError::GaveWay => {
                    format!("the question of the server `{server}` was not answered in time")
                }
                // Says which part of what the caller sent cannot go to a server.
                RequestError::Unsendable(why) => why.clone(),
                RequestError::TooLarge { why, .. } => {
                    format!("the answer of the server `{server}` is too large: {why}")
                }
                RequestError::Withheld(refusal) => refusal.to_string(),
                RequestError::UntoldTask => format!(
                    "the server `{server}` answered with a task, and was not told that this caller \
                     takes any"
                ),
                RequestError::Protocol(_) | RequestError::Html => {
                    format!("the server `{server}` gave an answer that cannot be used")
                }
                _ => self.by_code(server),
            },
            _ => self.by_code(server),
        }
    }

    fn by_code(&self, server: &str) -> String {
        match self.code() {
            Code::Unauthenticated => format!("the server `{server}` wants a login"),
            Code::PermissionDenied => format!("the server `{server}` does not permit this"),
            Code::ResourceExhausted => format!("the server `{server}` has too much to do"),
            Code::Internal => format!("the server `{server}` could not be used"),
            _ => format!("the server `{server}` is not available"),
        }
    }

    /// Whether it would do what was asked once somebody has logged in, which somebody can.
    pub fn is_for_want_of_login(&self) -> bool {
        match self {
            Self::Connect(ConnectError::Unauthorized { registration, .. }) => {
                registration.is_none()
            }
            Self::Request(RequestError::Unauthorized { .. }) => true,
            Self::Waiting { last_error, wants_login: true, .. } => {
                let hopeless =
                    [OFFERS_NO_LOGIN, NEEDS_REGISTRATION, NO_TOKEN_GIVEN, UNUSABLE_LOGIN];
                !hopeless.iter().any(|words| last_error.contains(words))
            }
            _ => false,
        }
    }

    /// What a command had printed until it was ended.
    pub fn partial(&self) -> Option<&str> {
        match self {
            Self::Command(error) => error.partial(),
            _ => None,
        }
    }

    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Waiting { retry_in, .. } => Some(*retry_in),
            _ => None,
        }
    }

    /// The server's own error, where it answered with one.
    pub fn answer(&self) -> Option<ServerAnswer> {
        match self {
            Self::Request(
                RequestError::Refused(ErrorReply { code, message, data })
                | RequestError::Rejected { error: ErrorReply { code, message, data }, .. },
            ) => {
                let (message, data) = (message.clone(), data.clone());
                Some(ServerAnswer { code: code.0, message, data })
            }
            _ => None,
        }
    }
}

fn wants_login(server: &str, why: &str) -> String {
    format!("the server `{server}` wants a login: {why}")
}

/// Whether the server answered, and its answer was no.
pub(crate) fn is_refusal(error: &RequestError) -> bool {
    matches!(error, RequestError::Refused(_) | RequestError::Rejected { .. })
}

fn code_of(code: ErrorCode) -> Code {
    match code {
        ErrorCode::INVALID_PARAMS => Code::InvalidArgument,
        ErrorCode::METHOD_NOT_FOUND | ErrorCode::RESOURCE_NOT_FOUND => Code::NotFound,
        _ => Code::Internal,
    }
}
