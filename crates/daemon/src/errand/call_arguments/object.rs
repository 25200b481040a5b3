//! A JSON object as text: taken apart and put together without touching what is inside.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use toolgate_control::CommandFailure;

/// The members in the order of writing.
pub(super) fn members(object: &RawValue) -> Result<Vec<(String, &RawValue)>, CommandFailure> {
    struct Members;
    impl<'a> Visitor<'a> for Members {
        type Value = Vec<(String, &'a RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(member) = map.next_entry()? {
                all.push(member);
            }
            Ok(all)
        }
    }
    serde_json::Deserializer::from_str(object.get())
        .deserialize_map(Members)
        .map_err(CommandFailure::new)
}

/// An object of these members, each a name and a JSON text.
pub(super) fn join(members: Vec<(String, String)>) -> Result<Box<RawValue>, CommandFailure> {
    let members = members.iter().map(|(key, value)| format!("{}:{value}", text(key)));
    let object = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    RawValue::from_string(object).map_err(CommandFailure::new)
}

/// A text as JSON.
pub(super) fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
