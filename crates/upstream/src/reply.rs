//! What a server answered to one request, owned and out of its envelope.

use serde_json::value::RawValue;
use toolgate_wire::{Outcome, Response};

use crate::failure::{ErrorReply, RequestError};

/// An answer.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(ErrorReply),
    /// JSON that must not be passed on as it is, with the reason; a list can still be read.
    Flawed {
        raw: Box<RawValue>,
        reason: String,
    },
}

impl Reply {
    pub(crate) fn of(response: &Response<'_>) -> Self {
        match &response.outcome {
            Outcome::Result(value) => Self::Result(value.raw().to_owned()),
            Outcome::Error(error) => Self::Error(ErrorReply {
                code: error.code,
                message: error.message.clone().into_owned(),
                data: error.data.map(ToOwned::to_owned),
            }),
            Outcome::Flawed { raw, flaw } => {
                Self::Flawed { raw: (*raw).to_owned(), reason: flaw.to_string() }
            }
        }
    }

    pub(crate) fn into_result(self) -> Result<Box<RawValue>, RequestError> {
        match self {
            Self::Result(raw) => Ok(raw),
            Self::Error(error) => Err(RequestError::Refused(error)),
            Self::Flawed { reason, .. } => Err(RequestError::Protocol(reason)),
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
