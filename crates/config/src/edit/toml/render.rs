//! Values as TOML text. Where the text goes is decided elsewhere.

use serde_json::{Map, Value};

use super::super::EditError;

/// A map of plain values with more entries than this gets a header of its own.
const LONGEST_INLINE_MAP: usize = 4;

/// The lines of one table, and the tables below it that need headers of their own.
pub(super) struct TableLines<'v> {
    pub(super) lines: Vec<String>,
    pub(super) tables: Vec<(Vec<String>, &'v Map<String, Value>)>,
}

pub(super) fn body<'v>(
    path: &[String],
    map: &'v Map<String, Value>,
) -> Result<TableLines<'v>, EditError> {
    let mut body = TableLines { lines: Vec::new(), tables: Vec::new() };
    for (key, value) in map {
        let inner: Vec<String> = path.iter().chain([key]).cloned().collect();
        match value {
            Value::Object(map) if inner.len() < 3 || !is_small(map) => {
                body.tables.push((inner, map));
            }
            value => body.lines.push(format!("{} = {}", self::key(key), inline(&inner, value)?)),
        }
    }
    Ok(body)
}

/// A table with its header and the tables below it, as lines.
pub(super) fn table(path: &[String], map: &Map<String, Value>) -> Result<Vec<String>, EditError> {
    let TableLines { lines, tables } = body(path, map)?;
    let mut all = Vec::new();
    // A table that only holds tables exists through their headers.
    if !lines.is_empty() || tables.is_empty() {
        all.push(format!("[{}]", keys(path)));
        all.extend(lines);
    }
    for (path, map) in tables {
        if !all.is_empty() {
            all.push(String::new());
        }
        all.extend(table(&path, map)?);
    }
    Ok(all)
}

/// Whether a map reads well on one line.
pub(super) fn is_small(map: &Map<String, Value>) -> bool {
    map.len() <= LONGEST_INLINE_MAP
        && map.values().all(|value| !matches!(value, Value::Array(_) | Value::Object(_)))
}

/// A value on one line. `path` is for errors.
pub(super) fn inline(path: &[String], value: &Value) -> Result<String, EditError> {
    Ok(match value {
        Value::Null => return Err(EditError::Null { key: keys(path) }),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) if number.is_u64() && !number.is_i64() => {
            return Err(EditError::NumberRange { key: keys(path), number: number.to_string() });
        }
        // What JSON writes for a number is TOML as well.
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Result<Vec<String>, _> =
                items.iter().map(|item| inline(path, item)).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                let path: Vec<String> = path.iter().chain([key]).cloned().collect();
                Ok(format!("{} = {}", self::key(key), inline(&path, value)?))
            };
            let entries: Result<Vec<String>, EditError> = map.iter().map(entry).collect();
            format!("{{ {} }}", entries?.join(", "))
        }
    })
}

/// A dotted key path.
pub(in super::super) fn keys<S: AsRef<str>>(path: &[S]) -> String {
    path.iter().map(|part| key(part.as_ref())).collect::<Vec<_>>().join(".")
}

fn key(key: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !key.is_empty() && key.bytes().all(bare) { key.to_owned() } else { string(key) }
}

/// A basic string: always one line, whatever the line endings of the text.
pub(in super::super) fn string(text: &str) -> String {
    // JSON escapes everything TOML wants escaped but the delete character.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}
