//! JSON one level deep: the members, items or characters of a value, with what is in them left raw.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::members::RawMembers;

/// What a value is made of, one level deep.
pub(super) enum ValueParts<'a> {
    Members(Vec<(String, &'a RawValue)>),
    Items(Vec<&'a RawValue>),
    Text(String),
    /// A number, a word, or what cannot be read.
    Whole,
}

impl<'a> ValueParts<'a> {
    pub(super) fn of(raw: &'a RawValue) -> Self {
        let json = raw.get();
        let parts = match json.as_bytes().first() {
            Some(b'{') => serde_json::from_str(json).map(|RawMembers(all)| Self::Members(all)),
            Some(b'[') => serde_json::from_str(json).map(Self::Items),
            Some(b'"') => serde_json::from_str(json).map(Self::Text),
            _ => return Self::Whole,
        };
        parts.unwrap_or(Self::Whole)
    }
}

pub(super) type BothSides<'a> = (Option<&'a RawValue>, Option<&'a RawValue>);

/// By key, and by which of those with the same key it is.
pub(super) fn side_by_side<'a>(
    before: Vec<(String, &'a RawValue)>,
    after: Vec<(String, &'a RawValue)>,
) -> BTreeMap<(String, usize), BothSides<'a>> {
    let mut all: BTreeMap<(String, usize), BothSides<'a>> = BTreeMap::new();
    for (key, raw) in numbered(before) {
        all.entry(key).or_default().0 = Some(raw);
    }
    for (key, raw) in numbered(after) {
        all.entry(key).or_default().1 = Some(raw);
    }
    all
}

fn numbered(
    members: Vec<(String, &RawValue)>,
) -> impl Iterator<Item = ((String, usize), &RawValue)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    members.into_iter().map(move |(key, raw)| {
        let count = counts.entry(key.clone()).or_default();
        *count += 1;
        ((key, *count), raw)
    })
}
