//! Where the tables and values of a TOML text physically stand.
//!
//! One table may be spread over a header, dotted keys and headers below it; this lists the pieces
//! in the order of the text. It changes nothing.

use std::ops::Range;

use toml_edit::{Document, Item, Table, Value};

use super::super::EditError;
use super::super::lines::{line, line_end, line_start, next_line};

/// The pieces of a text, each list in the order of the text.
pub(super) struct TomlLayout<'t> {
    pub(super) text: &'t str,
    pub(super) sections: Vec<TomlSection>,
    pub(super) leaves: Vec<TomlLeaf>,
}

/// A `[header]` or `[[header]]`.
pub(super) struct TomlSection {
    pub(super) path: Vec<String>,
    pub(super) header: Range<usize>,
}

/// A `key = value`; its path is whole, or starts at the inline table that it stands in.
pub(super) struct TomlLeaf {
    pub(super) path: Vec<String>,
    pub(super) value: Range<usize>,
    /// The entries of an inline table.
    pub(super) inside: Option<Vec<TomlLeaf>>,
}

impl<'t> TomlLayout<'t> {
    pub(super) fn of(text: &'t str) -> Result<Self, EditError> {
        let document = Document::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
            EditError::Syntax { line, message: error.message().to_owned() }
        })?;
        let mut layout = Self { text, sections: Vec::new(), leaves: Vec::new() };
        layout.collect(document.as_table(), &[]);
        layout.sections.sort_by_key(|section| section.header.start);
        layout.leaves.sort_by_key(|leaf| leaf.value.start);
        Ok(layout)
    }

    fn collect(&mut self, table: &Table, path: &[String]) {
        for (key, item) in table {
            let path: Vec<String> = path.iter().cloned().chain([key.to_owned()]).collect();
            match item {
                Item::None => {}
                Item::Value(value) => self.leaves.extend(leaf(path, value)),
                Item::Table(table) => self.section(table, path),
                Item::ArrayOfTables(tables) => {
                    tables.iter().for_each(|table| self.section(table, path.clone()));
                }
            }
        }
    }

    fn section(&mut self, table: &Table, path: Vec<String>) {
        self.collect(table, &path);
        let has_header = !table.is_implicit() && !table.is_dotted();
        if let Some(header) = table.span().filter(|_| has_header) {
            self.sections.push(TomlSection { path, header });
        }
    }

    /// Whether a table stands at `path`, in whatever spelling.
    pub(super) fn has(&self, path: &[String]) -> bool {
        self.sections.iter().any(|section| section.path.starts_with(path))
            || self.leaves.iter().any(|leaf| leaf.path.starts_with(path))
    }

    /// Whether `path` is a list of tables, each below a `[[header]]`.
    pub(super) fn is_list(&self, path: &[String]) -> bool {
        let mut sections = self.sections.iter().filter(|section| section.path == path);
        sections.any(|section| self.text[section.header.clone()].starts_with("[["))
    }

    /// The path of the header that a place stands under.
    pub(super) fn header_over(&self, at: usize) -> &[String] {
        let above = self.sections.iter().rfind(|section| section.header.start <= at);
        above.map_or(&[], |section| &section.path)
    }

    /// The end of the last line of a section, at least that of its header.
    pub(super) fn body_end(&self, section: &TomlSection) -> usize {
        let start = section.header.start;
        let next = self.sections.iter().find(|other| other.header.start > start);
        let end = next.map_or(self.text.len(), |next| next.header.start);
        let mut leaves = self.leaves.iter().rev();
        let last = leaves.find(|leaf| (start..end).contains(&leaf.value.start));
        line_end(self.text, last.map_or(section.header.end, |leaf| leaf.value.end))
    }

    /// As [`Self::body_end`], with the comment lines directly below, unless they lead over to
    /// something without a blank line.
    pub(super) fn section_end(&self, section: &TomlSection) -> usize {
        let body = self.body_end(section);
        let mut end = body;
        loop {
            let next = next_line(self.text, end);
            let below = line(self.text, next).trim_start();
            if next == end || below.is_empty() {
                return end;
            } else if !below.starts_with('#') {
                return body;
            }
            end = line_end(self.text, next);
        }
    }

    /// The start of the line of `at`, or of the comment lines that are attached above it.
    pub(super) fn block_start(&self, at: usize) -> usize {
        let headers = self.sections.iter().map(|section| section.header.end);
        let ends = headers.chain(self.leaves.iter().map(|leaf| leaf.value.end));
        let floor = ends.filter(|end| *end <= at).max().map_or(0, |end| next_line(self.text, end));
        let mut start = line_start(self.text, at);
        while start > floor {
            let above = line_start(self.text, start - 1);
            if !line(self.text, above).trim_start().starts_with('#') {
                break;
            }
            start = above;
        }
        start
    }
}

fn leaf(path: Vec<String>, value: &Value) -> Option<TomlLeaf> {
    let inside = value.as_inline_table().map(|table| {
        let entry = |(keys, value): (Vec<&toml_edit::Key>, &Value)| {
            leaf(keys.into_iter().map(|key| key.get().to_owned()).collect(), value)
        };
        let mut inside: Vec<TomlLeaf> = table.get_values().into_iter().filter_map(entry).collect();
        inside.sort_by_key(|leaf| leaf.value.start);
        inside
    });
    Some(TomlLeaf { path, value: value.span()?, inside })
}
