//! Arguments held against the conditions of a rule: surely, for what allows; possibly, for what does not.

use serde_json::value::RawValue;

use super::text;
use crate::members::RawMembers;

/// Whether each condition holds in the only way that these arguments can be read.
pub(super) fn surely_match(when: &[(String, String)], arguments: Option<&RawValue>) -> bool {
    if when.is_empty() {
        return true;
    }
    let Some(members) = arguments.and_then(members) else { return false };
    when.iter().all(|(name, glob)| {
        // A server may mind case or not, and may take the first or the last of two.
        let mut same = members.iter().filter(|(key, _)| is_alike(key, name));
        match (same.next(), same.next()) {
            (Some((key, value)), None) if key == name => match value_of(value) {
                ArgumentValue::Text(value) => text::is_surely(glob, &value),
                ArgumentValue::Word(word) => word == glob,
                ArgumentValue::Many => false,
            },
            _ => false,
        }
    })
}

/// Whether each condition may hold, in whatever way these arguments are read.
pub(super) fn may_match(when: &[(String, String)], arguments: Option<&RawValue>) -> bool {
    let Some(arguments) = arguments.filter(|_| !when.is_empty()) else { return when.is_empty() };
    if members(arguments).is_none() {
        return true;
    }
    when.iter().all(|(name, glob)| {
        let mut found = Vec::new();
        collect(name, arguments, &mut found);
        found.into_iter().any(|value| match value_of(value) {
            ArgumentValue::Text(value) => text::is_maybe(glob, &value),
            ArgumentValue::Word(word) => text::is_maybe(glob, word),
            ArgumentValue::Many => true,
        })
    })
}

enum ArgumentValue<'a> {
    Text(String),
    /// A number, `true`, `false` or `null`, as it is written.
    Word(&'a str),
    /// A list or an object: anything may be in it.
    Many,
}

fn value_of(raw: &RawValue) -> ArgumentValue<'_> {
    let written = raw.get();
    match written.as_bytes().first() {
        Some(b'"') => match serde_json::from_str(written) {
            Ok(text) => ArgumentValue::Text(text),
            Err(_) => ArgumentValue::Many,
        },
        Some(b'{' | b'[') => ArgumentValue::Many,
        _ => ArgumentValue::Word(written),
    }
}

fn members(raw: &RawValue) -> Option<Vec<(String, &RawValue)>> {
    serde_json::from_str::<RawMembers<'_>>(raw.get()).ok().map(|RawMembers(all)| all)
}

/// Every value of that name, however deep it lies.
fn collect<'a>(name: &str, raw: &'a RawValue, found: &mut Vec<&'a RawValue>) {
    for (key, value) in members(raw).into_iter().flatten() {
        if is_alike(&key, name) {
            found.push(value);
        }
        collect(name, value, found);
    }
    if raw.get().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
        items.into_iter().for_each(|item| collect(name, item, found));
    }
}

fn is_alike(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    plain(one) == plain(other)
}
