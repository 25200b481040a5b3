//! Tools that the entry of their server has shown and called otherwise than the server defines them.
//!
//! Everything here is about what callers see and send. Pins, digests, patterns and records go by the
//! server's own definition and its own name, and what is decided, approved and recorded is the call
//! as it comes out of here.

mod shown_names;

use serde_json::value::RawValue;
use toolgate_types::config::ToolShaping;
use toolgate_types::{Definition, visible};

use crate::arguments::CompiledSchema;
use crate::members;

pub(crate) use shown_names::ShownNames;

/// The schema of arguments as callers are to see it: without what is hidden, and requiring nothing
/// that is filled in.
pub(crate) fn shown_schema(schema: &RawValue, shaping: &ToolShaping) -> Option<Box<RawValue>> {
    let mut shown = ObjectText::new();
    members::each(schema, |spelled, name, value| match name {
        "properties" => match shown_properties(value, shaping) {
            Some(properties) => shown.push(spelled.get(), &properties),
            None => shown.push(spelled.get(), value.get()),
        },
        "required" => match still_required(value, shaping) {
            Some(required) => shown.push(spelled.get(), &required),
            None => shown.push(spelled.get(), value.get()),
        },
        _ => shown.push(spelled.get(), value.get()),
    })?;
    RawValue::from_string(shown.closed()).ok()
}

fn shown_properties(properties: &RawValue, shaping: &ToolShaping) -> Option<String> {
    let mut shown = ObjectText::new();
    members::each(properties, |spelled, name, value| {
        if shaping.hidden.contains(name) {
            return;
        }
        let told = shaping.defaults.get(name).and_then(|default| with_default(value, default));
        shown.push(spelled.get(), told.as_deref().unwrap_or(value.get()));
    })?;
    Some(shown.closed())
}

/// A parameter that says what it is when it is left out.
fn with_default(parameter: &RawValue, default: &RawValue) -> Option<String> {
    let mut told = ObjectText::new();
    members::each(parameter, |spelled, name, value| {
        if name != "default" {
            told.push(spelled.get(), value.get());
        }
    })?;
    told.push("\"default\"", default.get());
    Some(told.closed())
}

fn still_required(required: &RawValue, shaping: &ToolShaping) -> Option<String> {
    let names: Vec<String> = serde_json::from_str(required.get()).ok()?;
    let is_left = |name: &String| {
        !shaping.hidden.contains(name) && !shaping.defaults.contains_key(name.as_str())
    };
    let left: Vec<String> = names.into_iter().filter(is_left).collect();
    serde_json::to_string(&left).ok()
}

/// A parameter that callers do not know was given, in a sentence for the model that gave it.
pub(crate) fn refuse_hidden(
    shaping: &ToolShaping,
    arguments: Option<&RawValue>,
) -> Result<(), String> {
    let Some(arguments) = arguments.filter(|_| !shaping.hidden.is_empty()) else { return Ok(()) };
    let mut given = None;
    // What is no object is refused by the check.
    members::each(arguments, |_, name, _| {
        if shaping.hidden.contains(name) {
            given.get_or_insert_with(|| name.to_owned());
        }
    });
    match given {
        Some(name) => Err(format!("the parameter `{}` cannot be given", visible(&name))),
        None => Ok(()),
    }
}

/// The arguments with values for what was left out; nothing if nothing was.
pub(crate) fn filled_in(
    shaping: &ToolShaping,
    arguments: Option<&RawValue>,
) -> Option<Box<RawValue>> {
    if shaping.defaults.is_empty() {
        return None;
    }
    let mut filled = ObjectText::new();
    let mut given = Vec::new();
    if let Some(arguments) = arguments {
        members::each(arguments, |spelled, name, value| {
            filled.push(spelled.get(), value.get());
            given.push(name.to_owned());
        })?;
    }
    let mut is_any_missing = false;
    for (name, value) in &shaping.defaults {
        if !given.contains(name) {
            is_any_missing = true;
            filled.push(&serde_json::to_string(name).ok()?, value.get());
        }
    }
    if !is_any_missing {
        return None;
    }
    RawValue::from_string(filled.closed()).ok()
}

/// What is wrong with how a tool is shaped, as far as its schema says: no call of it can be right.
pub(crate) fn flaw(definition: &Definition, shaping: &ToolShaping) -> Option<String> {
    let schema = definition.input_schema.as_deref()?;
    let [properties, required] = members::members(schema, ["properties", "required"])?;
    let required: Vec<String> =
        required.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let is_lost = |name: &&String| {
        shaping.hidden.contains(*name) && !shaping.defaults.contains_key(name.as_str())
    };
    if let Some(name) = required.iter().find(is_lost) {
        let name = visible(name);
        return Some(format!("`{name}` is hidden, the tool requires it, and it has no `default`"));
    }
    let mut unfit = None;
    members::each(properties?, |_, name, parameter| {
        let Some(default) = shaping.defaults.get(name).filter(|_| unfit.is_none()) else { return };
        // A part that refers elsewhere in the schema is judged by the check of each call.
        let is_whole = !parameter.get().contains("\"$ref\"");
        let fits =
            CompiledSchema::new(parameter).is_none_or(|part| part.misfit(default.get()).is_none());
        if is_whole && !fits {
            unfit = Some(format!("the `default` of `{}` does not fit its schema", visible(name)));
        }
    });
    unfit
}

/// A definition with what is shaped in place of the server's own.
pub(crate) fn shown_definition(
    definition: &Definition,
    shaping: &ToolShaping,
    name: &str,
) -> Option<Box<RawValue>> {
    let schema = definition.input_schema.as_deref();
    let schema = schema.and_then(|schema| shown_schema(schema, shaping));
    let mut shown = ObjectText::new();
    let (name, mut words) = (
        serde_json::to_string(name).ok()?,
        shaping.description.as_ref().and_then(|text| serde_json::to_string(text).ok()),
    );
    members::each(&definition.raw, |spelled, member, value| {
        let instead = match member {
            "name" => Some(name.clone()),
            "description" => words.take(),
            "inputSchema" => schema.as_ref().map(|schema| schema.get().to_owned()),
            _ => None,
        };
        shown.push(spelled.get(), instead.as_deref().unwrap_or(value.get()));
    })?;
    if let Some(words) = words {
        shown.push("\"description\"", &words);
    }
    RawValue::from_string(shown.closed()).ok()
}

/// The text of an object, member by member, each as it is spelled.
struct ObjectText(String);

impl ObjectText {
    fn new() -> Self {
        Self(String::new())
    }

    fn push(&mut self, name: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(name);
        self.0.push(':');
        self.0.push_str(value);
    }

    fn closed(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

#[cfg(test)]
mod tests;
