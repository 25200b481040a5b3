//! JSON laid out for the person who decides whether it is sent: every character of it is there, what
//! could not be seen is spelled out, and what is covered is named and counted.
//!
//! A string stands as it reads once it is decoded; where its spelling hides something (`\u0041`) that
//! stands beside it. A line end in a string ends the line here too, and a long run of blanks is told
//! as a number, so that nothing is pushed out of sight.

mod scan;
mod summary;
mod text;

use toolgate_mask::{SecretMarks, SecretSchema};

use super::concealed::{ConcealedCount, mark, visible_mark};
use super::own_secrets::{OwnSecrets, ShownPart};
use scan::{JsonToken, tokens};
use summary::SummaryBounds;

/// Deeper than anything that can be approved; what lies deeper is not moved further to the right.
const DEEPEST: usize = 128;

/// How JSON is laid out.
pub(super) struct JsonLayout<'a> {
    pub(super) own: &'a OwnSecrets,
    /// The schema whose secret parameters are covered; where it is not trusted, none are.
    pub(super) schema: Option<SecretSchema<'a>>,
}

/// An object or array that is open.
struct OpenLevel<'s> {
    is_object: bool,
    items: usize,
    /// What describes its members or items.
    marks: Option<SecretMarks<'s>>,
    /// The name of the member whose value comes next.
    name: Option<String>,
}

impl<'a> JsonLayout<'a> {
    /// Lines, each as it is to be shown. `json` is one JSON value.
    pub(super) fn lines(&self, json: &str, concealed: &mut ConcealedCount) -> Vec<String> {
        let lines = vec![String::new()];
        let mut page = LayoutPage { layout: self, concealed, lines, summary: None };
        page.write(json);
        page.lines
    }
}

struct LayoutPage<'p, 'a> {
    layout: &'p JsonLayout<'a>,
    concealed: &'p mut ConcealedCount,
    lines: Vec<String>,
    /// Where it is one line, what is left out of it.
    summary: Option<SummaryBounds>,
}

impl<'a> LayoutPage<'_, 'a> {
    fn write(&mut self, json: &str) {
        let mut levels: Vec<OpenLevel<'a>> = Vec::new();
        let mut tokens = tokens(json);
        while self.has_room_for(&tokens)
            && let Some(token) = tokens.next()
        {
            match token {
                JsonToken::Opens(sign) => {
                    let marks = self.marks(levels.last());
                    if self.is_secret(marks.as_ref(), levels.last()) {
                        let characters = tokens.skip_whole();
                        self.cover(levels.last(), characters);
                        self.after_value(&mut levels);
                        continue;
                    }
                    self.put(sign);
                    let is_empty = tokens.is_at_close();
                    let is_object = sign == "{";
                    levels.push(OpenLevel { is_object, items: 0, marks, name: None });
                    if !is_empty {
                        self.break_line(levels.len());
                    }
                }
                JsonToken::Closes(sign) => {
                    if levels.pop().is_some_and(|level| level.items > 0) {
                        self.break_line(levels.len());
                    }
                    self.put(sign);
                    self.after_value(&mut levels);
                }
                JsonToken::Comma => {
                    self.put(",");
                    self.break_line(levels.len());
                }
                JsonToken::Colon => self.put(": "),
                JsonToken::Text(inner) => {
                    let is_name =
                        levels.last().is_some_and(|level| level.is_object && level.name.is_none());
                    if is_name {
                        let name = text::decoded(inner);
                        self.string(inner, &name, levels.len());
                        if let Some(level) = levels.last_mut() {
                            level.name = Some(name);
                        }
                        continue;
                    }
                    let marks = self.marks(levels.last());
                    let decoded = text::decoded(inner);
                    match self.is_secret(marks.as_ref(), levels.last()) {
                        true => self.cover(levels.last(), decoded.chars().count()),
                        false => self.string(inner, &decoded, levels.len()),
                    }
                    self.after_value(&mut levels);
                }
                JsonToken::Bare(word) => {
                    let marks = self.marks(levels.last());
                    match self.is_secret(marks.as_ref(), levels.last()) {
                        true => self.cover(levels.last(), word.chars().count()),
                        false => self.bare(word),
                    }
                    self.after_value(&mut levels);
                }
            }
        }
    }

    /// What the schema says of the value that comes next.
    fn marks(&self, level: Option<&OpenLevel<'a>>) -> Option<SecretMarks<'a>> {
        let schema = self.layout.schema.as_ref()?;
        match level {
            None => Some(schema.whole()),
            Some(OpenLevel { marks: Some(marks), name: Some(name), .. }) => {
                Some(schema.member(marks, name))
            }
            Some(OpenLevel { marks: Some(marks), is_object: false, items, .. }) => {
                Some(schema.item(marks, *items))
            }
            Some(_) => None,
        }
    }

    /// Whether a whole parameter is covered. The arguments themselves are none.
    fn is_secret(&self, marks: Option<&SecretMarks<'a>>, level: Option<&OpenLevel<'a>>) -> bool {
        level.is_some() && marks.is_some_and(SecretMarks::are_secret)
    }

    /// Puts a mark in place of a value.
    fn cover(&mut self, level: Option<&OpenLevel<'a>>, characters: usize) {
        let name = level.map(|level| match &level.name {
            Some(name) => name.clone(),
            None => format!("item {}", level.items + 1),
        });
        let mark = self.concealed.parameter(&name.unwrap_or_default(), characters);
        self.put(&mark);
    }

    fn after_value(&self, levels: &mut [OpenLevel<'a>]) {
        if let Some(level) = levels.last_mut() {
            level.items += 1;
            level.name = None;
        }
    }

    fn string(&mut self, inner: &str, decoded: &str, depth: usize) {
        if self.summary.is_some() {
            return self.short_string(decoded);
        }
        self.put("\"");
        for part in self.layout.own.parts(decoded, self.concealed) {
            match part {
                ShownPart::Covered(mark) => self.put(&mark),
                ShownPart::Plain(plain) => {
                    for piece in text::pieces(plain) {
                        match piece {
                            text::ShownPiece::Shown(shown) => self.put(&shown),
                            text::ShownPiece::LineEnd => self.continue_line(depth),
                        }
                    }
                }
            }
        }
        self.put("\"");
        if text::is_spelled_oddly(inner, decoded) {
            // The spelling of a secret would show it.
            let spelling = match self.layout.own.covers(decoded) {
                true => "spelled with escapes".to_owned(),
                false => format!("spelled {}", visible_mark(inner)),
            };
            self.put(&format!(" {}", mark(&spelling)));
        }
    }

    fn bare(&mut self, word: &str) {
        match self.summary {
            Some(_) => self.short_bare(word),
            None => self.put(&visible_mark(word)),
        }
    }

    fn put(&mut self, text: &str) {
        if let Some(line) = self.lines.last_mut() {
            line.push_str(text);
        }
    }

    fn break_line(&mut self, depth: usize) {
        if self.summary.is_some() {
            return self.space();
        }
        self.lines.push("  ".repeat(depth.min(DEEPEST)));
    }

    /// The string goes on: no line of JSON begins with this sign.
    fn continue_line(&mut self, depth: usize) {
        self.lines.push(format!("{}~ ", "  ".repeat(depth.min(DEEPEST))));
    }
}

#[cfg(test)]
mod tests;
