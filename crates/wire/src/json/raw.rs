//! A `&RawValue` over text that the scanner has already checked.
//!
//! `serde_json` makes one only by reading the text again, which would be a second pass over every
//! payload. Its `RawValue` asks the deserializer for a newtype of a certain name and takes the text
//! as it is given; this is a deserializer that gives it. Should a release of `serde_json` ask
//! differently, the text is read again: slower, never wrong.

use serde::de::value::{BorrowedStrDeserializer, Error};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::value::RawValue;

use super::{ExpectedToken, ScanFault};

/// The text must be one JSON value without whitespace around it.
pub(super) fn checked(text: &str) -> Result<&RawValue, ScanFault> {
    match hand_over(text) {
        Ok(raw) => Ok(raw),
        Err(_) => serde_json::from_str(text)
            .map_err(|_| ScanFault::Syntax { at: 0, wanted: ExpectedToken::Value }),
    }
}

pub(super) fn hand_over(text: &str) -> Result<&RawValue, Error> {
    <&RawValue>::deserialize(RawText(text))
}

struct RawText<'a>(&'a str);

impl<'de> Deserializer<'de> for RawText<'de> {
    type Error = Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(RawMapEntry { name, text: self.0 })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("only raw values are handed over"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The one entry of the map that a raw value is handed over as.
struct RawMapEntry<'a> {
    name: &'static str,
    text: &'a str,
}

impl<'de> MapAccess<'de> for RawMapEntry<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        seed.deserialize(BorrowedStrDeserializer::new(self.name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(BorrowedStrDeserializer::new(self.text))
    }
}
