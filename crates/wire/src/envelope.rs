//! JSON-RPC messages whose payloads stay raw.
//!
//! A message is read in one pass and borrows from its bytes; `params`, `result` and `data` keep
//! every byte. What the envelope itself carries beyond the members of JSON-RPC is tolerated and not
//! passed on: the next envelope is written anew. Methods and their parameters mean nothing here.

mod batch;
mod read;
mod rejected;
mod write;

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

pub use batch::IncomingMessages;
pub use rejected::{MessageKind, RejectReason, RejectedMessage, peek_id};
pub use write::{result_length, write_error, write_notification, write_request, write_result};

use crate::json::JsonError;
use crate::{ErrorCode, MessageId, MessageLimits, RawObject};

/// One message.
#[derive(Debug, Clone)]
pub enum Message<'a> {
    Request(Request<'a>),
    Notification(Notification<'a>),
    Response(Response<'a>),
}

#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub id: MessageId<'a>,
    pub method: Cow<'a, str>,
    /// `null` counts as left out.
    pub params: Option<RawObject<'a>>,
    /// Their `_meta`, where it is an object: read on the way, since every request of the newer era has one.
    pub meta: Option<Box<RawObject<'a>>>,
}

#[derive(Debug, Clone)]
pub struct Notification<'a> {
    pub method: Cow<'a, str>,
    pub params: Option<RawObject<'a>>,
}

#[derive(Debug, Clone)]
pub struct Response<'a> {
    /// Missing only where the other side could not read the id it answers, which is an error then.
    pub id: Option<MessageId<'a>>,
    pub outcome: ResponseOutcome<'a>,
}

/// What came back.
#[derive(Debug, Clone)]
pub enum ResponseOutcome<'a> {
    Result(ResultValue<'a>),
    Error(ErrorObject<'a>),
    /// A result that is JSON but must not be passed on as it is. A list can still be read from it
    /// item by item; for everything else it is an error of the server.
    Flawed {
        raw: &'a RawValue,
        flaw: JsonError,
    },
}

/// A result. The protocol wants an object; a server that answers `null` is understood too.
#[derive(Clone)]
pub enum ResultValue<'a> {
    Object(RawObject<'a>),
    Other(&'a RawValue),
}

impl<'a> ResultValue<'a> {
    pub fn raw(&self) -> &'a RawValue {
        match self {
            Self::Object(object) => object.raw(),
            Self::Other(raw) => raw,
        }
    }

    pub fn object(&self) -> Option<&RawObject<'a>> {
        match self {
            Self::Object(object) => Some(object),
            Self::Other(_) => None,
        }
    }
}

/// The `error` of a response.
#[derive(Clone)]
pub struct ErrorObject<'a> {
    pub code: ErrorCode,
    /// Empty if the peer sent none.
    pub message: Cow<'a, str>,
    pub data: Option<&'a RawValue>,
    /// The whole object, unknown members included.
    pub raw: &'a RawValue,
}

impl<'a> Message<'a> {
    /// Reads one message. A batch is refused: see [`IncomingMessages::parse`].
    pub fn parse(bytes: &'a [u8], limits: &MessageLimits) -> Result<Self, RejectedMessage> {
        read::message(bytes, limits)
    }

    pub fn kind(&self) -> MessageKind {
        match self {
            Self::Request(_) => MessageKind::Request,
            Self::Notification(_) => MessageKind::Notification,
            Self::Response(_) => MessageKind::Response,
        }
    }
}

/// Payloads may hold secrets, and what is debugged ends in logs: only sizes are shown.
impl fmt::Debug for ResultValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResultValue({} bytes)", self.raw().get().len())
    }
}

impl fmt::Debug for ErrorObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorObject({}, {} bytes)", self.code, self.raw.get().len())
    }
}

#[cfg(test)]
mod tests;
