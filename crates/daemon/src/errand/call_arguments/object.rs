//! A JSON object as text: taken apart and put together without touching what is inside.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
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

/// Whether this is an object in which no key stands twice, at any depth. Readers differ in which of
/// two they take, so what one of them checks is not what another does.
pub(super) fn reject_repeated_keys(json: &str) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_map(Unrepeated)?;
    reader.end()
}

#[derive(Clone, Copy)]
struct Unrepeated;

impl<'a> DeserializeSeed<'a> for Unrepeated {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Unrepeated {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` stands twice")));
            }
            seen.insert(key);
            map.next_value_seed(self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}
