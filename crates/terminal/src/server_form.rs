//! A server's form, field by field: asked, read as the type it has, and sent only if the person
//! says so at the end.

use std::io::Result;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use toolgate_types::{ServerQuestion, visible};

use crate::conversation::AskerTerminal;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Elicitation {
    message: String,
    /// Of a page that the server wants opened, instead of a form.
    url: Option<String>,
    requested_schema: Option<FormSchema>,
}

#[derive(Deserialize, Default)]
struct FormSchema {
    #[serde(default)]
    properties: Map<String, Value>,
    #[serde(default)]
    required: Vec<String>,
}

/// Asks what a server wants to know; the answer as the protocol has it.
pub fn ask_server_form(question: &ServerQuestion, at: &mut AskerTerminal) -> Result<Box<RawValue>> {
    let params = question.params.as_deref().map_or("{}", RawValue::get);
    let answer = match serde_json::from_str(params) {
        Ok(elicitation) => fill_in(&elicitation, question.server.as_str(), at)?,
        Err(_) => json!({ "action": "cancel" }),
    };
    Ok(to_raw_value(&answer)?)
}

fn fill_in(asked: &Elicitation, server: &str, at: &mut AskerTerminal) -> Result<Value> {
    at.say(&format!("{server} asks: {}", visible(&asked.message)))?;
    let answer = |agrees: bool| if agrees { "accept" } else { "decline" };
    if let Some(url) = &asked.url {
        // Never opened by us: the person sees where it leads.
        at.say(&format!("on this page: {}", visible(url)))?;
        let agrees = at.agrees("have you opened it?")?;
        return Ok(json!({ "action": answer(agrees) }));
    }
    let mut content = Map::new();
    let none = FormSchema::default();
    let FormSchema { properties, required } = asked.requested_schema.as_ref().unwrap_or(&none);
    for (name, field) in properties {
        match fill_in_field(name, field, required.contains(name), at)? {
            Some(Value::Null) => {}
            Some(value) => _ = content.insert(name.clone(), value),
            None => return Ok(json!({ "action": "cancel" })),
        }
    }
    match at.agrees(&format!("send this to {server}?"))? {
        true => Ok(json!({ "action": "accept", "content": content })),
        false => Ok(json!({ "action": "decline" })),
    }
}

/// What the person typed, `null` where they left it out, `None` at the end of input.
fn fill_in_field(
    name: &str,
    field: &Value,
    is_required: bool,
    at: &mut AskerTerminal,
) -> Result<Option<Value>> {
    let choices = choices(field);
    let mut question = format!("  {}", visible(name));
    if let Some(words) = field["description"].as_str().or(field["title"].as_str()) {
        question += &format!(" ({})", visible(words));
    }
    if !choices.is_empty() {
        question += &format!(" {{{}}}", visible(&choices.join(", ")));
    }
    let default = &field["default"];
    if !default.is_null() {
        question += &format!(" [{}]", visible(&default.to_string()));
    }
    loop {
        let Some(typed) = at.ask(&format!("{question}:"))? else { return Ok(None) };
        let why = match typed.as_str() {
            "" if !default.is_null() => return Ok(Some(default.clone())),
            "" if !is_required => return Ok(Some(Value::Null)),
            "" => "it is needed",
            _ if !choices.is_empty() && !choices.contains(&typed.as_str()) => "it is none of those",
            _ => match read(field, &typed) {
                Some(value) => return Ok(Some(value)),
                None => "it is not of the right type",
            },
        };
        at.say(&format!("  {why}"))?;
    }
}

fn choices(field: &Value) -> Vec<&str> {
    let listed = field["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let titled = field["oneOf"].as_array().into_iter().flatten();
    listed.chain(titled.filter_map(|choice| choice["const"].as_str())).collect()
}

fn read(field: &Value, typed: &str) -> Option<Value> {
    let read = || serde_json::from_str::<Value>(typed).ok();
    match field["type"].as_str() {
        Some("number") => read().filter(Value::is_number),
        Some("integer") => read().filter(|value| value.is_i64() || value.is_u64()),
        Some("boolean") => match typed.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Some(true.into()),
            "n" | "no" | "false" => Some(false.into()),
            _ => None,
        },
        // Several of some choices.
        Some("array") => Some(typed.split(',').map(str::trim).map(Value::from).collect()),
        _ => Some(typed.into()),
    }
}
