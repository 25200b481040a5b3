//! `null` where a model means "nothing": it says so for optional parameters all the time, and most
//! schemas do not allow it. Left out, it is what the tool's author meant by optional.
//!
//! Only what the schema says plainly of its own parameters counts: declared at the top, not
//! required, of a type that excludes `null`, and neither referring elsewhere nor leaving a choice.
//! Everything else stays, for the check or the server to judge.

use std::collections::HashSet;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::members;

/// The parameters of a tool for which `null` is the same as leaving them out.
#[derive(Debug, Default)]
pub(super) struct OptionalNulls(HashSet<String>);

impl OptionalNulls {
    pub(super) fn of(schema: &RawValue) -> Self {
        let schema = serde_json::from_str::<Value>(schema.get()).unwrap_or_default();
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|names| names.iter().any(|required| required == name))
        };
        let declared = schema.get("properties").and_then(Value::as_object);
        let meant = declared.into_iter().flatten().filter(|(name, parameter)| {
            !is_required(name) && parameter.as_object().is_some_and(excludes_null)
        });
        Self(meant.map(|(name, _)| name.clone()).collect())
    }

    /// The arguments without those; nothing if they have none. An object with a key twice is left as
    /// it is: which of the two counts is not for us to say, and it is refused later.
    pub(super) fn left_out(&self, arguments: &RawValue) -> Option<Box<RawValue>> {
        if self.0.is_empty() || !arguments.get().contains("null") {
            return None;
        }
        let (mut names, mut is_plain, mut is_changed) = (HashSet::new(), true, false);
        let mut kept = String::with_capacity(arguments.get().len());
        members::each(arguments, |spelled, name, value| {
            is_plain &= names.insert(name.to_owned());
            if value.get() == "null" && self.0.contains(name) {
                is_changed = true;
                return;
            }
            kept.push(if kept.is_empty() { '{' } else { ',' });
            kept.push_str(spelled.get());
            kept.push(':');
            kept.push_str(value.get());
        })?;
        if kept.is_empty() {
            kept.push('{');
        }
        kept.push('}');
        if is_plain && is_changed { RawValue::from_string(kept).ok() } else { None }
    }
}

fn excludes_null(parameter: &Map<String, Value>) -> bool {
    // `nullable` is not JSON Schema's, but its meaning is plain; `required: true` is of its oldest
    // draft.
    let is_open = ["$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf"]
        .iter()
        .any(|choice| parameter.contains_key(*choice))
        || ["nullable", "required"].iter().any(|word| parameter.get(*word) == Some(&true.into()));
    let by_type = match parameter.get("type") {
        Some(Value::String(one)) => one != "null",
        Some(Value::Array(several)) => {
            !several.is_empty() && several.iter().all(|one| one.is_string() && one != "null")
        }
        _ => false,
    };
    let by_value = match (parameter.get("enum"), parameter.get("const")) {
        (Some(Value::Array(values)), _) => !values.contains(&Value::Null),
        (None, Some(value)) => !value.is_null(),
        _ => false,
    };
    !is_open && (by_type || by_value)
}
