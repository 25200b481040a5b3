//! Edits of a YAML text: an item of the list `mcpServers`, which the tree has as a table by name.
//!
//! Nothing else is edited in YAML. A list in brackets is left to the person: its items have no lines.

use serde_json::Value;

use super::EditError;
use super::lines::{line_start, next_line};
use super::spell;
use crate::tree::{ConfigMember, ConfigNode, ConfigValue};

/// What a file begins with that has nothing in it yet.
const HEAD: &str = "name: toolgate\nversion: 1.0.0\nschema: v1\n";

/// The text with something in it: one with nothing but blanks and comments means nothing.
pub(super) fn with_root(text: &str) -> String {
    let is_empty = |line: &str| matches!(line.trim(), "" | "---") || line.trim().starts_with('#');
    match text.lines().all(is_empty) {
        true if text.is_empty() || text.ends_with('\n') => format!("{text}{HEAD}"),
        true => format!("{text}\n{HEAD}"),
        false => text.to_owned(),
    }
}

pub(super) fn set(
    text: &mut String,
    root: &ConfigNode,
    path: &[&str],
    value: &Value,
    newline: &str,
) -> Result<(), EditError> {
    let entangled = || EditError::Entangled { key: spell(path) };
    let [list, name] = path else { return Err(entangled()) };
    let members = root.table().ok_or_else(entangled)?;
    let Some(list) = members.iter().find(|member| member.key == *list) else {
        if text.trim_end().ends_with("\n...") {
            return Err(entangled());
        }
        if !text.ends_with('\n') {
            text.push_str(newline);
        }
        let item = written(value, "  ", newline);
        text.push_str(&format!("{list}:{newline}{item}"));
        return Ok(());
    };
    match &list.value.value {
        ConfigValue::Table(_) if list.value.span.is_empty() => {
            let at = next_line(text, list.key_span.end);
            insert(text, at, &written(value, "  ", newline), newline);
        }
        ConfigValue::Table(items) if items.is_empty() => {
            let colon = text[list.key_span.end..].find(':').ok_or_else(entangled)?;
            let from = list.key_span.end + colon + 1;
            if from > list.value.span.end {
                return Err(entangled());
            }
            let item = format!("{newline}{}", written(value, "  ", newline).trim_end());
            text.replace_range(from..list.value.span.end, &item);
        }
        ConfigValue::Table(items) => {
            let present = items.iter().find(|item| item.key == *name);
            let last = present.or(items.last()).ok_or_else(entangled)?;
            let lines = item_lines(text, last).ok_or_else(entangled)?;
            let start = &text[lines.start..];
            let indent = start[..start.find('-').ok_or_else(entangled)?].to_owned();
            let item = written(value, &indent, newline);
            match present {
                Some(_) => text.replace_range(lines, &item),
                None => insert(text, lines.end, &item, newline),
            }
        }
        _ => return Err(entangled()),
    }
    Ok(())
}

pub(super) fn remove(text: &mut String, root: &ConfigNode, path: &[&str]) -> Result<(), EditError> {
    let entangled = || EditError::Entangled { key: spell(path) };
    let [list, name] = path else { return Err(entangled()) };
    let members = root.table().ok_or_else(entangled)?;
    let list = members.iter().find(|member| member.key == *list).ok_or_else(entangled)?;
    let items = list.value.table().ok_or_else(entangled)?;
    let item = items.iter().find(|item| item.key == *name).ok_or_else(entangled)?;
    let mut lines = item_lines(text, item).ok_or_else(entangled)?;
    if items.len() == 1 {
        lines.start = line_start(text, list.key_span.start);
    }
    text.replace_range(lines, "");
    Ok(())
}

/// The lines of an item, from its dash on; nothing where it shares them with something else.
fn item_lines(text: &str, item: &ConfigMember) -> Option<std::ops::Range<usize>> {
    let span = &item.value.span;
    let start = line_start(text, span.start);
    let has_dash = text[start..span.start].trim() == "-";
    has_dash.then(|| start..next_line(text, span.end))
}

fn insert(text: &mut String, at: usize, item: &str, newline: &str) {
    match at > 0 && !text[..at].ends_with('\n') {
        true => text.insert_str(at, &format!("{newline}{}", item.trim_end())),
        false => text.insert_str(at, item),
    }
}

/// An item of a list, in lines of its own.
fn written(value: &Value, indent: &str, newline: &str) -> String {
    let mut lines = Vec::new();
    block(value, "", &mut lines);
    let mark = |(index, line): (usize, &String)| match index {
        0 => format!("{indent}- {line}{newline}"),
        _ => format!("{indent}  {line}{newline}"),
    };
    lines.iter().enumerate().map(mark).collect()
}

fn block(table: &Value, indent: &str, lines: &mut Vec<String>) {
    for (key, value) in table.as_object().into_iter().flatten() {
        let key = word(key);
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                lines.push(format!("{indent}{key}:"));
                block(value, &format!("{indent}  "), lines);
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(Value::to_string).collect();
                lines.push(format!("{indent}{key}: [{}]", items.join(", ")));
            }
            Value::String(text) if key == "name" => {
                lines.push(format!("{indent}{key}: {}", word(text)));
            }
            value => lines.push(format!("{indent}{key}: {value}")),
        }
    }
}

/// Plain where nothing in it means anything, else in quotes.
fn word(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        && !matches!(text.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "yes" | "no");
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}
