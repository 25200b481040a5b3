//! A schema that says which parameters there are and of which kind, and nothing more, as most do. Arguments are
//! held against it as they are spelled, and no copy of them is made.
//!
//! It answers for sure or not at all: whatever it is not sure of is the validator's, and so is saying what is wrong.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::members;

/// What says nothing about which values are taken. Formats are not checked, so they are among it.
const REMARKS: [&str; 9] = [
    "$comment",
    "default",
    "deprecated",
    "description",
    "examples",
    "format",
    "readOnly",
    "title",
    "writeOnly",
];

/// As many as there are bits for.
const MOST_PARAMETERS: usize = 64;

#[derive(Debug)]
pub(super) struct PlainSchema {
    parameters: Vec<(Box<str>, KindSet)>,
    /// A bit for the place of each that may not be left out.
    required: u64,
    /// Whether there may be others.
    is_open: bool,
}

/// The kinds of values that are taken, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KindSet(u8);

impl PlainSchema {
    /// Nothing where it says more than that.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let schema = schema.as_object()?;
        let mut plain = Self { parameters: Vec::new(), required: 0, is_open: true };
        let none = Map::new();
        let parameters = match schema.get("properties") {
            Some(parameters) => parameters.as_object()?,
            None => &none,
        };
        if parameters.len() > MOST_PARAMETERS {
            return None;
        }
        for (name, parameter) in parameters {
            plain.parameters.push((name.as_str().into(), KindSet::of(parameter)?));
        }
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("properties", _) | ("$schema", Value::String(_)) => {}
                ("type", Value::String(kind)) if kind == "object" => {}
                ("additionalProperties", Value::Bool(is_open)) => plain.is_open = *is_open,
                ("required", Value::Array(names)) => {
                    for name in names {
                        let place = plain.place_of(name.as_str()?)?;
                        plain.required |= 1 << place;
                    }
                }
                (remark, _) if REMARKS.contains(&remark) => {}
                _ => return None,
            }
        }
        Some(plain)
    }

    /// Whether arguments fit for sure: each member does, and one that is written twice does both times.
    pub(super) fn surely_takes(&self, arguments: &RawValue) -> bool {
        let (mut given, mut all_fit) = (0_u64, true);
        let read = members::each(arguments, |_, name, value| match self.place_of(name) {
            Some(place) => {
                given |= 1 << place;
                all_fit &= self.parameters[place].1.surely_has(value);
            }
            None => all_fit &= self.is_open,
        });
        read.is_some() && all_fit && given & self.required == self.required
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|(known, _)| **known == *name)
    }
}

impl KindSet {
    const ALL: Self = Self(u8::MAX);

    /// Of a parameter about which nothing else is said.
    fn of(parameter: &Value) -> Option<Self> {
        let parameter = match parameter {
            Value::Bool(true) => return Some(Self::ALL),
            parameter => parameter.as_object()?,
        };
        let mut kinds = Self::ALL;
        for (key, value) in parameter {
            match (key.as_str(), value) {
                ("type", Value::String(kind)) => kinds = Self::named(kind)?,
                ("type", Value::Array(several)) if !several.is_empty() => {
                    kinds = Self(0);
                    for kind in several {
                        kinds.0 |= Self::named(kind.as_str()?)?.0;
                    }
                }
                (remark, _) if REMARKS.contains(&remark) => {}
                _ => return None,
            }
        }
        Some(kinds)
    }

    fn named(kind: &str) -> Option<Self> {
        Some(Self(match kind {
            "null" => 1,
            "boolean" => 1 << 1,
            "string" => 1 << 2,
            "array" => 1 << 3,
            "object" => 1 << 4,
            "integer" => 1 << 5,
            // A whole number is one too.
            "number" => 1 << 5 | 1 << 6,
            _ => return None,
        }))
    }

    fn surely_has(self, value: &RawValue) -> bool {
        let text = value.get().as_bytes();
        let kind = match text.first() {
            Some(b'n') => "null",
            Some(b't' | b'f') => "boolean",
            Some(b'"') => "string",
            Some(b'[') => "array",
            Some(b'{') => "object",
            // `1.0` is a whole number to some rules and to others not.
            Some(_) if text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-') => "integer",
            _ => "number",
        };
        Self::named(kind).is_some_and(|of_value| self.0 & of_value.0 == of_value.0)
    }
}

#[cfg(test)]
mod tests;
