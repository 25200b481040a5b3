//! Finds the place for what a TOML text does not have yet.
//!
//! New text goes after its siblings and is spelt as they are.

use serde_json::Value;

use super::super::EditError;
use super::super::lines::{indent, line, line_end, next_line};
use super::layout::{TomlLayout, TomlLeaf};
use super::{TomlEdit, render};

impl TomlEdit<'_> {
    /// Inserts a value where nothing stands; its parent may be missing as well.
    pub(super) fn insert(&mut self, path: &[String], value: &Value) -> Result<(), EditError> {
        let layout = TomlLayout::of(self.text)?;
        let Some((key, parent)) = path.split_last() else { return Err(EditError::NoKey) };
        if !parent.is_empty() && !layout.has(parent) {
            return self.insert(parent, &Value::from_iter([(key.clone(), value.clone())]));
        }
        let dotted = layout.last_dotted_below(parent);
        let (at, new) = match value {
            Value::Object(map) if !layout.wants_one_line(path, map) => match dotted {
                Some(sibling) if !layout.has_headers_below(parent) => {
                    let header = layout.header_over(sibling.value.start).len();
                    let margin = indent(self.text, sibling.value.start);
                    let lines = self.dotted(path, header, map, margin)?;
                    (line_end(self.text, sibling.value.end), format!("{}{lines}", self.newline))
                }
                _ => self.place_section(&layout, parent, &render::table(path, map)?),
            },
            value => {
                let value = render::inline(path, value)?;
                self.place_line(&layout, parent, |header| {
                    format!("{} = {value}", render::keys(&path[header..]))
                })
            }
        };
        self.text.insert_str(at, &new);
        Ok(())
    }

    /// A section goes after the last one of its parent, else to the end of the text.
    fn place_section(
        &self,
        layout: &TomlLayout<'_>,
        parent: &[String],
        lines: &[String],
    ) -> (usize, String) {
        let nl = self.newline;
        let section = lines.join(nl);
        let mut siblings = layout.sections.iter();
        let sibling = siblings.rfind(|section| section.path.starts_with(parent));
        let Some(sibling) = sibling.filter(|_| !parent.is_empty()) else {
            return self.at_the_end(&section);
        };
        let at = layout.section_end(sibling);
        let next = next_line(self.text, at);
        let crowded = next < self.text.len() && !line(self.text, next).trim().is_empty();
        (at, format!("{nl}{nl}{section}{}", if crowded { nl } else { "" }))
    }

    /// A line goes after the last one of its table. `write` is given the number of keys that the
    /// header above the line has said already.
    fn place_line(
        &self,
        layout: &TomlLayout<'_>,
        parent: &[String],
        write: impl Fn(usize) -> String,
    ) -> (usize, String) {
        let nl = self.newline;
        let after = |at: usize, header: usize| {
            let end = line_end(self.text, at);
            (end, format!("{nl}{}{}", indent(self.text, at), write(header)))
        };
        if let Some(section) = layout.sections.iter().find(|section| section.path == parent) {
            return after(layout.body_end(section), parent.len());
        }
        if let Some(leaf) = layout.last_dotted_into(parent) {
            return after(leaf.value.end, layout.header_over(leaf.value.start).len());
        }
        let mut sections = layout.sections.iter();
        match sections.find(|section| section.path.starts_with(parent)) {
            None => self.at_the_end(&write(parent.len())),
            Some(first) => {
                let header = if parent.is_empty() {
                    String::new()
                } else {
                    format!("[{}]{nl}", render::keys(parent))
                };
                let line = write(parent.len());
                (layout.block_start(first.header.start), format!("{header}{line}{nl}{nl}"))
            }
        }
    }

    fn at_the_end(&self, new: &str) -> (usize, String) {
        let nl = self.newline;
        match self.text.trim_end().len() {
            0 => (0, format!("{new}{nl}")),
            end => (end, format!("{nl}{nl}{new}")),
        }
    }
}

impl TomlLayout<'_> {
    /// Whether a new table should be an inline one: a small map in a table with a header, or the
    /// next of several inline ones.
    fn wants_one_line(&self, path: &[String], map: &serde_json::Map<String, Value>) -> bool {
        let parent = &path[..path.len() - 1];
        let mut siblings = self.leaves.iter().filter(|leaf| leaf.path.len() == path.len());
        let has_header = self.sections.iter().any(|section| section.path == parent);
        if path.len() >= 3 && render::is_small(map) {
            return has_header || self.last_dotted_into(parent).is_some();
        }
        has_header
            && !self.has_headers_below(parent)
            && siblings.any(|leaf| leaf.path.starts_with(parent) && leaf.inside.is_some())
    }

    fn has_headers_below(&self, path: &[String]) -> bool {
        let mut paths = self.sections.iter().map(|section| &section.path);
        paths.any(|below| below.len() > path.len() && below.starts_with(path))
    }

    /// The last line that reaches a table below `path` with dotted keys. The root is left out:
    /// there each table stands for itself.
    fn last_dotted_below(&self, path: &[String]) -> Option<&TomlLeaf> {
        let dotted = |leaf: &&TomlLeaf| {
            let header = self.header_over(leaf.value.start).len();
            let reaches = leaf.path.len() > path.len() + 1 || header < path.len();
            leaf.path.starts_with(path) && header <= path.len() && reaches
        };
        self.leaves.iter().rfind(dotted).filter(|_| !path.is_empty())
    }

    /// The last line that reaches into `path` itself from under a header above it; for the root,
    /// which has none, the last line that stands above every header.
    fn last_dotted_into(&self, path: &[String]) -> Option<&TomlLeaf> {
        self.leaves.iter().rfind(|leaf| {
            let header = self.header_over(leaf.value.start).len();
            leaf.path.starts_with(path) && (header < path.len() || (path.is_empty() && header == 0))
        })
    }
}
