//! The places to mask in JSON, found without building a value: order, spelling and spaces stay.
//!
//! The walk keeps its own stack, so depth costs memory only. The text is known to be JSON; where it
//! turns out not to be, the walk ends early and nothing panics.

mod scan;

use std::ops::Range;

use super::edit::{self, Edit, Form, merged};
use super::needle::Needles;
use super::schema::{Marks, Schema};
use super::view::{View, find_values};
use crate::is_sensitive_name;

/// Where JSON holds a secret.
pub(super) fn edits(needles: &Needles, json: &str, schema: Option<&Schema<'_>>) -> Vec<Edit> {
    Walk::over(needles, json, 0, schema)
}

struct Walk<'a, 's> {
    needles: &'a Needles,
    json: &'a str,
    /// In how many JSON strings this text stands.
    quoting: u8,
    open: Vec<Open<'s>>,
    edits: Vec<Edit>,
}

/// An object or array that is being walked through.
struct Open<'s> {
    is_object: bool,
    /// How many members or items were seen.
    seen: usize,
    marks: Marks<'s>,
    /// Of the member whose name was read and whose value comes next.
    next: Option<Next<'s>>,
}

struct Next<'s> {
    is_secret: bool,
    marks: Marks<'s>,
}

impl<'a, 's> Walk<'a, 's> {
    fn over(
        needles: &'a Needles,
        json: &'a str,
        quoting: u8,
        schema: Option<&Schema<'s>>,
    ) -> Vec<Edit> {
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
            false => vec![Edit { range: 0..json.len(), form: Form::Value { quoting } }],
        }
    }

    /// Handles the token at `at` and tells where it ends.
    fn token(&mut self, at: usize, schema: Option<&Schema<'s>>) -> usize {
        let bytes = self.json.as_bytes();
        if matches!(bytes[at], b'}' | b']') {
            self.open.pop();
            return at + 1;
        }
        if bytes[at] == b'"' && self.open.last().is_some_and(Open::wants_name) {
            let end = scan::end_of_string(bytes, at);
            self.name(at + 1..end.saturating_sub(1), schema);
            return end;
        }
        let Next { is_secret, marks } = self.next_value(schema);
        if is_secret || marks.are_secret() {
            let end = scan::end_of_value(bytes, at);
            self.hide(at..end);
            return end;
        }
        match bytes[at] {
            open @ (b'{' | b'[') => {
                let is_object = open == b'{';
                self.open.push(Open { is_object, seen: 0, marks, next: None });
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

    fn name(&mut self, range: Range<usize>, schema: Option<&Schema<'s>>) {
        let written = &self.json[range.clone()];
        let view = written.contains('\\').then(|| View::unescaped(written.as_bytes()));
        let name = view.as_ref().and_then(View::text).unwrap_or(written);
        // A member called `key` says which thing is meant; in a URL or a header it is a secret.
        let is_secret = is_sensitive_name(name) && !name.eq_ignore_ascii_case("key");
        if let Some(open) = self.open.last_mut() {
            let marks = schema.map(|schema| schema.member(&open.marks, name)).unwrap_or_default();
            open.next = Some(Next { is_secret, marks });
        }
        self.string(range);
    }

    /// What is known of the value that comes next.
    fn next_value(&mut self, schema: Option<&Schema<'s>>) -> Next<'s> {
        let item = match self.open.last_mut() {
            None => schema.map(Schema::whole),
            Some(open) => {
                open.seen += 1;
                if let Some(next) = open.next.take() {
                    return next;
                }
                schema.map(|schema| schema.item(&open.marks, open.seen - 1))
            }
        };
        Next { is_secret: false, marks: item.unwrap_or_default() }
    }

    /// Masks a whole value; of a string what is between its quotes.
    fn hide(&mut self, range: Range<usize>) {
        let is_string = self.json.as_bytes()[range.start] == b'"';
        self.edits.push(match is_string && range.len() > 2 {
            true => Edit::inside(range.start + 1..range.end - 1),
            false => Edit { range, form: Form::Value { quoting: self.quoting } },
        });
    }

    /// Masks what is secret inside a string; JSON in there is masked as JSON, once.
    fn string(&mut self, range: Range<usize>) {
        let Some(written) = self.json.get(range.clone()) else { return };
        let (edits, raw) = match written.contains('\\') {
            false => (self.inside(written), Vec::new()),
            true => {
                let view = View::unescaped(written.as_bytes());
                let mut edits = self.inside(view.text().unwrap_or(written));
                edits.iter_mut().for_each(|edit| edit.range = view.written(&edit.range));
                let mut raw = Vec::new();
                self.needles.find(written.as_bytes(), &mut raw);
                raw.iter_mut().for_each(|range| *range = view.whole_escapes(range));
                (edits, raw)
            }
        };
        let raw = raw.into_iter().map(Edit::inside);
        self.edits.extend(edits.into_iter().chain(raw).map(|mut edit| {
            edit.range = edit.range.start + range.start..edit.range.end + range.start;
            edit
        }));
    }

    fn inside(&self, text: &str) -> Vec<Edit> {
        let is_json = self.quoting == 0
            && text.trim_start().starts_with(['{', '['])
            && serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
        match is_json {
            true => Walk::over(self.needles, text, self.quoting + 1, None),
            false => edit::in_text(self.needles, text),
        }
    }
}

impl Open<'_> {
    fn wants_name(&self) -> bool {
        self.is_object && self.next.is_none()
    }
}

#[cfg(test)]
mod tests;
