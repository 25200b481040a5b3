//! Text of the schema as Markdown: cells, headings, links, default values.
//!
//! It escapes what would break a table; it does not wrap or shorten prose.

use serde_json::Value;

/// One table cell: a single line, with its pipes escaped.
pub(in crate::docs) fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Prose between tables: its paragraphs, each on one line.
pub(super) fn paragraph(text: &str) -> String {
    let paragraphs: Vec<String> = text
        .split("\n\n")
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    paragraphs.join("\n\n")
}

pub(super) fn heading(title: &str) -> String {
    format!("`{title}`")
}

/// A link to the section with this title, by the anchor that Markdown viewers give it.
pub(super) fn link(title: &str) -> String {
    let anchor: String = title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect();
    format!("[table](#{anchor})")
}

pub(super) fn code(value: &Value) -> String {
    format!("`{}`", value.to_string().replace('|', "\\|"))
}

/// A default as one writes it; nothing for an absent one, and no whole table in a cell.
pub(super) fn default(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::Object(object)) if !object.is_empty() => "see there".to_owned(),
        Some(value) => code(value),
    }
}
