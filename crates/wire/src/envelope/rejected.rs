//! Why a message is refused, and how to answer it.
//!
//! A refusal keeps the id where it could be read, so that a request gets its error and a response
//! ends the wait of whoever asked. It holds nothing of the payload but the name of a key.

use thiserror::Error;

use crate::json::{JsonError, JsonScanner};
use crate::{ErrorCode, MessageId, MessageIdBuf, MessageLimits};

/// What a message is, or claims to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    Request,
    Notification,
    Response,
}

/// A message that is not read any further.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct RejectedMessage {
    pub reason: RejectReason,
    /// The id, if there was exactly one.
    pub id: Option<MessageIdBuf>,
    /// What it would have been, if that can be told.
    pub kind: Option<MessageKind>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RejectReason {
    #[error("the message is longer than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the message is not UTF-8")]
    NotUtf8,
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("a message is an object")]
    NotAnObject,
    #[error("batches exist in revision 2025-03-26 only")]
    Batch,
    #[error("a batch must not be empty")]
    EmptyBatch,
    #[error("more than {limit} messages in one batch")]
    BatchTooLong { limit: usize },
    #[error("`jsonrpc` must be \"2.0\"")]
    Version,
    #[error("`{key}` differs only in case from a member of JSON-RPC")]
    CaseVariant { key: String },
    #[error("the id of a request must not be null")]
    NullId,
    #[error("an id is a string or a number")]
    IdType,
    #[error("a result without an id answers nothing")]
    NoId,
    #[error("`method` must be a string")]
    MethodType,
    #[error("`params` must be an object")]
    ParamsType,
    #[error("`error` must be an object with a whole number as `code`")]
    ErrorType,
    #[error("the message has `result` and `error`, or one of them beside `method`")]
    Ambiguous,
    #[error("the message has neither `method` nor `result` nor `error`")]
    Nothing,
}

impl RejectReason {
    /// The code that answers a request refused for this.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotUtf8 | Self::Json(JsonError::Syntax { .. }) => ErrorCode::PARSE_ERROR,
            Self::ParamsType => ErrorCode::INVALID_PARAMS,
            _ => ErrorCode::INVALID_REQUEST,
        }
    }
}

impl From<RejectReason> for RejectedMessage {
    fn from(reason: RejectReason) -> Self {
        Self { reason, id: None, kind: None }
    }
}

/// The id of a response that was cut off, if it came before the cut. Only good for ending a wait
/// early: what the whole message said is not known. A message that is complete and refused has its
/// id in [`RejectedMessage`].
pub fn peek_id(head: &[u8]) -> Option<MessageIdBuf> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?,
    };
    let mut found = None;
    let mut is_clear = true;
    let mut scanner = JsonScanner::new(text, MessageLimits::DEFAULT.depth);
    // The cut itself is a fault, and everything before it has been seen by then.
    let _ = scanner.object(|scanner, key| {
        is_clear &= !key.is("method");
        let value = scanner.value()?;
        if key.is("id") {
            is_clear &= found.is_none();
            found = MessageId::from_raw(value).map(|id| id.to_buf());
        }
        Ok(())
    });
    found.filter(|_| is_clear)
}
