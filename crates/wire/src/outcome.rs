//! What kind of result a result is, without touching what it holds.
//!
//! Only the members that steer the exchange are read: `resultType`, `isError` and what goes with a
//! request for input. Content, structured or not, is nobody's business here.

use std::borrow::Cow;

use serde_json::value::RawValue;
use thiserror::Error;

use crate::object::text_of;
use crate::{RawObject, ResultValue};

pub const RESULT_TYPE: &str = "resultType";
pub const COMPLETE: &str = "complete";
pub const INPUT_REQUIRED: &str = "input_required";
pub const INPUT_REQUESTS: &str = "inputRequests";
pub const INPUT_RESPONSES: &str = "inputResponses";
pub const REQUEST_STATE: &str = "requestState";
pub const IS_ERROR: &str = "isError";

/// How an exchange goes on after a result.
#[derive(Debug, Clone)]
pub enum ResultKind<'a> {
    /// It is over. Servers of older revisions do not say so, and mean it.
    Complete {
        /// A tool's own failure, which is an outcome and no error of the protocol.
        is_error: bool,
    },
    /// The same request again, with answers. At least one of the two is there.
    InputRequired { requests: Option<RawObject<'a>>, state: Option<&'a RawValue> },
    /// A kind that an extension may know. Whoever does not know it must take it for invalid.
    Other(Cow<'a, str>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ResultError {
    #[error("`resultType` must be a string")]
    TypeOfType,
    #[error("`inputRequests` must be an object")]
    Requests,
    #[error("`requestState` must be a string")]
    State,
    #[error("input is required, but neither `inputRequests` nor `requestState` is there")]
    NothingAsked,
}

impl<'a> ResultKind<'a> {
    pub fn of(result: &ResultValue<'a>) -> Result<Self, ResultError> {
        match result.object() {
            Some(object) => Self::of_object(object),
            None => Ok(Self::Complete { is_error: false }),
        }
    }

    pub fn of_object(object: &RawObject<'a>) -> Result<Self, ResultError> {
        let kind = match object.get_some(RESULT_TYPE) {
            None => Cow::Borrowed(COMPLETE),
            Some(raw) => text_of(raw).ok_or(ResultError::TypeOfType)?,
        };
        match &*kind {
            COMPLETE => {
                let is_error = object.get(IS_ERROR).is_some_and(|raw| raw.get() == "true");
                Ok(Self::Complete { is_error })
            }
            INPUT_REQUIRED => input_required(object),
            _ => Ok(Self::Other(kind)),
        }
    }
}

/// How most results of the newer era begin.
const BEGINS_COMPLETE: &str = r#"{"resultType":"complete""#;

/// What a quick look at the text of a result tells of it. Nearly every result needs no other.
#[derive(Debug, Clone, Copy)]
pub struct ResultGlance<'a>(&'a RawValue);

impl<'a> ResultGlance<'a> {
    /// At a result that was read without fault: no member of it is there twice.
    pub fn at(result: &'a RawValue) -> Self {
        Self(result)
    }

    /// It begins by saying that it is complete.
    pub fn begins_complete(self) -> bool {
        self.0.get().starts_with(BEGINS_COMPLETE)
    }

    /// It is complete, or does not say what it is. Wrong only by saying no.
    pub fn is_complete(self) -> bool {
        self.begins_complete() || !RawObject::may_have(self.0, RESULT_TYPE)
    }

    /// It may be a tool's own failure. Wrong only by saying yes.
    pub fn may_be_error(self) -> bool {
        // Many say that they are none. There is one spelling of what would say that they are.
        RawObject::may_have(self.0, IS_ERROR) && self.0.get().contains("true")
    }
}

fn input_required<'a>(object: &RawObject<'a>) -> Result<ResultKind<'a>, ResultError> {
    let requests = match object.get_some(INPUT_REQUESTS) {
        None => None,
        Some(raw) => Some(RawObject::parse(raw).map_err(|_| ResultError::Requests)?),
    };
    let state = object.get_some(REQUEST_STATE);
    if state.is_some_and(|state| !state.get().starts_with('"')) {
        return Err(ResultError::State);
    }
    if requests.is_none() && state.is_none() {
        return Err(ResultError::NothingAsked);
    }
    Ok(ResultKind::InputRequired { requests, state })
}

#[cfg(test)]
mod tests;
