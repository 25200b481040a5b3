//! The parameters of an operation's request.
//!
//! Arguments go out as the bytes they are; that they are one object, which every reader reads the
//! same, is held here.

use serde_json::value::RawValue;
use toolgate_types::{
    Operation, Principal, RetryAnswers, SessionOverrides, TaskReport, TaskRequest,
};
use toolgate_wire::outcome::{INPUT_RESPONSES, REQUEST_STATE};
use toolgate_wire::{Era, ObjectError, ObjectMember, ObjectSplice, RawObject, SpliceValue, meta};

use super::OperationOptions;
use crate::failure::RequestError;

/// What only we say in `_meta`, whatever the caller wrote there: a token of theirs could be the id
/// of somebody else's request.
const OURS: [&str; 9] = [
    meta::PROGRESS_TOKEN,
    meta::PROTOCOL_VERSION,
    meta::CLIENT_CAPABILITIES,
    meta::CLIENT_INFO,
    meta::SERVER_INFO,
    meta::LOG_LEVEL,
    meta::SUBSCRIPTION_ID,
    // For the gate itself, and perhaps with secrets in it.
    SessionOverrides::KEY,
    Principal::KEY,
];

pub(super) fn of<'p>(
    operation: &'p Operation,
    manner: &OperationOptions<'p>,
    era: Era,
) -> Result<ObjectSplice<'p>, RequestError> {
    let mut params = ObjectSplice::new();
    if let Some(unknown) = manner.unknown {
        pass_on_unknown(&mut params, unknown)?;
    }
    match operation {
        Operation::CallTool { name, arguments } | Operation::GetPrompt { name, arguments } => {
            params.set("name", SpliceValue::text(&**name));
            if let Some(arguments) = arguments {
                params.set("arguments", object("arguments", arguments)?);
            }
        }
        Operation::ReadResource { uri }
        | Operation::Subscribe { uri }
        | Operation::Unsubscribe { uri } => {
            params.set("uri", SpliceValue::text(uri));
        }
        Operation::Task { id, request } => {
            params.set(TaskReport::ID, SpliceValue::text(id));
            if let TaskRequest::Update(responses) = request {
                params.set(INPUT_RESPONSES, object(INPUT_RESPONSES, responses)?);
            }
        }
        Operation::Complete { reference, argument, context } => {
            params.set("ref", object("ref", reference)?);
            params.set("argument", object("argument", argument)?);
            if let Some(context) = context {
                params.set("context", object("context", context)?);
            }
        }
    }
    if let Some(retry) = manner.retry {
        answer_again(&mut params, retry);
    }
    if let Some(theirs) = manner.meta {
        pass_on_meta(&mut params, theirs)?;
    }
    if let (Some(level), Era::Modern) = (manner.log_level, era) {
        let own = params.within(meta::META).map_err(|error| unsendable(meta::META, &error))?;
        own.set(meta::LOG_LEVEL, SpliceValue::text(level.as_str()));
    }
    if let Some(principal) = manner.principal {
        let own = params.within(meta::META).map_err(|error| unsendable(meta::META, &error))?;
        own.set(Principal::KEY, SpliceValue::text(principal));
    }
    Ok(params)
}

fn answer_again<'p>(params: &mut ObjectSplice<'p>, retry: &'p RetryAnswers) {
    if !retry.responses.is_empty() {
        let mut responses = ObjectSplice::new();
        for (key, response) in &retry.responses {
            responses.set(key, SpliceValue::Raw(response));
        }
        params.set(INPUT_RESPONSES, SpliceValue::Object(Box::new(responses)));
    }
    if let Some(state) = &retry.state {
        params.set(REQUEST_STATE, SpliceValue::Raw(state));
    }
}

/// Before everything else, so that what is known is what we say it is.
fn pass_on_unknown<'p>(
    params: &mut ObjectSplice<'p>,
    unknown: &'p RawValue,
) -> Result<(), RequestError> {
    let read = RawObject::parse(unknown).map_err(|error| unsendable("params", &error))?;
    for member in read.members() {
        if let Some(key) = member.key() {
            params.set(key, SpliceValue::Raw(member.value()));
        }
    }
    Ok(())
}

fn pass_on_meta<'p>(
    params: &mut ObjectSplice<'p>,
    theirs: &'p RawValue,
) -> Result<(), RequestError> {
    let read = RawObject::parse(theirs).map_err(|error| unsendable(meta::META, &error))?;
    // A server that ignores case would find their word where we put ours.
    if let Some(key) = read.case_variant_of(&OURS) {
        let why = format!("`_meta`: `{key}` differs only in case from a key of the protocol");
        return Err(RequestError::Unsendable(why));
    }
    if is_meta_for_gate_alone(&read) {
        return Ok(());
    }
    params.set(meta::META, SpliceValue::Raw(theirs));
    let own = params.within(meta::META).map_err(|error| unsendable(meta::META, &error))?;
    for key in OURS {
        own.remove(key);
    }
    Ok(())
}

/// What of a caller's `_meta` goes to a server; nothing where all of it is for the gate.
pub fn forwarded_meta(theirs: &RawValue) -> Option<Box<RawValue>> {
    let read = RawObject::parse(theirs).ok()?;
    if is_meta_for_gate_alone(&read) {
        return None;
    }
    let mut left = ObjectSplice::of(&read);
    for key in OURS {
        left.remove(key);
    }
    left.to_raw().ok()
}

/// Whether nothing of a caller's `_meta` is for a server.
pub fn is_meta_for_gate_alone(theirs: &RawObject<'_>) -> bool {
    let is_ours = |member: &ObjectMember<'_>| OURS.iter().any(|key| member.is(key));
    theirs.members().all(is_ours)
}

fn object<'p>(name: &str, raw: &'p RawValue) -> Result<SpliceValue<'p>, RequestError> {
    match RawObject::parse(raw) {
        Ok(_) => Ok(SpliceValue::Raw(raw)),
        Err(error) => Err(unsendable(name, &error)),
    }
}

fn unsendable(name: &str, error: &ObjectError) -> RequestError {
    RequestError::Unsendable(format!("`{name}`: {error}"))
}
