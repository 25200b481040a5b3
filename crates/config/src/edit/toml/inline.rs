//! Entries of inline tables, on one line or over several.

use serde_json::Value;

use super::super::entries::{BracketEntries, EntryStyle};
use super::super::gaps::CommentStyle;
use super::super::{EditError, TextSplice};
use super::layout::TomlLeaf;
use super::{TomlEdit, leaf_on, render};

impl TomlEdit<'_> {
    /// Sets `rest`, the end of `path`, in an inline table. `None` when it is spelt with dotted
    /// keys there, so that they have to go first.
    pub(super) fn set_inside(
        &self,
        table: &TomlLeaf,
        path: &[String],
        rest: &[String],
        value: &Value,
    ) -> Result<Option<Vec<TextSplice>>, EditError> {
        let inside = table.inside.as_deref().unwrap_or_default();
        if let Some((inner, rest)) = leaf_on(inside, rest) {
            return match rest {
                [] => Ok(Some(vec![(inner.value.clone(), render::inline(path, value)?)])),
                rest => self.set_inside(inner, path, rest, value),
            };
        }
        if inside.iter().any(|inner| inner.path.starts_with(rest)) {
            return Ok(None);
        }
        let dotted =
            |depth: &usize| inside.iter().any(|leaf| leaf.path.starts_with(&rest[..*depth]));
        let depth = (1..rest.len()).take_while(dotted).count() + 1;
        let wrap = |value, key: &String| Value::from_iter([(key.clone(), value)]);
        let value = rest[depth..].iter().rev().fold(value.clone(), wrap);
        let value = render::inline(&path[..path.len() - rest.len() + depth], &value)?;
        let entry = format!("{} = {value}", render::keys(&rest[..depth]));
        let style = EntryStyle {
            newline: self.newline,
            step: "  ".to_owned(),
            comma: ", ",
            filled_on_one_line: Some(" "),
        };
        Ok(Some(entries(self.text, table).append(|_| entry.clone(), &style)))
    }
}

/// Removes the last entry of an inline table that stands at `rest` or below it.
pub(super) fn remove_last(
    text: &str,
    table: &TomlLeaf,
    rest: &[String],
) -> Option<Vec<TextSplice>> {
    let inside = table.inside.as_deref()?;
    match leaf_on(inside, rest) {
        Some((inner, rest)) if !rest.is_empty() => remove_last(text, inner, rest),
        _ => {
            let index = inside.iter().rposition(|inner| inner.path.starts_with(rest))?;
            Some(entries(text, table).remove(index))
        }
    }
}

fn entries<'t>(text: &'t str, table: &TomlLeaf) -> BracketEntries<'t> {
    let values = table.inside.iter().flatten().map(|leaf| leaf.value.clone());
    BracketEntries::new(text, CommentStyle::Hash, &table.value, values)
}
