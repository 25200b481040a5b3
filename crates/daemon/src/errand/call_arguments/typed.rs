//! A typed value from what stands after `=`, by what the tool's schema says of that argument.
//!
//! Only types are looked at: whether a value is in range, or one of those allowed, is for others.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::value::RawValue;
use toolgate_control::CommandFailure;
use toolgate_types::visible;

use super::object::text;

/// A schema that refers to itself is followed no further than this.
const DEEPEST: usize = 8;

/// The types of a tool's arguments.
pub(super) struct ArgumentTypes(Value);

impl ArgumentTypes {
    pub(super) fn of(schema: Option<&RawValue>) -> Self {
        let schema = schema.and_then(|schema| serde_json::from_str(schema.get()).ok());
        Self(schema.unwrap_or_default())
    }

    /// The JSON text of a value.
    pub(super) fn value(&self, key: &str, typed: &str) -> Result<String, CommandFailure> {
        let mut types = BTreeSet::new();
        if let Some(schema) = self.0.get("properties").and_then(|all| all.get(key)) {
            self.collect(schema, &mut types, DEEPEST);
        }
        let parsed = serde_json::from_str::<Value>(typed);
        let is_text = types.contains("string");
        types.remove("null");
        match parsed {
            // As it is written, so that a number keeps its spelling.
            Ok(_) if types.is_empty() => Ok(typed.trim().to_owned()),
            Ok(value) if is_text => match is_among(&value, &types) {
                true => Ok(typed.trim().to_owned()),
                false => Ok(text(typed)),
            },
            Ok(_) => Ok(typed.trim().to_owned()),
            Err(_) if is_text || types.is_empty() => Ok(text(typed)),
            Err(error) => {
                let wanted = types.into_iter().collect::<Vec<_>>().join(" or ");
                let key = visible(key);
                Err(CommandFailure::new(format!("the argument `{key}` is no {wanted}: {error}"))
                    .hint(format!("the tool wants JSON for `{key}`")))
            }
        }
    }

    /// Every type that a schema lets through.
    fn collect<'a>(&'a self, schema: &'a Value, types: &mut BTreeSet<&'a str>, depth: usize) {
        let Some(deeper) = depth.checked_sub(1) else { return };
        match schema.get("type") {
            Some(Value::String(one)) => _ = types.insert(one),
            Some(Value::Array(some)) => types.extend(some.iter().filter_map(Value::as_str)),
            _ => {}
        }
        for choice in ["anyOf", "oneOf", "allOf"] {
            for schema in schema.get(choice).and_then(Value::as_array).into_iter().flatten() {
                self.collect(schema, types, deeper);
            }
        }
        let place = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
        if let Some(schema) = place.and_then(|place| self.0.pointer(place)) {
            self.collect(schema, types, deeper);
        }
    }
}

/// Whether a value is of one of these types and no text: text needs no quotes here.
fn is_among(value: &Value, types: &BTreeSet<&str>) -> bool {
    match value {
        Value::Number(_) => types.contains("number") || types.contains("integer"),
        Value::Bool(_) => types.contains("boolean"),
        Value::Array(_) => types.contains("array"),
        Value::Object(_) => types.contains("object"),
        Value::String(_) | Value::Null => false,
    }
}
