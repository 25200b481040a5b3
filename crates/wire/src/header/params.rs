//! The arguments of one call that are mirrored into headers, and what each header says.
//!
//! It reads the values that annotations point at and nothing else of the arguments.

use std::borrow::Cow;

use serde_json::value::RawValue;
use thiserror::Error;

use super::annotation::{ParamHeader, ParamHeaders};
use crate::RawObject;
use crate::json::ExactDecimal;
use crate::object::text_of;

/// The largest whole number that every peer reads exactly.
const LARGEST_SAFE: i128 = (1 << 53) - 1;

/// An argument that no header can mirror.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParamError {
    #[error("the argument for `{header}` is no string, integer or boolean")]
    NotPrimitive { header: String },
    #[error("the argument for `{header}` is a number beyond what every reader holds exactly")]
    UnsafeInteger { header: String },
}

/// An argument as it is mirrored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MirroredArgument<'a> {
    Text(Cow<'a, str>),
    Integer(i128),
    Boolean(bool),
}

impl<'a> MirroredArgument<'a> {
    pub(super) fn rendered(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Integer(number) => Cow::Owned(number.to_string()),
            Self::Boolean(value) => Cow::Borrowed(if value { "true" } else { "false" }),
        }
    }

    /// Whether a decoded header says the same; numbers by value, as `42.0` is `42`.
    pub(super) fn is_said_by(&self, header: &str) -> bool {
        match self {
            Self::Text(text) => text == header,
            Self::Integer(number) => {
                ExactDecimal::parse(header).and_then(ExactDecimal::to_i128) == Some(*number)
            }
            Self::Boolean(value) => header == if *value { "true" } else { "false" },
        }
    }
}

impl ParamHeaders {
    /// Each annotated header with the argument it mirrors, if the call gives one.
    pub(super) fn mirrored<'s, 'a: 's>(
        &'s self,
        arguments: Option<&'a RawValue>,
    ) -> impl Iterator<Item = (&'s str, Option<Result<MirroredArgument<'a>, ParamError>>)> {
        self.headers.iter().map(move |header| {
            let value = arguments.and_then(|arguments| header.find(arguments));
            (header.name.as_str(), value.map(|value| header.mirror(value)))
        })
    }
}

impl ParamHeader {
    /// The value at the end of the path; `null` counts as none.
    fn find<'a>(&self, arguments: &'a RawValue) -> Option<&'a RawValue> {
        self.path
            .iter()
            .try_fold(arguments, |value, key| RawObject::parse(value).ok()?.get_some(key))
    }

    fn mirror<'a>(&self, value: &'a RawValue) -> Result<MirroredArgument<'a>, ParamError> {
        let header = || self.name.clone();
        match value.get() {
            "true" => return Ok(MirroredArgument::Boolean(true)),
            "false" => return Ok(MirroredArgument::Boolean(false)),
            _ => {}
        }
        if let Some(text) = text_of(value) {
            return Ok(MirroredArgument::Text(text));
        }
        let number = ExactDecimal::parse(value.get())
            .ok_or(ParamError::NotPrimitive { header: header() })?;
        match number.to_i128() {
            Some(number) if number.abs() <= LARGEST_SAFE => Ok(MirroredArgument::Integer(number)),
            Some(_) => Err(ParamError::UnsafeInteger { header: header() }),
            None => Err(ParamError::NotPrimitive { header: header() }),
        }
    }
}
