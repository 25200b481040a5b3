//! Reads a tree into the raw structs through serde, keeping the place of what went wrong.
//!
//! A struct's keys may be written in snake_case or camelCase; keys of maps stay as they are.

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{ConfigMember, ConfigNode, ConfigValue};

/// A newtype struct of this name receives the JSON text of its node instead of the node.
pub(crate) const RAW_JSON: &str = "$toolgate::raw_json";

/// One step from a node to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    Key(String),
    Index(usize),
}

/// Why a node does not fit the struct it is read into.
#[derive(Debug)]
pub struct ReadError {
    /// From the node that was read to the value at fault.
    pub path: Vec<PathStep>,
    pub kind: ReadErrorKind,
}

/// What went wrong, without the place.
#[derive(Debug)]
pub enum ReadErrorKind {
    UnknownKey { key: String, expected: &'static [&'static str] },
    Repeated(&'static str),
    Other(String),
}

impl ReadError {
    fn inside(mut self, step: PathStep) -> Self {
        self.path.insert(0, step);
        self
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.kind {
            ReadErrorKind::UnknownKey { key, .. } => write!(f, "unknown key `{key}`"),
            ReadErrorKind::Repeated(key) => write!(f, "`{key}` is given twice"),
            ReadErrorKind::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self { path: Vec::new(), kind: ReadErrorKind::Other(message.to_string()) }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Map => "a table".to_owned(),
            Unexpected::Seq => "an array".to_owned(),
            Unexpected::Unit => "null".to_owned(),
            Unexpected::Bool(_) => "a boolean".to_owned(),
            Unexpected::Str(_) => "a string".to_owned(),
            Unexpected::Unsigned(_) | Unexpected::Signed(_) => "a whole number".to_owned(),
            Unexpected::Float(_) => "a number with a fraction".to_owned(),
            other => other.to_string(),
        };
        let expected = match expected.to_string().as_str() {
            "a sequence" => "an array".to_owned(),
            "a map" => "a table".to_owned(),
            other => other.to_owned(),
        };
        Self::custom(format!("expected {expected}, found {found}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            // A value may be a secret: numbers and flags are named, text is not.
            Unexpected::Str(_) => Self::custom(format!("expected {expected}")),
            other => Self::custom(format!("expected {expected}, found {other}")),
        }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let words: Vec<String> = expected.iter().map(|word| format!("`{word}`")).collect();
        let shown: String = variant.chars().take(40).collect();
        Self::custom(format!("{shown:?} is not one of {}", words.join(", ")))
    }

    fn duplicate_field(key: &'static str) -> Self {
        Self { path: Vec::new(), kind: ReadErrorKind::Repeated(key) }
    }

    fn unknown_field(key: &str, expected: &'static [&'static str]) -> Self {
        let kind = ReadErrorKind::UnknownKey { key: key.to_owned(), expected };
        Self { path: Vec::new(), kind }
    }
}

impl<'de> Deserializer<'de> for &'de ConfigNode {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            ConfigValue::Null => visitor.visit_unit(),
            ConfigValue::Bool(value) => visitor.visit_bool(*value),
            ConfigValue::String(text) => visitor.visit_borrowed_str(text),
            ConfigValue::Number(text) => visit_number(text, visitor),
            ConfigValue::Array(items) => visitor.visit_seq(ItemsAccess { items, at: 0 }),
            ConfigValue::Table(members) => {
                visitor.visit_map(MembersAccess { members, fields: &[], at: 0 })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            ConfigValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == RAW_JSON {
            return visitor.visit_string(self.to_json(false));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.value {
            ConfigValue::Table(members) => {
                visitor.visit_map(MembersAccess { members, fields, at: 0 })
            }
            _ => Err(ReadError::custom(format!("expected a table, found {}", self.kind()))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.value {
            ConfigValue::String(word) => visitor.visit_enum(WordAccess(word)),
            _ => Err(ReadError::custom(format!("expected a word, found {}", self.kind()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

fn visit_number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, ReadError> {
    if let Ok(number) = text.parse::<u64>() {
        visitor.visit_u64(number)
    } else if let Ok(number) = text.parse::<i64>() {
        visitor.visit_i64(number)
    } else {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => visitor.visit_f64(number),
            _ => Err(ReadError::custom("this number is out of range")),
        }
    }
}

struct ItemsAccess<'de> {
    items: &'de [ConfigNode],
    at: usize,
}

impl<'de> SeqAccess<'de> for ItemsAccess<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some(item) = self.items.get(self.at) else { return Ok(None) };
        self.at += 1;
        let step = PathStep::Index(self.at - 1);
        seed.deserialize(item).map(Some).map_err(|error| error.inside(step))
    }
}

struct MembersAccess<'de> {
    members: &'de [ConfigMember],
    fields: &'static [&'static str],
    at: usize,
}

impl<'de> MapAccess<'de> for MembersAccess<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some(member) = self.members.get(self.at) else { return Ok(None) };
        self.at += 1;
        let snake = snake_case(&member.key);
        let result = match self.fields.iter().find(|field| **field == snake) {
            Some(field) => seed.deserialize(StrDeserializer::new(field)),
            None => seed.deserialize(BorrowedStrDeserializer::new(&member.key)),
        };
        result.map(Some).map_err(|error: ReadError| error.inside(PathStep::Key(member.key.clone())))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        // `next_key_seed` returned a key, so one member has been passed.
        let member = &self.members[self.at - 1];
        let step = PathStep::Key(member.key.clone());
        seed.deserialize(&member.value).map_err(|error| error.inside(step))
    }
}

/// Whether a key is this snake_case name, in that spelling or in camelCase.
pub(crate) fn is_spelling(key: &str, name: &str) -> bool {
    if !key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return key == name;
    }
    snake_case(key) == name
}

/// `allowTools` → `allow_tools`; what is already in snake_case stays.
pub(crate) fn snake_case(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(c);
        }
    }
    out
}

struct WordAccess<'de>(&'de str);

impl<'de> EnumAccess<'de> for WordAccess<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self::Variant), ReadError> {
        seed.deserialize(BorrowedStrDeserializer::new(self.0)).map(|value| (value, self))
    }
}

impl<'de> VariantAccess<'de> for WordAccess<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, ReadError> {
        Err(ReadError::custom("expected a single word"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ReadError> {
        Err(ReadError::custom("expected a single word"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, ReadError> {
        Err(ReadError::custom("expected a single word"))
    }
}
