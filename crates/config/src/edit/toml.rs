//! Edits of a TOML text.
//!
//! A table may be written with a header, with dotted keys or inline; an edit stays with what the
//! text already does around it, and makes headers where nothing is decided.

mod inline;
mod insert;
mod layout;
pub(super) mod render;

use serde_json::{Map, Value};

use super::lines::{self, indent, line_end, line_start, next_line};
use super::{EditError, TextSplice};
use layout::{TomlLayout, TomlLeaf, TomlSection};

pub(super) fn set(
    text: &mut String,
    path: &[&str],
    value: &Value,
    newline: &'static str,
) -> Result<(), EditError> {
    let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
    TomlEdit { text, newline }.set(&path, value)
}

pub(super) fn remove(text: &mut String, path: &[&str]) -> Result<(), EditError> {
    let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
    TomlEdit { text, newline: "\n" }.remove(&path)
}

/// One edit on its way: a text that is taken apart anew for each step.
struct TomlEdit<'t> {
    text: &'t mut String,
    newline: &'static str,
}

impl TomlEdit<'_> {
    fn set(&mut self, path: &[String], value: &Value) -> Result<(), EditError> {
        let layout = TomlLayout::of(self.text)?;
        if let Some((leaf, rest)) = leaf_on(&layout.leaves, path) {
            if rest.is_empty() {
                let range = leaf.value.clone();
                self.text.replace_range(range, &render::inline(path, value)?);
                return Ok(());
            }
            let Some(splices) = self.set_inside(leaf, path, rest, value)? else {
                return self.replace(path, value);
            };
            lines::apply(self.text, splices);
            return Ok(());
        }
        if !layout.has(path) {
            return self.insert(path, value);
        }
        match value {
            Value::Object(map) if !layout.is_list(path) => self.set_table(path, map),
            _ => self.replace(path, value),
        }
    }

    /// Takes away every piece of what stands at `path`.
    fn remove(&mut self, path: &[String]) -> Result<(), EditError> {
        while let Some(piece) = last_piece(&TomlLayout::of(self.text)?, path) {
            lines::apply(self.text, piece);
        }
        Ok(())
    }

    fn replace(&mut self, path: &[String], value: &Value) -> Result<(), EditError> {
        self.remove(path)?;
        self.set(path, value)
    }

    /// Replaces a table that is spread over headers or dotted keys, at its place.
    fn set_table(&mut self, path: &[String], map: &Map<String, Value>) -> Result<(), EditError> {
        while let Some(spare) = last_spare_piece(&TomlLayout::of(self.text)?, path) {
            lines::apply(self.text, spare);
        }
        let layout = TomlLayout::of(self.text)?;
        if let Some(section) = layout.sections.iter().find(|section| section.path == path) {
            let (body, new) = self.new_body(&layout, section, path, map)?;
            self.text.replace_range(body, &new);
            return Ok(());
        }
        let Some(leaf) = layout.leaves.iter().find(|leaf| leaf.path.starts_with(path)) else {
            return self.insert(path, &Value::Object(map.clone()));
        };
        let header = layout.header_over(leaf.value.start).len();
        let lines = self.dotted(path, header, map, indent(self.text, leaf.value.start))?;
        let place = line_start(self.text, leaf.value.start)..line_end(self.text, leaf.value.end);
        self.text.replace_range(place, &lines);
        Ok(())
    }

    /// New lines under an old header. The comments above the header and on its line stay.
    fn new_body(
        &self,
        layout: &TomlLayout<'_>,
        section: &TomlSection,
        path: &[String],
        map: &Map<String, Value>,
    ) -> Result<TextSplice, EditError> {
        let body = line_end(self.text, section.header.end)..layout.body_end(section);
        let first = if body.is_empty() { body.start } else { next_line(self.text, body.start) };
        let margin = indent(self.text, first);
        let render::TableLines { lines, tables } = render::body(path, map)?;
        let mut new: Vec<String> =
            lines.into_iter().map(|line| format!("{margin}{line}")).collect();
        for (path, map) in tables {
            new.push(String::new());
            new.extend(render::table(&path, map)?);
        }
        Ok((body, new.into_iter().map(|line| format!("{}{line}", self.newline)).collect()))
    }

    /// A table as dotted keys below a header `header` keys long.
    fn dotted(
        &self,
        path: &[String],
        header: usize,
        map: &Map<String, Value>,
        margin: &str,
    ) -> Result<String, EditError> {
        if map.is_empty() {
            return Ok(format!("{margin}{} = {{}}", render::keys(&path[header..])));
        }
        let line = |(key, value): (&String, &Value)| {
            let path: Vec<String> = path.iter().chain([key]).cloned().collect();
            let value = render::inline(&path, value)?;
            Ok(format!("{margin}{} = {value}", render::keys(&path[header..])))
        };
        let lines: Result<Vec<String>, EditError> = map.iter().map(line).collect();
        Ok(lines?.join(self.newline))
    }
}

/// The leaf that stands at `path` or on the way to it, with the rest of the path.
fn leaf_on<'l, 'p>(
    leaves: &'l [TomlLeaf],
    path: &'p [String],
) -> Option<(&'l TomlLeaf, &'p [String])> {
    let leaf = leaves.iter().find(|leaf| path.starts_with(&leaf.path))?;
    Some((leaf, &path[leaf.path.len()..]))
}

fn last_piece(layout: &TomlLayout<'_>, path: &[String]) -> Option<Vec<TextSplice>> {
    if let Some((leaf, rest)) = leaf_on(&layout.leaves, path).filter(|(_, rest)| !rest.is_empty()) {
        return inline::remove_last(layout.text, leaf, rest);
    }
    // From the last one up: the tables of a list must not lose the header above them first.
    let section = layout.sections.iter().rfind(|section| section.path.starts_with(path));
    let leaf = || layout.leaves.iter().rfind(|leaf| leaf.path.starts_with(path));
    let block = section.map(|section| section_block(layout, section));
    let block = block.or_else(|| leaf().map(|leaf| leaf_block(layout, leaf)))?;
    Some(vec![(block, String::new())])
}

/// A piece of a table that is not needed to keep the table's place: a header below its own, or
/// all dotted keys but the first.
fn last_spare_piece(layout: &TomlLayout<'_>, path: &[String]) -> Option<Vec<TextSplice>> {
    let below =
        |section: &&TomlSection| section.path.len() > path.len() && section.path.starts_with(path);
    if let Some(section) = layout.sections.iter().rfind(below) {
        return Some(vec![(section_block(layout, section), String::new())]);
    }
    let has_header = layout.sections.iter().any(|section| section.path == path);
    let mut leaves = layout.leaves.iter().filter(|leaf| leaf.path.starts_with(path) && !has_header);
    leaves.next()?;
    Some(vec![(leaf_block(layout, leaves.next_back()?), String::new())])
}

fn section_block(layout: &TomlLayout<'_>, section: &TomlSection) -> std::ops::Range<usize> {
    whole_lines(layout, section.header.start, layout.section_end(section))
}

fn leaf_block(layout: &TomlLayout<'_>, leaf: &TomlLeaf) -> std::ops::Range<usize> {
    whole_lines(layout, leaf.value.start, leaf.value.end)
}

fn whole_lines(layout: &TomlLayout<'_>, from: usize, to: usize) -> std::ops::Range<usize> {
    let lines = layout.block_start(from)..next_line(layout.text, to);
    let bottom = layout.text[lines.end..].trim().is_empty();
    let top = lines.start == 0;
    lines::with_blanks(layout.text, lines, top, bottom)
}
