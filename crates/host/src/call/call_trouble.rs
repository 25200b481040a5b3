//! What goes wrong on the way of a call, and what the caller is told of it.

use std::time::Duration;

use toolgate_audit::Unrecorded;
use toolgate_guard::Refusal;
use toolgate_types::{CallError, Code, CorrelationId, ServerId, visible};
use toolgate_upstream::UpstreamError;

use super::speak_for_server::answer_of;

/// Why there is no outcome.
#[derive(Debug)]
pub(crate) enum CallTrouble {
    /// Absent or hidden: the caller cannot tell which.
    NotFound(String),
    Arguments(String),
    /// What a caller came back with is not what it was given.
    State(String),
    Refused(Refusal),
    /// It was to be written down first, and could not be.
    Unrecorded(Unrecorded),
    Cancelled,
    /// The caller waits no longer.
    Deadline(Duration),
    /// The same, with what a command had printed by then.
    CommandDeadline(Duration, Option<String>),
    Upstream {
        server: ServerId,
        error: UpstreamError,
    },
    /// The server asked for something again and again.
    TooManyRounds(ServerId),
    /// The server asked for a model's answer, and may not.
    MayNotSample(ServerId),
    /// What a server gave is not what it promised, and its entry is strict about that.
    BrokenPromise(ServerId, String),
    /// The tool runs as a task of the older revision and not otherwise.
    OlderTaskOnly(ServerId),
    /// Something that a server gave could not be put into other words.
    Unreadable,
    /// A person would have to be asked, and has too much to answer already.
    TooManyWaiting,
    /// It was parked by another run of this program.
    OutcomeUnknown,
    /// Too many calls wait for their callers.
    TooManyParked,
    /// What was done for this call failed under a record of its own.
    Inner(Box<CallError>),
    /// Somebody else found out that nothing can come of it.
    Unmade(Code, String),
}

impl From<Refusal> for CallTrouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Unrecorded> for CallTrouble {
    fn from(error: Unrecorded) -> Self {
        Self::Unrecorded(error)
    }
}

impl CallTrouble {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::NotFound(_) => Code::NotFound,
            Self::Arguments(_) | Self::State(_) => Code::InvalidArgument,
            Self::Refused(_) | Self::MayNotSample(_) => Code::PermissionDenied,
            Self::Unrecorded(_) => Code::Unavailable,
            Self::Cancelled => Code::Cancelled,
            Self::Deadline(_) | Self::CommandDeadline(..) => Code::DeadlineExceeded,
            Self::Upstream { error, .. } => error.code(),
            Self::TooManyRounds(_) => Code::ResourceExhausted,
            Self::Unreadable | Self::BrokenPromise(..) => Code::Internal,
            Self::OutcomeUnknown | Self::OlderTaskOnly(_) => Code::Unavailable,
            Self::TooManyWaiting | Self::TooManyParked => Code::ResourceExhausted,
            Self::Inner(error) => error.code,
            Self::Unmade(code, _) => *code,
        }
    }

    pub(crate) fn into_error(self, correlation: CorrelationId) -> CallError {
        let code = self.code();
        if let Self::Inner(error) = self {
            return *error;
        }
        let message = match &self {
            Self::NotFound(name) => format!("there is no `{}`", short(name)),
            Self::Arguments(why) => format!("invalid arguments: {why}"),
            Self::State(why) => why.clone(),
            Self::Refused(refusal) => refusal.to_string(),
            Self::Unrecorded(_) => "the call could not be recorded, so it was not made".to_owned(),
            Self::Cancelled => "the call was cancelled".to_owned(),
            Self::Deadline(after) | Self::CommandDeadline(after, _) => {
                format!("no answer within {} ms", after.as_millis())
            }
            Self::Upstream { server, error } => error.told(server.as_str()),
            Self::TooManyRounds(server) => format!("the server `{server}` does not stop asking"),
            Self::MayNotSample(server) => {
                format!(
                    "the server `{server}` may not ask a model; its entry does not say `sampling`"
                )
            }
            Self::BrokenPromise(server, why) => format!(
                "the server `{server}` did not keep to the `outputSchema` of its tool: {why}"
            ),
            Self::OlderTaskOnly(server) => format!(
                "the server `{server}` runs this tool only as a task of the protocol's revision \
                 2025-11-25, which Toolgate does not carry; it was not called"
            ),
            Self::TooManyWaiting => "too many calls wait for the user already".to_owned(),
            Self::TooManyParked => "too many calls wait for the answers of their callers \
                                    already, so this one was cancelled"
                .to_owned(),
            Self::OutcomeUnknown => "the outcome of this call is not known: it waited for an \
                                     answer, and what it waited in is gone; it was not made a \
                                     second time"
                .to_owned(),
            Self::Unreadable => "what the server gave cannot be used".to_owned(),
            Self::Inner(error) => error.message.clone(),
            Self::Unmade(_, why) => why.clone(),
        };
        let partial = match &self {
            Self::CommandDeadline(_, partial) => partial.as_deref().map(Box::from),
            Self::Upstream { error, .. } => error.partial().map(Box::from),
            _ => None,
        };
        let word = match &self {
            Self::Refused(refusal) => Some(refusal.word()),
            Self::State(_) => Some(CallError::STATE),
            _ => None,
        };
        let (server, upstream, unrecorded) = match self {
            Self::Upstream { server, error } => (Some(server), Some(error), None),
            Self::Unrecorded(error) => (None, None, Some(error.to_string())),
            Self::Refused(refusal) => (None, None, refusal.reason().map(ToString::to_string)),
            _ => (None, None, None),
        };
        let reason = word;
        let wants_login = match (&server, &upstream) {
            (Some(server), Some(error)) if error.is_for_want_of_login() => Some(server.clone()),
            _ => None,
        };
        let retry_after = upstream.as_ref().and_then(UpstreamError::retry_after);
        let answer = upstream.as_ref().and_then(UpstreamError::answer);
        let answer = match &server {
            Some(server) => answer.map(|answer| Box::new(answer_of(server, answer))),
            None => None,
        };
        let detail = upstream.map(|error| error.to_string()).or(unrecorded);
        CallError {
            code,
            message,
            correlation,
            reason,
            retry_after,
            wants_login,
            detail,
            answer,
            partial,
        }
    }
}

/// A name as somebody typed it, without anything hidden and not too long to read.
fn short(name: &str) -> String {
    visible(&name.chars().take(100).collect::<String>())
}
