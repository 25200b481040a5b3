//! What a server answered to one request, owned and out of its envelope.

use serde_json::value::RawValue;
use toolgate_wire::{Response, ResponseOutcome};

use crate::failure::{ErrorReply, RequestError};
use crate::spilled_answer::SpilledAnswer;

/// An answer.
#[derive(Debug)]
pub(crate) enum ServerReply {
    Result(Box<RawValue>),
    Error(ErrorReply),
    /// JSON that must not be passed on as it is, with the reason; a list can still be read.
    Flawed {
        raw: Box<RawValue>,
        reason: String,
    },
    /// Too long to hold: what is held of it, and where it is.
    Spilled {
        raw: Option<Box<RawValue>>,
        spilled: SpilledAnswer,
    },
}

impl ServerReply {
    pub(crate) fn of(response: &Response<'_>) -> Self {
        match &response.outcome {
            ResponseOutcome::Result(value) => Self::Result(value.raw().to_owned()),
            ResponseOutcome::Error(error) => Self::Error(ErrorReply {
                code: error.code,
                message: error.message.clone().into_owned(),
                data: error.data.map(ToOwned::to_owned),
            }),
            ResponseOutcome::Flawed { raw, flaw } => {
                Self::Flawed { raw: (*raw).to_owned(), reason: flaw.to_string() }
            }
        }
    }

    pub(crate) fn into_result(self) -> Result<Box<RawValue>, RequestError> {
        match self {
            Self::Result(raw) => Ok(raw),
            Self::Error(error) => Err(RequestError::Refused(error)),
            Self::Flawed { reason, .. } => Err(RequestError::Protocol(reason)),
            Self::Spilled { .. } => Err(RequestError::too_large()),
        }
    }

    /// The raw result even where it is flawed, for readers that go item by item.
    pub(crate) fn into_list(self) -> Result<Box<RawValue>, RequestError> {
        match self {
            Self::Flawed { raw, .. } => Ok(raw),
            other => other.into_result(),
        }
    }
}
