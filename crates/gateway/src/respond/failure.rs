//! Errors on the wire.
//!
//! | code | call of a tool | anything else |
//! |---|---|---|
//! | `not_found` | -32602 | -32602; of a resource -32002 in the older era |
//! | `invalid_argument` | a result that says so | -32602 |
//! | `permission_denied`, `unauthenticated`, `unavailable`, `deadline_exceeded`, `resource_exhausted` | a result that says so | -32603 |
//! | `cancelled`, `internal` | -32603; a result where a command had printed something | -32603 |
//!
//! What a model can act upon is a result, so that it reads it. What the server itself answered goes
//! on as it is, but for codes that would mean something else to the client.

#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_types::{CallError, Code, Era};
use toolgate_wire::{ErrorCode, MessageIdBuf, write_error, write_result};

use super::own_words::SERVER_INFO;
use super::result::RESULT_TYPE;
use crate::client_abilities::CannotAsk;
use crate::request::Unanswerable;
use crate::work::RequestReply;

/// What a request was about, as far as errors differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureSubject {
    Tool,
    Resource,
    Other,
}

#[derive(Serialize)]
struct ErrorData<'a> {
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(rename = "correlationId")]
    correlation: &'a str,
    #[serde(rename = "retryAfterMs", skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// The answer to a request that has no outcome.
pub(crate) fn failure(
    id: &MessageIdBuf,
    error: &CallError,
    about: FailureSubject,
    era: Era,
) -> RequestReply {
    let bytes = written(id, error, about, era);
    let answered = error.answer.as_ref().map(|answer| passed_on(answer.code, about, era));
    RequestReply { message: bytes.into(), refused: answered.filter(|code| code.is_modern()) }
}

fn written(id: &MessageIdBuf, error: &CallError, about: FailureSubject, era: Era) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    if let Some(answer) = &error.answer {
        let data = answer.data.as_deref();
        let code = passed_on(answer.code, about, era);
        write_error(&mut out, Some(id.as_id()), code, &answer.message, data);
        return out;
    }
    let says_something = error.code == Code::Internal && error.partial.is_some();
    let is_for_the_model = is_for_the_model(error.code) && error.reason != Some(CallError::STATE);
    if about == FailureSubject::Tool && (is_for_the_model || says_something) {
        // Texts and numbers: nothing here can fail to be written.
        if let Ok(result) = to_raw_value(&ToolFailure::of(error, era)) {
            write_result(&mut out, id.as_id(), &*result);
            return out;
        }
    }
    let retry_after = error.retry_after.and_then(|after| u64::try_from(after.as_millis()).ok());
    let correlation = error.correlation.as_str();
    let (word, reason) = (error.code.as_str(), error.reason);
    let data = ErrorData { code: word, reason, correlation, retry_after };
    let data = to_raw_value(&data).ok();
    let code = code(error.code, about, era);
    write_error(&mut out, Some(id.as_id()), code, &error.message, data.as_deref());
    out
}

/// A server's own code, as it means the same to this client.
fn passed_on(code: i64, about: FailureSubject, era: Era) -> ErrorCode {
    match (ErrorCode(code), about, era) {
        // About what was said to the server here, and not about what the client said.
        (ErrorCode::HEADER_MISMATCH | ErrorCode::UNSUPPORTED_VERSION, ..) => {
            ErrorCode::INTERNAL_ERROR
        }
        (ErrorCode::RESOURCE_NOT_FOUND, FailureSubject::Resource, Era::Modern) => {
            ErrorCode::INVALID_PARAMS
        }
        (code, ..) => code,
    }
}

fn is_for_the_model(code: Code) -> bool {
    match code {
        Code::InvalidArgument
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::Unavailable
        | Code::DeadlineExceeded
        | Code::ResourceExhausted => true,
        Code::NotFound | Code::Cancelled | Code::Internal => false,
    }
}

fn code(code: Code, about: FailureSubject, era: Era) -> ErrorCode {
    match (code, about, era) {
        (Code::NotFound, FailureSubject::Resource, Era::Legacy) => ErrorCode::RESOURCE_NOT_FOUND,
        (Code::NotFound | Code::InvalidArgument, ..) => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    }
}

#[derive(Serialize)]
struct TextBlock {
    r#type: &'static str,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolFailure<'a> {
    content: Vec<TextBlock>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(rename = "_meta")]
    meta: ToolFailureMeta<'a>,
}

#[derive(Serialize)]
struct ToolFailureMeta<'a> {
    #[serde(rename = "toolgate/code")]
    code: &'a str,
    #[serde(rename = "toolgate/reason", skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(rename = "toolgate/correlationId")]
    correlation: &'a str,
    #[serde(
        rename = "io.modelcontextprotocol/serverInfo",
        skip_serializing_if = "Option::is_none"
    )]
    server_info: Option<&'a RawValue>,
}

impl<'a> ToolFailure<'a> {
    fn of(error: &'a CallError, era: Era) -> Self {
        let meta = ToolFailureMeta {
            code: error.code.as_str(),
            reason: error.reason,
            correlation: error.correlation.as_str(),
            server_info: (era == Era::Modern).then_some(&SERVER_INFO),
        };
        let text = |text| TextBlock { r#type: "text", text };
        let mut content = vec![text(error.to_string())];
        content.extend(error.partial.clone().map(|printed| text(printed.into())));
        let result_type = (era == Era::Modern).then_some(RESULT_TYPE);
        Self { content, is_error: true, result_type, meta }
    }
}

/// The answer to a request whose server asks what the client did not say it can be asked.
pub(crate) fn missing(id: &MessageIdBuf, lacking: CannotAsk) -> RequestReply {
    let why = "the server asks for something that this client did not say it can do";
    let Some(required) = lacking.required() else {
        return refusal(id, ErrorCode::INTERNAL_ERROR, why).into();
    };
    let code = ErrorCode::MISSING_CLIENT_CAPABILITY;
    let mut bytes = Vec::with_capacity(192);
    write_error(&mut bytes, Some(id.as_id()), code, why, Some(&*required));
    RequestReply { message: bytes.into(), refused: Some(code) }
}

/// The answer to a request that could not be read.
pub(crate) fn unanswerable(id: &MessageIdBuf, error: &Unanswerable) -> Vec<u8> {
    refusal(id, error.code, &error.message)
}

pub(crate) fn refusal(id: &MessageIdBuf, code: ErrorCode, message: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    write_error::<RawValue>(&mut out, Some(id.as_id()), code, message, None);
    out
}
