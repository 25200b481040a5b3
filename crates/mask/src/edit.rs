//! Places in a text, and the stars that go there. What belongs there is found elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use super::needle::Needles;
use super::{shape, view};
use toolgate_types::ConfigText;

/// A part of a text and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MaskEdit {
    pub(super) range: Range<usize>,
    pub(super) form: MaskForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MaskForm {
    /// Within a text or within the quotes of a JSON string.
    Inside,
    /// In place of a JSON value; inside a JSON string the quotes are escaped.
    Value { quoting: u8 },
}

impl MaskForm {
    pub(super) fn replacement(self) -> &'static str {
        match self {
            Self::Inside => ConfigText::STARS,
            Self::Value { quoting: 0 } => "\"***\"",
            Self::Value { .. } => r#"\"***\""#,
        }
    }
}

impl MaskEdit {
    pub(super) fn inside(range: Range<usize>) -> Self {
        Self { range, form: MaskForm::Inside }
    }

    fn changes(&self, text: &str) -> bool {
        text.get(self.range.clone()) != Some(self.form.replacement())
    }
}

/// The places in a text that hold a secret, by value or by shape.
pub(super) fn in_text(needles: &Needles, text: &str) -> Vec<MaskEdit> {
    let mut ranges = Vec::new();
    view::find_values(needles, text.as_bytes(), &mut ranges);
    shape::find(text, &mut ranges);
    let edits = ranges.into_iter().map(MaskEdit::inside).collect();
    merged(text, edits)
}

/// In order, with what overlaps or touches made one, and without those that change nothing.
pub(super) fn merged(text: &str, mut edits: Vec<MaskEdit>) -> Vec<MaskEdit> {
    edits.retain(|edit| !edit.range.is_empty());
    edits.sort_by(|a, b| a.range.start.cmp(&b.range.start).then(b.range.end.cmp(&a.range.end)));
    let mut merged: Vec<MaskEdit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match merged.last_mut() {
            Some(last) if edit.range.start < last.range.end => {
                last.range.end = last.range.end.max(edit.range.end);
            }
            Some(last) if edit.range.start == last.range.end && last.form == edit.form => {
                last.range.end = edit.range.end;
            }
            _ => merged.push(edit),
        }
    }
    merged.retain(|edit| edit.changes(text));
    merged
}

/// The text with its edits made, looked at again until there is none: stars and what stands beside
/// them can make up a secret that was not there before. What does not come to rest is all masked.
pub(super) fn settle<'a>(
    text: &'a str,
    whole: &'static str,
    find: impl Fn(&str) -> Vec<MaskEdit>,
) -> Cow<'a, str> {
    const ROUNDS: usize = 8;
    let mut settled = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        let edits = find(&settled);
        if edits.is_empty() {
            return settled;
        }
        settled = Cow::Owned(applied(&settled, &edits));
    }
    Cow::Borrowed(whole)
}

fn applied(text: &str, edits: &[MaskEdit]) -> String {
    let mut out = String::with_capacity(text.len() + 8 * edits.len());
    let mut done = 0;
    for MaskEdit { range, form } in edits {
        let start = text.floor_char_boundary(range.start).max(done);
        out.push_str(&text[done..start]);
        out.push_str(form.replacement());
        done = text.ceil_char_boundary(range.end).max(start);
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests;
