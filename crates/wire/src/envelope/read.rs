//! Reading one message: members are gathered in any order, then judged together.
//!
//! The pass that checks the JSON also remembers where the members of `params` and `result` stand,
//! so that routing looks nothing up twice.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    ErrorObject, Kind, Message, Notification, Outcome, Reason, Rejected, Request, Response,
    ResultValue,
};
use crate::json::{Decimal, Fault, RawStr, Scanner};
use crate::object::{is_case_variant, text_of};
use crate::{ErrorCode, Id, Limits, RawObject};

const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

pub(super) fn message<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Message<'a>, Rejected> {
    message_in(scanner(bytes, limits)?)
}

pub(super) fn scanner<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Scanner<'a>, Reason> {
    // The scanner keeps places as `u32`, whatever the caller allows.
    let limit = limits.bytes.min(u32::MAX as usize);
    if bytes.len() > limit {
        return Err(Reason::TooLarge { limit });
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Reason::NotUtf8)?;
    Ok(Scanner::new(text, limits.depth))
}

pub(super) fn message_in(mut scanner: Scanner<'_>) -> Result<Message<'_>, Rejected> {
    let text = scanner.text();
    let is_batch = scanner.peek() == Some(b'[');
    let read = one(&mut scanner).and_then(|message| scanner.end().map(|()| message));
    match read {
        Err(fault) => Err(Reason::Json(fault.explain(text)).into()),
        Ok(_) if is_batch => Err(Reason::Batch.into()),
        Ok(message) => message,
    }
}

/// One message where the scanner stands. The outer error is for text that cannot be read on.
pub(super) fn one<'a>(scanner: &mut Scanner<'a>) -> Result<Result<Message<'a>, Rejected>, Fault> {
    let text = scanner.text();
    if scanner.peek() != Some(b'{') {
        return Ok(match scanner.tolerate(Scanner::skip)? {
            Ok(()) => Err(Reason::NotAnObject.into()),
            Err((_, fault)) => Err(Reason::Json(fault.explain(text)).into()),
        });
    }
    let mut parts = Parts::default();
    let read =
        scanner.tolerate(|scanner| scanner.object(|scanner, key| parts.take(scanner, key)))?;
    Ok(match read {
        Ok(()) => parts.judge(text),
        // A member of the envelope twice: not even the id can be relied on.
        Err((_, fault)) => Err(Reason::Json(fault.explain(text)).into()),
    })
}

/// A value that is passed on, or one that must not be.
enum Part<'a> {
    Object(RawObject<'a>),
    Other(&'a RawValue),
    Flawed(&'a RawValue, Fault),
}

impl<'a> Part<'a> {
    fn take(scanner: &mut Scanner<'a>) -> Result<Self, Fault> {
        let taken = scanner.tolerate(|scanner| match scanner.peek() {
            Some(b'{') => RawObject::take(scanner).map(Self::Object),
            _ => scanner.value().map(Self::Other),
        })?;
        Ok(taken.unwrap_or_else(|(raw, fault)| Self::Flawed(raw, fault)))
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Other(raw) if raw.get() == "null")
    }
}

#[derive(Default)]
struct Parts<'a> {
    is_version_2: bool,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<Part<'a>>,
    result: Option<Part<'a>>,
    error: Option<Part<'a>>,
    /// The first thing wrong with the envelope itself.
    problem: Option<Reason>,
}

impl<'a> Parts<'a> {
    fn take(&mut self, scanner: &mut Scanner<'a>, key: RawStr<'a>) -> Result<(), Fault> {
        match MEMBERS.iter().find(|member| key.is(member)) {
            Some(&"jsonrpc") => {
                let version = scanner.value()?;
                self.is_version_2 = text_of(version).is_some_and(|version| version == "2.0");
            }
            Some(&"id") => self.id = Some(scanner.value()?),
            Some(&"method") => {
                self.method = Some(scanner.value()?).filter(|method| method.get() != "null");
            }
            Some(&"params") => self.params = Some(Part::take(scanner)?),
            Some(&"result") => self.result = Some(Part::take(scanner)?),
            Some(&"error") => self.error = Some(Part::take(scanner)?),
            _ => {
                if MEMBERS.iter().any(|member| is_case_variant(key, member)) {
                    self.problem.get_or_insert(Reason::CaseVariant { key: key.shown() });
                }
                scanner.skip()?;
            }
        }
        Ok(())
    }

    fn judge(mut self, text: &str) -> Result<Message<'a>, Rejected> {
        let has_null_id = self.id.is_some_and(|id| id.get() == "null");
        let id = self.id.and_then(Id::from_raw);
        let kind = match (self.method, self.id) {
            (Some(_), Some(_)) => Some(Kind::Request),
            (Some(_), None) => Some(Kind::Notification),
            (None, _) if self.result.is_some() || self.error.is_some() => Some(Kind::Response),
            (None, _) => None,
        };
        let reject = |reason| Rejected { reason, id: id.map(|id| id.to_buf()), kind };
        if let Some(problem) = self.problem.take() {
            return Err(reject(problem));
        }
        if !self.is_version_2 {
            return Err(reject(Reason::Version));
        }
        if self.id.is_some() && id.is_none() && !has_null_id {
            return Err(reject(Reason::IdType));
        }
        match self.method {
            None => self.response(id, text).map(Message::Response).map_err(reject),
            Some(_) if has_null_id => Err(reject(Reason::NullId)),
            Some(method) => {
                let (method, params) = self.call(method, text).map_err(reject)?;
                Ok(match id {
                    Some(id) => Message::Request(Request { id, method, params }),
                    None => Message::Notification(Notification { method, params }),
                })
            }
        }
    }

    fn call(
        self,
        method: &'a RawValue,
        text: &str,
    ) -> Result<(Cow<'a, str>, Option<RawObject<'a>>), Reason> {
        // Peers that write one struct for every kind of message leave the other members null, here
        // as with `method` in a response.
        let answers = [&self.result, &self.error].into_iter().flatten().any(|part| !part.is_null());
        if answers {
            return Err(Reason::Ambiguous);
        }
        let method = text_of(method).ok_or(Reason::MethodType)?;
        let params = match self.params {
            None => None,
            Some(Part::Object(params)) => Some(params),
            Some(Part::Other(raw)) if raw.get() == "null" => None,
            Some(Part::Other(_)) => return Err(Reason::ParamsType),
            Some(Part::Flawed(_, fault)) => return Err(fault.explain(text).into()),
        };
        Ok((method, params))
    }

    fn response(self, id: Option<Id<'a>>, text: &str) -> Result<Response<'a>, Reason> {
        let error = self.error.filter(|error| !error.is_null());
        let result = self.result.filter(|result| error.is_none() || !result.is_null());
        let outcome = match (result, error) {
            (Some(_), Some(_)) => return Err(Reason::Ambiguous),
            (None, None) => return Err(Reason::Nothing),
            (Some(_), None) if id.is_none() => return Err(Reason::NoId),
            (Some(Part::Object(object)), None) => Outcome::Result(ResultValue::Object(object)),
            (Some(Part::Other(raw)), None) => Outcome::Result(ResultValue::Other(raw)),
            (Some(Part::Flawed(raw, fault)), None) => {
                Outcome::Flawed { raw, flaw: fault.explain(text) }
            }
            (None, Some(Part::Object(object))) => Outcome::Error(error_object(&object)?),
            (None, Some(Part::Other(_))) => return Err(Reason::ErrorType),
            (None, Some(Part::Flawed(_, fault))) => return Err(fault.explain(text).into()),
        };
        Ok(Response { id, outcome })
    }
}

fn error_object<'a>(object: &RawObject<'a>) -> Result<ErrorObject<'a>, Reason> {
    let code = object.get("code").and_then(|code| Decimal::parse(code.get()));
    let code = code.and_then(Decimal::to_i128).and_then(|code| i64::try_from(code).ok());
    Ok(ErrorObject {
        code: ErrorCode(code.ok_or(Reason::ErrorType)?),
        message: object.text("message").unwrap_or_default(),
        data: object.get("data"),
        raw: object.raw(),
    })
}
