//! One hash for all spellings of the same JSON: keys sorted, numbers by their value, strings by their
//! characters. A client that writes its arguments anew when it comes back still means the same.
//!
//! What could be read in two ways has no hash: a key that comes twice, text that is no Unicode.

mod number;

use serde::de::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::members::RawMembers;

/// Deeper than anybody nests arguments; each level is looked through once more.
const DEEPEST: usize = 128;

/// Why JSON does not mean one thing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AmbiguousJson {
    #[error("the key `{}` comes twice", toolgate_types::visible(.0))]
    Twice(String),
    #[error("they are nested too deep")]
    TooDeep,
    #[error("they hold text that is no Unicode")]
    Unreadable,
}

/// Writes the meaning of `json` so that two differ whenever their meanings do.
pub(super) fn write(json: &RawValue, into: &mut Sha256) -> Result<(), AmbiguousJson> {
    value(json.get(), into, 0)
}

fn value(json: &str, into: &mut Sha256, depth: usize) -> Result<(), AmbiguousJson> {
    if depth > DEEPEST {
        return Err(AmbiguousJson::TooDeep);
    }
    let json = json.trim_ascii();
    match json.as_bytes().first() {
        Some(b'{') => object(json, into, depth),
        Some(b'[') => {
            let items: Vec<&RawValue> = read(json)?;
            open(into, b'[', items.len());
            items.into_iter().try_for_each(|item| value(item.get(), into, depth + 1))
        }
        Some(b'"') => {
            text(into, b'"', &read::<String>(json)?);
            Ok(())
        }
        Some(b'-' | b'0'..=b'9') => {
            text(into, b'#', &number::normal(json));
            Ok(())
        }
        // `true`, `false`, `null`.
        _ => {
            text(into, b'=', json);
            Ok(())
        }
    }
}

fn object(json: &str, into: &mut Sha256, depth: usize) -> Result<(), AmbiguousJson> {
    let RawMembers(mut members) = read(json)?;
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(AmbiguousJson::Twice(pair[0].0.clone()));
    }
    open(into, b'{', members.len());
    for (key, member) in members {
        text(into, b'"', &key);
        value(member.get(), into, depth + 1)?;
    }
    Ok(())
}

fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, AmbiguousJson> {
    serde_json::from_str(json).map_err(|_| AmbiguousJson::Unreadable)
}

/// How many follow, so that nothing can be moved from one level to another.
fn open(into: &mut Sha256, tag: u8, count: usize) {
    into.update([tag]);
    into.update(count.to_le_bytes());
}

fn text(into: &mut Sha256, tag: u8, text: &str) {
    open(into, tag, text.len());
    into.update(text);
}

#[cfg(test)]
mod tests;
