//! Requests that are not carried out: why, and the message that says so. How a transport says it
//! besides is that transport's own.

use std::fmt::Display;

use serde_json::value::RawValue;
use toolgate_wire::{ErrorCode, MessageIdBuf, write_error};

use crate::client_abilities::CannotAsk;
use crate::place::NoPlace;
use crate::settings::CallerRefused;

/// What is wrong with a request, or with its coming now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// The message itself is wrong.
    BadRequest,
    /// No token was shown.
    Unauthorized,
    /// One was, and does not count.
    InvalidToken,
    /// It counts, and lacks a scope.
    InsufficientScope,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    /// The other side takes no answer that there could be.
    NotAcceptable,
    TooLarge,
    UnsupportedMedia,
    TooSlow,
    /// Another time it may well be carried out.
    Unavailable,
}

/// Why a request is refused before anything is done for it.
#[derive(Debug)]
pub(crate) struct RequestRefusal {
    pub(crate) kind: RefusalKind,
    code: ErrorCode,
    message: String,
    id: Option<MessageIdBuf>,
    data: Option<Box<RawValue>>,
}

impl RequestRefusal {
    pub(crate) fn new(kind: RefusalKind, code: ErrorCode, message: impl Display) -> Self {
        Self { kind, code, message: message.to_string(), id: None, data: None }
    }

    /// The message itself is wrong.
    pub(crate) fn bad_request(code: ErrorCode, message: impl Display) -> Self {
        Self::new(RefusalKind::BadRequest, code, message)
    }

    /// The answer to this request.
    pub(crate) fn to(self, id: Option<MessageIdBuf>) -> Self {
        Self { id, ..self }
    }

    pub(crate) fn with_data(self, data: Option<Box<RawValue>>) -> Self {
        Self { data, ..self }
    }

    /// It wants what its client did not say it can do.
    pub(crate) fn lacking(lacking: CannotAsk) -> Self {
        let why = "this needs something that this client did not say it can do";
        let code = ErrorCode::MISSING_CLIENT_CAPABILITY;
        Self::bad_request(code, why).with_data(lacking.required())
    }

    pub(crate) fn not_found() -> Self {
        Self::new(RefusalKind::NotFound, ErrorCode::INVALID_REQUEST, "there is nothing here")
    }

    pub(crate) fn forbidden(why: &str) -> Self {
        Self::new(RefusalKind::Forbidden, ErrorCode::INVALID_REQUEST, why)
    }

    pub(crate) fn unavailable(why: &str) -> Self {
        Self::new(RefusalKind::Unavailable, ErrorCode::INTERNAL_ERROR, why)
    }

    pub(crate) fn draining() -> Self {
        Self::unavailable("this gateway is about to end")
    }

    /// There is no room for this connection among those of its kind.
    pub(crate) fn too_many() -> Self {
        Self::unavailable("too many connections are open")
    }

    /// A connection that has not shown a token in time.
    pub(crate) fn too_slow() -> Self {
        let why = "no request with a token came in time";
        Self::new(RefusalKind::TooSlow, ErrorCode::INVALID_REQUEST, why)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let why = "only POST, GET and DELETE mean something here";
        Self::new(RefusalKind::MethodNotAllowed, ErrorCode::INVALID_REQUEST, why)
    }

    /// A session that does not exist, or not for this caller: one cannot tell which.
    pub(crate) fn no_session() -> Self {
        let why = "there is no such session; begin a new one with `initialize`";
        Self::new(RefusalKind::NotFound, ErrorCode::INVALID_REQUEST, why)
    }

    /// As a message.
    pub(crate) fn written(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.message.len() + 80);
        let id = self.id.as_ref().map(MessageIdBuf::as_id);
        write_error(&mut bytes, id, self.code, &self.message, self.data.as_deref());
        bytes
    }
}

impl From<CallerRefused> for RequestRefusal {
    fn from(refused: CallerRefused) -> Self {
        let kind = match refused {
            CallerRefused::Missing => RefusalKind::Unauthorized,
            CallerRefused::Unknown => RefusalKind::InvalidToken,
            CallerRefused::Scope => RefusalKind::InsufficientScope,
            CallerRefused::Unchecked => return Self::unavailable(&refused.to_string()),
        };
        Self::new(kind, ErrorCode::INVALID_REQUEST, refused)
    }
}

impl From<NoPlace> for RequestRefusal {
    fn from(none: NoPlace) -> Self {
        match none {
            NoPlace::NotThere => Self::not_found(),
            NoPlace::Unavailable(why) => Self::unavailable(&why),
        }
    }
}
