//! Entries between brackets and commas: JSON objects and TOML inline tables alike.
//!
//! It is told where the values are; it parses none.

use std::ops::Range;

use super::TextSplice;
use super::gaps::{CommentStyle, ValueGap, after_blanks, comment_end, gap};
use super::lines::{self, indent, starts_line};

/// How new entries are to look.
pub(super) struct EntryStyle {
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) step: String,
    /// Between two entries on one line.
    pub(super) comma: &'static str,
    /// An empty pair of brackets is filled on one line, with this on both sides.
    pub(super) filled_on_one_line: Option<&'static str>,
}

/// The entries of one pair of brackets.
pub(super) struct BracketEntries<'t> {
    text: &'t str,
    comments: CommentStyle,
    inside: Range<usize>,
    entries: Vec<Range<usize>>,
}

impl<'t> BracketEntries<'t> {
    /// `span` has the brackets at its ends; `values` are the places of the values in it.
    pub(super) fn new(
        text: &'t str,
        comments: CommentStyle,
        span: &Range<usize>,
        values: impl Iterator<Item = Range<usize>>,
    ) -> Self {
        let inside = span.start + 1..span.end - 1;
        let mut from = inside.start;
        let entry = |value: Range<usize>| {
            let start = gap(text, comments, from).end;
            from = value.end;
            start..value.end
        };
        Self { text, comments, entries: values.map(entry).collect(), inside }
    }

    pub(super) fn has_trailing_comma(&self) -> bool {
        self.entries.last().is_some_and(|last| self.gap(last.end).comma.is_some())
    }

    /// Appends an entry. `write` is given the indentation of its line, or `None` for an entry
    /// that shares its line with others.
    pub(super) fn append(
        &self,
        write: impl Fn(Option<&str>) -> String,
        style: &EntryStyle,
    ) -> Vec<TextSplice> {
        let Some(last) = self.entries.last() else { return vec![self.fill(write, style)] };
        let gap = self.gap(last.end);
        if !starts_line(self.text, last.start) {
            return vec![match gap.comma {
                Some(comma) => (comma + 1..comma + 1, format!(" {},", write(None))),
                None => (last.end..last.end, format!("{}{}", style.comma, write(None))),
            }];
        }
        let line = indent(self.text, last.start);
        let entry = format!("{}{line}{}", style.newline, write(Some(line)));
        match gap.comma {
            Some(comma) => {
                let at = self.rest_of_line(comma + 1).0;
                vec![(at..at, entry + ",")]
            }
            None => {
                let at = self.rest_of_line(last.end).0;
                vec![(last.end..last.end, ",".to_owned()), (at..at, entry)]
            }
        }
    }

    fn fill(&self, write: impl Fn(Option<&str>) -> String, style: &EntryStyle) -> TextSplice {
        let inside = &self.text[self.inside.clone()];
        let blank = inside.trim().is_empty();
        if let Some(side) = style.filled_on_one_line.filter(|_| blank) {
            return (self.inside.clone(), format!("{side}{}{side}", write(None)));
        }
        let outer = indent(self.text, self.inside.start - 1);
        let inner = format!("{outer}{}", style.step);
        let entry = format!("{}{inner}{}", style.newline, write(Some(&inner)));
        let kept = if blank { 0 } else { inside.trim_end().len() };
        let at = self.inside.start + kept;
        if !blank && inside[kept..].contains('\n') {
            (at..at, entry)
        } else {
            (at..self.inside.end, format!("{entry}{}{outer}", style.newline))
        }
    }

    /// Takes an entry away, with its comma and with the comments that are attached to it.
    pub(super) fn remove(&self, index: usize) -> Vec<TextSplice> {
        let entry = &self.entries[index];
        let before =
            self.gap(index.checked_sub(1).map_or(self.inside.start, |i| self.entries[i].end));
        let after = self.gap(entry.end);
        let start = self.with_comments(entry.start, &before.comments);
        let (end, ends_line) = self.rest_of_line(after.comma.map_or(entry.end, |comma| comma + 1));
        let (first, last) = (index == 0, index + 1 == self.entries.len());
        if first
            && last
            && self.is_blank(self.inside.start..start)
            && self.is_blank(end..self.inside.end)
        {
            return vec![(self.inside.clone(), String::new())];
        }
        let range = if starts_line(self.text, start) && ends_line {
            let start = lines::line_start(self.text, start);
            lines::with_blanks(self.text, start..lines::next_line(self.text, end), first, last)
        } else if ends_line || last {
            self.text[..start].trim_end_matches([' ', '\t']).len()..end
        } else {
            start..self.inside.end.min(after_blanks(self.text, end))
        };
        let mut splices = vec![(range, String::new())];
        if let Some(comma) = before.comma.filter(|_| after.comma.is_none()) {
            splices.push((comma..comma + 1, String::new()));
        }
        splices
    }

    /// Where an entry starts when its comments count: those on its line, and those on the lines
    /// above it up to a blank line or to something else.
    fn with_comments(&self, mut start: usize, comments: &[Range<usize>]) -> usize {
        for comment in comments.iter().rev() {
            let between = &self.text[comment.end..start];
            let lines = between.matches('\n').count();
            let own_line = lines == 0 || starts_line(self.text, comment.start);
            if lines > 1 || between.contains(',') || !own_line {
                break;
            }
            start = comment.start;
        }
        start
    }

    /// The end of the comments that follow `at` on its line, and whether the line ends there.
    /// Comments before another entry on the line are that entry's.
    fn rest_of_line(&self, at: usize) -> (usize, bool) {
        let mut end = at;
        loop {
            let next = after_blanks(self.text, end);
            match comment_end(self.text, self.comments, next) {
                Some(after) if !self.text[next..after].contains('\n') => end = after,
                _ if lines::line(self.text, next).is_empty() => return (end, true),
                _ => return (at, false),
            }
        }
    }

    fn is_blank(&self, range: Range<usize>) -> bool {
        self.text[range].trim().is_empty()
    }

    fn gap(&self, from: usize) -> ValueGap {
        gap(self.text, self.comments, from)
    }
}
