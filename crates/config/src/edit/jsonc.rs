//! Edits of a JSON text with comments.
//!
//! New text follows the indentation, the line endings and the commas of the text around it.
//!
//! The `cst` of `jsonc-parser` keeps less: appending lays an object on one line out over several,
//! entries that nobody asked about included, and drops blank lines at the ends of an object.
//! Removing leaves the comments above an entry behind, where they then speak of the next one.

use serde_json::Value;

use super::TextSplice;
use super::entries::{BracketEntries, EntryStyle};
use super::gaps::{CommentStyle, gap};
use super::lines::{self, indent, starts_line};
use crate::tree::ConfigNode;

/// The text with a root object: one with nothing but blanks and comments has none yet.
pub(super) fn with_root(text: &str, newline: &str) -> String {
    let has_root = gap(text, CommentStyle::Slashes, 0).end < text.len();
    match text.trim_end() {
        _ if has_root => text.to_owned(),
        "" => format!("{{}}{newline}"),
        comments => format!("{comments}{newline}{{}}{}", &text[comments.len()..]),
    }
}

pub(super) fn set(
    text: &mut String,
    root: &ConfigNode,
    path: &[&str],
    value: &Value,
    newline: &'static str,
) {
    let writer = JsoncWriter::of(text, root, newline);
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        let Some(child) = node.get(key) else {
            let inner = path[depth + 1..].iter().rev();
            let value = inner.fold(value.clone(), |value, key| Value::from_iter([(*key, value)]));
            let write = |indent: Option<&str>| writer.entry(key, &value, indent);
            let splices = entries(text, node).append(write, &writer.style);
            return lines::apply(text, splices);
        };
        node = child;
    }
    let old = &text[node.span.clone()];
    let one_line = writer.one_line || (!is_plain(node) && !old.contains('\n'));
    let new = writer.value(value, (!one_line).then(|| indent(text, node.span.start)));
    text.replace_range(node.span.clone(), &new);
}

pub(super) fn remove(text: &mut String, root: &ConfigNode, path: &[&str]) {
    let Some((last, parents)) = path.split_last() else { return };
    let Some(parent) = parents.iter().try_fold(root, |node, key| node.get(key)) else { return };
    let members = parent.table().unwrap_or_default();
    let Some(index) = members.iter().position(|member| member.key == *last) else { return };
    let splices: Vec<TextSplice> = entries(text, parent).remove(index);
    lines::apply(text, splices);
}

fn entries<'t>(text: &'t str, object: &ConfigNode) -> BracketEntries<'t> {
    let values = object.table().unwrap_or_default().iter().map(|member| member.value.span.clone());
    BracketEntries::new(text, CommentStyle::Slashes, &object.span, values)
}

/// Whether a value is no container, or one with nothing in it: its text shows no taste.
fn is_plain(node: &ConfigNode) -> bool {
    match &node.value {
        crate::tree::ConfigValue::Array(items) => items.is_empty(),
        crate::tree::ConfigValue::Table(members) => members.is_empty(),
        _ => true,
    }
}

/// Writes values the way the text already does.
struct JsoncWriter {
    style: EntryStyle,
    /// The whole text is one line.
    one_line: bool,
    colon: &'static str,
    trailing_comma: bool,
}

impl JsoncWriter {
    fn of(text: &str, root: &ConfigNode, newline: &'static str) -> Self {
        let one_line = !is_plain(root) && !text.trim_end().contains('\n');
        let tight = one_line && !text.contains("\": ");
        let style = EntryStyle {
            newline,
            step: step(text, root).unwrap_or("  ").to_owned(),
            comma: if tight { "," } else { ", " },
            filled_on_one_line: one_line.then_some(""),
        };
        let trailing_comma = !one_line && entries(text, root).has_trailing_comma();
        Self { style, one_line, colon: if tight { ":" } else { ": " }, trailing_comma }
    }

    fn entry(&self, key: &str, value: &Value, indent: Option<&str>) -> String {
        format!("{}{}{}", Value::from(key), self.colon, self.value(value, indent))
    }

    /// `indent` is that of the line the value starts on; without one the value stays on its line.
    fn value(&self, value: &Value, indent: Option<&str>) -> String {
        let inner = indent.map(|outer| format!("{outer}{}", self.style.step));
        match value {
            Value::Object(map) => {
                let inner = inner.as_deref();
                let entries = map.iter().map(|(key, value)| self.entry(key, value, inner));
                self.bracketed("{", &entries.collect::<Vec<_>>(), indent, "}")
            }
            Value::Array(items) => {
                // Short lists read best on one line; one with tables in it does not.
                let indent = indent.filter(|_| items.iter().any(has_content));
                let inner = inner.as_deref().filter(|_| indent.is_some());
                let items = items.iter().map(|item| self.value(item, inner));
                self.bracketed("[", &items.collect::<Vec<_>>(), indent, "]")
            }
            scalar => scalar.to_string(),
        }
    }

    fn bracketed(&self, open: &str, parts: &[String], indent: Option<&str>, close: &str) -> String {
        let Some(outer) = indent.filter(|_| !parts.is_empty()) else {
            return format!("{open}{}{close}", parts.join(self.style.comma));
        };
        let EntryStyle { newline, step, .. } = &self.style;
        let between = format!(",{newline}{outer}{step}");
        let last = if self.trailing_comma { "," } else { "" };
        format!("{open}{newline}{outer}{step}{}{last}{newline}{outer}{close}", parts.join(&between))
    }
}

fn has_content(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty())
        || value.as_object().is_some_and(|map| !map.is_empty())
}

/// One step of indentation, from the first member that has a line of its own.
fn step<'t>(text: &'t str, object: &ConfigNode) -> Option<&'t str> {
    let outer = indent(text, object.span.start);
    object.table()?.iter().find_map(|member| {
        let at = member.key_span.start;
        let own = starts_line(text, at).then(|| indent(text, at).strip_prefix(outer)).flatten();
        own.filter(|step| !step.is_empty()).or_else(|| step(text, &member.value))
    })
}
