//! What an answer is, and the errors that all of them share.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use toolgate_wire::ErrorCode;

/// A result, or an error with its code.
pub(super) type OwnAnswer = Result<Box<RawValue>, (ErrorCode, String)>;

pub(super) fn absent(method: &str) -> (ErrorCode, String) {
    (ErrorCode::METHOD_NOT_FOUND, format!("`{method}` is not there"))
}

pub(super) fn parsed<T: DeserializeOwned>(
    params: Option<&RawValue>,
) -> Result<T, (ErrorCode, String)> {
    let params = params.and_then(|params| serde_json::from_str(params.get()).ok());
    params.ok_or_else(unreadable)
}

pub(super) fn unreadable() -> (ErrorCode, String) {
    (ErrorCode::INVALID_PARAMS, "the parameters cannot be read".to_owned())
}
