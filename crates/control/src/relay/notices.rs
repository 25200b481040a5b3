//! What a relay says itself, to the client: that something was lost, or could not be done.

use std::collections::HashSet;

use serde_json::value::RawValue;
use toolgate_wire::{ErrorCode, MessageIdBuf, method, write_error, write_notification};

use super::open_requests::LostRequests;
use crate::CommandFailure;

/// For a request that reached a daemon which is gone.
pub(crate) const UNKNOWN_OUTCOME: &str = "the Toolgate daemon ended before it answered; whether \
     this was carried out is not known, and it is not tried again by itself";

/// The answers to what was open, and the end of what was asked.
pub(crate) fn lost(lost: &LostRequests, why: Option<&str>) -> Vec<u8> {
    let mut out = Vec::new();
    let message = match why {
        Some(why) => format!("{UNKNOWN_OUTCOME} ({why})"),
        None => UNKNOWN_OUTCOME.to_owned(),
    };
    for id in in_order(&lost.open) {
        refuse(&mut out, id, &message);
    }
    for id in in_order(&lost.asked) {
        let params = format!(r#"{{"requestId":{id},"reason":"the Toolgate daemon ended"}}"#);
        // An id is JSON as it came.
        let params = RawValue::from_string(params).ok();
        write_notification(&mut out, method::CANCELLED, params.as_deref());
        out.push(b'\n');
    }
    out
}

/// The answer to a request that nobody can take.
pub(crate) fn refuse(out: &mut Vec<u8>, id: &MessageIdBuf, message: &str) {
    write_error(out, Some(id.as_id()), ErrorCode::INTERNAL_ERROR, message, None::<&RawValue>);
    out.push(b'\n');
}

/// A failure in one sentence, for who sees no terminal.
pub(crate) fn sentence(failure: &CommandFailure) -> String {
    match &failure.hint {
        Some(hint) => format!("Toolgate: {} ({hint})", failure.message),
        None => format!("Toolgate: {}", failure.message),
    }
}

/// What the client would have said itself.
pub(crate) fn initialized() -> Vec<u8> {
    note(method::INITIALIZED)
}

pub(crate) fn tools_changed() -> Vec<u8> {
    note(method::TOOLS_LIST_CHANGED)
}

fn note(name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_notification(&mut out, name, None::<&RawValue>);
    out.push(b'\n');
    out
}

fn in_order(ids: &HashSet<MessageIdBuf>) -> Vec<&MessageIdBuf> {
    let mut ids: Vec<_> = ids.iter().collect();
    ids.sort_by_cached_key(|id| id.to_string());
    ids
}
