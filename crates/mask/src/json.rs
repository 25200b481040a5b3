//! The places to mask in JSON, found without building a value: order, spelling and spaces stay.
//!
//! The walk keeps its own stack, so depth costs memory only. The text is known to be JSON; where it
//! turns out not to be, the walk ends early and nothing panics.

mod scan;

use std::ops::Range;

use super::edit::{self, MaskEdit, MaskForm, merged};
use super::needle::Needles;
use super::schema::{SecretMarks, SecretSchema};
use super::shape::{flag, pair};
use super::view::{DecodedView, find_values};

/// Where JSON holds a secret.
pub(super) fn edits(
    needles: &Needles,
    json: &str,
    schema: Option<&SecretSchema<'_>>,
) -> Vec<MaskEdit> {
    MaskWalk::over(needles, json, 0, schema)
}

struct MaskWalk<'a, 's> {
    needles: &'a Needles,
    json: &'a str,
    /// In how many JSON strings this text stands.
    quoting: u8,
    open: Vec<OpenContainer<'s>>,
    edits: Vec<MaskEdit>,
}

/// An object or array that is being walked through.
struct OpenContainer<'s> {
    is_object: bool,
    /// How many members or items were seen.
    seen: usize,
    marks: SecretMarks<'s>,
    /// Of the member whose name was read and whose value comes next.
    next: Option<NextMember<'s>>,
    pair: NameValuePair,
    /// The last item was a flag such as `--token`.
    is_after_flag: bool,
}

struct NextMember<'s> {
    is_secret: bool,
    marks: SecretMarks<'s>,
    part: MemberPart,
}

/// What a member is to `{"name": "API_KEY", "value": "…"}`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberPart {
    Other,
    Name,
    Value,
}

/// As much of such a pair as was seen; its members come in any order.
#[derive(Default)]
struct NameValuePair {
    is_secret: bool,
    /// An object or array that is not yet closed is empty here: to look for its end at each depth
    /// would take ever longer.
    values: Vec<Range<usize>>,
}

impl<'a, 's> MaskWalk<'a, 's> {
    fn over(
        needles: &'a Needles,
        json: &'a str,
        quoting: u8,
        schema: Option<&SecretSchema<'s>>,
    ) -> Vec<MaskEdit> {
        let mut walk = Self { needles, json, quoting, open: Vec::new(), edits: Vec::new() };
        let mut at = scan::next_token(json.as_bytes(), 0);
        while at < json.len() {
            at = scan::next_token(json.as_bytes(), walk.token(at, schema).max(at + 1));
        }
        let edits = merged(json, walk.edits);
        let mut found = Vec::new();
        if edits.is_empty() {
            // A secret that is JSON itself can stand across tokens. There is no part to mask, so
            // all of it goes.
            find_values(needles, json.as_bytes(), &mut found);
        }
        match found.is_empty() {
            true => edits,
            false => vec![MaskEdit { range: 0..json.len(), form: MaskForm::Value { quoting } }],
        }
    }

    /// Handles the token at `at` and tells where it ends.
    fn token(&mut self, at: usize, schema: Option<&SecretSchema<'s>>) -> usize {
        let bytes = self.json.as_bytes();
        if matches!(bytes[at], b'}' | b']') {
            self.close(at + 1);
            return at + 1;
        }
        if bytes[at] == b'"' && self.open.last().is_some_and(OpenContainer::wants_name) {
            let end = scan::end_of_string(bytes, at);
            self.name(at + 1..end.saturating_sub(1), schema);
            return end;
        }
        let NextMember { is_secret, marks, part } = self.next_value(schema);
        let is_secret = is_secret || self.is_beside_its_name(at, part);
        if is_secret || marks.are_secret() {
            let end = scan::end_of_value(bytes, at);
            self.hide(at..end);
            return end;
        }
        match bytes[at] {
            open @ (b'{' | b'[') => {
                let is_object = open == b'{';
                self.open.push(OpenContainer::new(is_object, marks));
                at + 1
            }
            b'"' => {
                let end = scan::end_of_string(bytes, at);
                self.string(at + 1..end.saturating_sub(1));
                end
            }
            _ => {
                let end = scan::end_of_value(bytes, at);
                let mut found = Vec::new();
                self.needles.find(&bytes[at..end], &mut found);
                if !found.is_empty() {
                    self.hide(at..end);
                }
                end
            }
        }
    }

    fn close(&mut self, end: usize) {
        if let Some(OpenContainer { pair: NameValuePair { is_secret: true, values }, .. }) =
            self.open.pop()
        {
            values.into_iter().for_each(|value| self.hide(value));
        }
        let around = self.open.last_mut().and_then(|open| open.pair.values.last_mut());
        if let Some(value) = around.filter(|value| value.start == value.end) {
            value.end = end;
        }
    }

    fn name(&mut self, range: Range<usize>, schema: Option<&SecretSchema<'s>>) {
        let written = &self.json[range.clone()];
        let view = written.contains('\\').then(|| DecodedView::unescaped(written.as_bytes()));
        let name = view.as_ref().and_then(DecodedView::text).unwrap_or(written);
        // A member called `key` says which thing is meant; in a URL or a header it is a secret.
        let is_secret = pair::is_secret(name);
        let part = match name {
            "value" => MemberPart::Value,
            name if pair::is_naming(name) => MemberPart::Name,
            _ => MemberPart::Other,
        };
        if let Some(open) = self.open.last_mut() {
            let marks = schema.map(|schema| schema.member(&open.marks, name)).unwrap_or_default();
            open.next = Some(NextMember { is_secret, marks, part });
        }
        self.string(range);
    }

    /// What is known of the value that comes next.
    fn next_value(&mut self, schema: Option<&SecretSchema<'s>>) -> NextMember<'s> {
        let item = match self.open.last_mut() {
            None => schema.map(SecretSchema::whole),
            Some(open) => {
                open.seen += 1;
                if let Some(next) = open.next.take() {
                    return next;
                }
                schema.map(|schema| schema.item(&open.marks, open.seen - 1))
            }
        };
        NextMember { is_secret: false, marks: item.unwrap_or_default(), part: MemberPart::Other }
    }

    /// Whether the value at `at` comes after a flag or a name that make it a secret. What it tells
    /// of the values beside it is kept.
    fn is_beside_its_name(&mut self, at: usize, part: MemberPart) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        if open.is_object && part == MemberPart::Other {
            return false;
        }
        let bytes = self.json.as_bytes();
        let text = match bytes[at] {
            b'"' => self.json.get(at + 1..scan::end_of_string(bytes, at).saturating_sub(1)),
            _ => None,
        };
        match part {
            MemberPart::Name => open.pair.is_secret |= text.is_some_and(pair::is_secret),
            MemberPart::Value if open.pair.is_secret => return true,
            MemberPart::Value if matches!(bytes[at], b'{' | b'[') => open.pair.values.push(at..at),
            MemberPart::Value => open.pair.values.push(at..scan::end_of_value(bytes, at)),
            MemberPart::Other => {
                let is_flag = text.is_some_and(flag::is_secret_flag);
                let is_after_flag = std::mem::replace(&mut open.is_after_flag, is_flag);
                return is_after_flag && text.is_some_and(flag::is_value);
            }
        }
        false
    }

    /// Masks a whole value; of a string what is between its quotes.
    fn hide(&mut self, range: Range<usize>) {
        let is_string = self.json.as_bytes()[range.start] == b'"';
        self.edits.push(match is_string && range.len() > 2 {
            true => MaskEdit::inside(range.start + 1..range.end - 1),
            false => MaskEdit { range, form: MaskForm::Value { quoting: self.quoting } },
        });
    }

    /// Masks what is secret inside a string; JSON in there is masked as JSON, once.
    fn string(&mut self, range: Range<usize>) {
        let Some(written) = self.json.get(range.clone()) else { return };
        let (edits, raw) = match written.contains('\\') {
            false => (self.inside(written), Vec::new()),
            true => {
                let view = DecodedView::unescaped(written.as_bytes());
                let mut edits = self.inside(view.text().unwrap_or(written));
                edits.iter_mut().for_each(|edit| edit.range = view.written(&edit.range));
                let mut raw = Vec::new();
                self.needles.find(written.as_bytes(), &mut raw);
                raw.iter_mut().for_each(|range| *range = view.whole_escapes(range));
                (edits, raw)
            }
        };
        let raw = raw.into_iter().map(MaskEdit::inside);
        self.edits.extend(edits.into_iter().chain(raw).map(|mut edit| {
            edit.range = edit.range.start + range.start..edit.range.end + range.start;
            edit
        }));
    }

    fn inside(&self, text: &str) -> Vec<MaskEdit> {
        let is_json = self.quoting == 0
            && text.trim_start().starts_with(['{', '['])
            && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
        match is_json {
            true => MaskWalk::over(self.needles, text, self.quoting + 1, None),
            false => edit::in_text(self.needles, text),
        }
    }
}

impl<'s> OpenContainer<'s> {
    fn new(is_object: bool, marks: SecretMarks<'s>) -> Self {
        let pair = NameValuePair::default();
        Self { is_object, seen: 0, marks, next: None, pair, is_after_flag: false }
    }

    fn wants_name(&self) -> bool {
        self.is_object && self.next.is_none()
    }
}

#[cfg(test)]
mod tests;
