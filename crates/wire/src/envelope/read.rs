//! Reading one message: members are gathered in any order, then judged together.
//!
//! The pass that checks the JSON also remembers where the members of `params` and `result` stand,
//! so that routing looks nothing up twice.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    ErrorObject, Message, MessageKind, Notification, RejectReason, RejectedMessage, Request,
    Response, ResponseOutcome, ResultValue,
};
use crate::json::{ExactDecimal, JsonScanner, RawStr, ScanFault};
use crate::meta::META;
use crate::object::{is_case_variant, text_of};
use crate::{ErrorCode, MessageId, MessageLimits, RawObject};

const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

pub(super) fn message<'a>(
    bytes: &'a [u8],
    limits: &MessageLimits,
) -> Result<Message<'a>, RejectedMessage> {
    message_in(scanner(bytes, limits)?)
}

pub(super) fn scanner<'a>(
    bytes: &'a [u8],
    limits: &MessageLimits,
) -> Result<JsonScanner<'a>, RejectReason> {
    // The scanner keeps places as `u32`, whatever the caller allows.
    let limit = limits.bytes.min(u32::MAX as usize);
    if bytes.len() > limit {
        return Err(RejectReason::TooLarge { limit });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| RejectReason::NotUtf8)?;
    Ok(JsonScanner::new(text, limits.depth))
}

pub(super) fn message_in(mut scanner: JsonScanner<'_>) -> Result<Message<'_>, RejectedMessage> {
    let text = scanner.text();
    let is_batch = scanner.peek() == Some(b'[');
    let read = one(&mut scanner).and_then(|message| scanner.end().map(|()| message));
    match read {
        Err(fault) => Err(RejectReason::Json(fault.explain(text)).into()),
        Ok(_) if is_batch => Err(RejectReason::Batch.into()),
        Ok(message) => message,
    }
}

/// One message where the scanner stands. The outer error is for text that cannot be read on.
pub(super) fn one<'a>(
    scanner: &mut JsonScanner<'a>,
) -> Result<Result<Message<'a>, RejectedMessage>, ScanFault> {
    let text = scanner.text();
    if scanner.peek() != Some(b'{') {
        return Ok(match scanner.tolerate(JsonScanner::skip)? {
            Ok(()) => Err(RejectReason::NotAnObject.into()),
            Err((_, fault)) => Err(RejectReason::Json(fault.explain(text)).into()),
        });
    }
    let mut parts = MessageParts::default();
    let read =
        scanner.tolerate(|scanner| scanner.object(|scanner, key| parts.take(scanner, key)))?;
    Ok(match read {
        Ok(()) => parts.judge(text),
        // A member of the envelope twice: not even the id can be relied on.
        Err((_, fault)) => Err(RejectReason::Json(fault.explain(text)).into()),
    })
}

/// A value that is passed on, or one that must not be.
enum MessagePart<'a> {
    /// With an object within it, where one was looked for and found.
    Object(RawObject<'a>, Option<Box<RawObject<'a>>>),
    Other(&'a RawValue),
    Flawed(&'a RawValue, ScanFault),
}

impl<'a> MessagePart<'a> {
    fn take(scanner: &mut JsonScanner<'a>, inner: Option<&str>) -> Result<Self, ScanFault> {
        let taken = scanner.tolerate(|scanner| match scanner.peek() {
            Some(b'{') => {
                let (object, inner) = RawObject::take_with(scanner, inner)?;
                Ok(Self::Object(object, inner))
            }
            _ => scanner.value().map(Self::Other),
        })?;
        Ok(taken.unwrap_or_else(|(raw, fault)| Self::Flawed(raw, fault)))
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Other(raw) if raw.get() == "null")
    }
}

/// A method, its parameters and their `_meta`.
type CalledMethod<'a> = (Cow<'a, str>, Option<RawObject<'a>>, Option<Box<RawObject<'a>>>);

#[derive(Default)]
struct MessageParts<'a> {
    is_version_2: bool,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<MessagePart<'a>>,
    result: Option<MessagePart<'a>>,
    error: Option<MessagePart<'a>>,
    /// The first thing wrong with the envelope itself.
    problem: Option<RejectReason>,
}

impl<'a> MessageParts<'a> {
    fn take(&mut self, scanner: &mut JsonScanner<'a>, key: RawStr<'a>) -> Result<(), ScanFault> {
        match MEMBERS.iter().find(|member| key.is(member)) {
            Some(&"jsonrpc") => {
                let version = scanner.value()?;
                self.is_version_2 = text_of(version).is_some_and(|version| version == "2.0");
            }
            Some(&"id") => self.id = Some(scanner.value()?),
            Some(&"method") => {
                self.method = Some(scanner.value()?).filter(|method| method.get() != "null");
            }
            Some(&"params") => self.params = Some(MessagePart::take(scanner, Some(META))?),
            Some(&"result") => self.result = Some(MessagePart::take(scanner, None)?),
            Some(&"error") => self.error = Some(MessagePart::take(scanner, None)?),
            _ => {
                if MEMBERS.iter().any(|member| is_case_variant(key, member)) {
                    self.problem.get_or_insert(RejectReason::CaseVariant { key: key.shown() });
                }
                scanner.skip()?;
            }
        }
        Ok(())
    }

    fn judge(mut self, text: &str) -> Result<Message<'a>, RejectedMessage> {
        let has_null_id = self.id.is_some_and(|id| id.get() == "null");
        let id = self.id.and_then(MessageId::from_raw);
        let kind = match (self.method, self.id) {
            (Some(_), Some(_)) => Some(MessageKind::Request),
            (Some(_), None) => Some(MessageKind::Notification),
            (None, _) if self.result.is_some() || self.error.is_some() => {
                Some(MessageKind::Response)
            }
            (None, _) => None,
        };
        let reject = |reason| RejectedMessage { reason, id: id.map(|id| id.to_buf()), kind };
        if let Some(problem) = self.problem.take() {
            return Err(reject(problem));
        }
        if !self.is_version_2 {
            return Err(reject(RejectReason::Version));
        }
        if self.id.is_some() && id.is_none() && !has_null_id {
            return Err(reject(RejectReason::IdType));
        }
        match self.method {
            None => self.response(id, text).map(Message::Response).map_err(reject),
            Some(_) if has_null_id => Err(reject(RejectReason::NullId)),
            Some(method) => {
                let (method, params, meta) = self.call(method, text).map_err(reject)?;
                Ok(match id {
                    Some(id) => Message::Request(Request { id, method, params, meta }),
                    None => Message::Notification(Notification { method, params }),
                })
            }
        }
    }

    fn call(self, method: &'a RawValue, text: &str) -> Result<CalledMethod<'a>, RejectReason> {
        // Peers that write one struct for every kind of message leave the other members null, here
        // as with `method` in a response.
        let answers = [&self.result, &self.error].into_iter().flatten().any(|part| !part.is_null());
        if answers {
            return Err(RejectReason::Ambiguous);
        }
        let method = text_of(method).ok_or(RejectReason::MethodType)?;
        let (params, meta) = match self.params {
            None => (None, None),
            Some(MessagePart::Object(params, meta)) => (Some(params), meta),
            Some(MessagePart::Other(raw)) if raw.get() == "null" => (None, None),
            Some(MessagePart::Other(_)) => return Err(RejectReason::ParamsType),
            Some(MessagePart::Flawed(_, fault)) => return Err(fault.explain(text).into()),
        };
        Ok((method, params, meta))
    }

    fn response(self, id: Option<MessageId<'a>>, text: &str) -> Result<Response<'a>, RejectReason> {
        let error = self.error.filter(|error| !error.is_null());
        let result = self.result.filter(|result| error.is_none() || !result.is_null());
        let outcome = match (result, error) {
            (Some(_), Some(_)) => return Err(RejectReason::Ambiguous),
            (None, None) => return Err(RejectReason::Nothing),
            (Some(_), None) if id.is_none() => return Err(RejectReason::NoId),
            (Some(MessagePart::Object(object, _)), None) => {
                ResponseOutcome::Result(ResultValue::Object(object))
            }
            (Some(MessagePart::Other(raw)), None) => {
                ResponseOutcome::Result(ResultValue::Other(raw))
            }
            (Some(MessagePart::Flawed(raw, fault)), None) => {
                ResponseOutcome::Flawed { raw, flaw: fault.explain(text) }
            }
            (None, Some(MessagePart::Object(object, _))) => {
                ResponseOutcome::Error(error_object(&object)?)
            }
            (None, Some(MessagePart::Other(_))) => return Err(RejectReason::ErrorType),
            (None, Some(MessagePart::Flawed(_, fault))) => return Err(fault.explain(text).into()),
        };
        Ok(Response { id, outcome })
    }
}

fn error_object<'a>(object: &RawObject<'a>) -> Result<ErrorObject<'a>, RejectReason> {
    let code = object.get("code").and_then(|code| ExactDecimal::parse(code.get()));
    let code = code.and_then(ExactDecimal::to_i128).and_then(|code| i64::try_from(code).ok());
    Ok(ErrorObject {
        code: ErrorCode(code.ok_or(RejectReason::ErrorType)?),
        message: object.text("message").unwrap_or_default(),
        data: object.get("data"),
        raw: object.raw(),
    })
}
