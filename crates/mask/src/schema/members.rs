//! One level of JSON taken apart, its parts left raw; repeated members are all there.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object; none if the text is no object.
pub(super) fn members(json: &str) -> Vec<(String, &str)> {
    serde_json::Deserializer::from_str(json).deserialize_map(MembersVisitor).unwrap_or_default()
}

/// The items of an array; none if the text is no array.
pub(super) fn items(json: &str) -> Vec<&str> {
    serde_json::Deserializer::from_str(json).deserialize_seq(ItemsVisitor).unwrap_or_default()
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(String, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
            members.push((key, value.get()));
        }
        Ok(members)
    }
}

struct ItemsVisitor;

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Vec<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<&'de RawValue>()? {
            items.push(item.get());
        }
        Ok(items)
    }
}
