//! Results on the wire: what only one era knows is put in or taken out.

use serde_json::value::RawValue;
use toolgate_types::Era;
use toolgate_wire::outcome::RESULT_TYPE as RESULT_TYPE_KEY;
use toolgate_wire::{
    MessageIdBuf, ObjectSplice, RawObject, SpliceValue, meta, result_length, write_result,
};

use super::id_value;
use super::own_words::{ONLY_SERVER_INFO, SERVER_INFO};
use super::signed_result::SignedResult;

/// Of a result that is one.
pub(crate) const RESULT_TYPE: &str = "complete";

/// Members that only the modern era has.
const MODERN: [&str; 3] = [RESULT_TYPE_KEY, "ttlMs", "cacheScope"];

/// A result that was made here and needs nothing more.
pub(crate) fn plain(id: &MessageIdBuf, result: &RawValue) -> Vec<u8> {
    // Without room behind it, it is sent as it is, and no second piece of memory says so.
    let mut out = Vec::with_capacity(result_length(id.as_id(), result.get().len()));
    write_result(&mut out, id.as_id(), result);
    out
}

/// A result of a server; where nobody says how long it holds, it says so itself.
pub(crate) fn complete(
    id: &MessageIdBuf,
    result: &RawValue,
    era: Era,
    hold: Option<(&'static str, u64)>,
) -> Vec<u8> {
    match era {
        Era::Legacy => legacy(id, result),
        Era::Modern => match SignedResult::of(result).filter(|_| hold.is_none()) {
            Some(signed) => signed.answer(id),
            None => modern(id, result, hold),
        },
    }
}

fn legacy(id: &MessageIdBuf, result: &RawValue) -> Vec<u8> {
    // Nearly every result has none of them, and is not read for it.
    if !MODERN.iter().any(|key| RawObject::may_have(result, key)) {
        return plain(id, result);
    }
    let Ok(read) = RawObject::parse(result) else { return plain(id, result) };
    if !MODERN.iter().any(|key| read.get(key).is_some()) {
        return plain(id, result);
    }
    let mut without = ObjectSplice::of(&read);
    for key in MODERN {
        without.remove(key);
    }
    if read.get(meta::META).is_some()
        && let Ok(own) = without.within(meta::META)
    {
        own.remove(meta::SERVER_INFO);
    }
    spliced(id, &without)
}

/// Whatever the result says already.
fn modern(id: &MessageIdBuf, result: &RawValue, hold: Option<(&'static str, u64)>) -> Vec<u8> {
    let Ok(read) = RawObject::parse(result) else { return plain(id, result) };
    let mut with = ObjectSplice::of(&read);
    if read.get(RESULT_TYPE_KEY).is_none() {
        with.set(RESULT_TYPE_KEY, SpliceValue::text(RESULT_TYPE));
    }
    if let Some((scope, ttl)) = hold {
        if read.get("ttlMs").is_none() {
            with.set("ttlMs", SpliceValue::number(ttl));
        }
        // Whatever the server says: what a caller may see depends on who it is.
        with.set("cacheScope", SpliceValue::text(scope));
    }
    if read.get(meta::META).is_none() {
        with.set(meta::META, SpliceValue::Raw(&ONLY_SERVER_INFO));
    } else if let Ok(own) = with.within(meta::META) {
        own.set(meta::SERVER_INFO, SpliceValue::Raw(&SERVER_INFO));
    }
    spliced(id, &with)
}

/// Without room behind it, as [`plain`] is.
fn spliced(id: &MessageIdBuf, result: &ObjectSplice<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(result_length(id.as_id(), result.usual_length()));
    write_result(&mut out, id.as_id(), result);
    out
}

/// The result that ends a stream of news, which says once more which one that is.
pub(crate) fn no_more_news(id: &MessageIdBuf) -> Vec<u8> {
    let mut own = ObjectSplice::new();
    own.set(meta::SUBSCRIPTION_ID, id_value(id.as_id()))
        .set(meta::SERVER_INFO, SpliceValue::Raw(&SERVER_INFO));
    let mut result = ObjectSplice::new();
    result
        .set(RESULT_TYPE_KEY, SpliceValue::text(RESULT_TYPE))
        .set(meta::META, SpliceValue::Object(Box::new(own)));
    let mut out = Vec::with_capacity(192);
    write_result(&mut out, id.as_id(), &result);
    out
}

/// A result that says only that it is one.
pub(crate) fn nothing(id: &MessageIdBuf, era: Era) -> Vec<u8> {
    let mut out = Vec::with_capacity(160);
    let mut result = ObjectSplice::new();
    if era == Era::Modern {
        let mut own = ObjectSplice::new();
        own.set(meta::SERVER_INFO, SpliceValue::Raw(&SERVER_INFO));
        result
            .set(RESULT_TYPE_KEY, SpliceValue::text(RESULT_TYPE))
            .set(meta::META, SpliceValue::Object(Box::new(own)));
    }
    write_result(&mut out, id.as_id(), &result);
    out
}

#[cfg(test)]
mod tests;
