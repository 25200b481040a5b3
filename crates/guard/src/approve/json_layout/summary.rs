//! The same JSON in one short line, for places that show two lines and fold the rest: each value with
//! its beginning and how much follows, so that a long one pushes no other out of sight. Nobody
//! approves by it alone: the whole layout stands below.

use super::super::concealed::{ConcealedCount, mark, visible_mark};
use super::super::own_secrets::ShownPart;
use super::scan::JsonTokens;
use super::{JsonLayout, LayoutPage, text};

/// How much of one value, in characters.
const OF_ONE_VALUE: usize = 80;

/// How long the line may get, in characters.
const OF_THE_LINE: usize = 320;

/// That a line is short.
pub(super) struct SummaryBounds {
    is_cut: bool,
}

impl JsonLayout<'_> {
    /// One line. What it covers is covered, and counted, in the whole layout as well.
    pub(in super::super) fn summary(&self, json: &str) -> String {
        let mut concealed = ConcealedCount::default();
        let mut page = LayoutPage {
            layout: self,
            concealed: &mut concealed,
            lines: vec![String::new()],
            summary: Some(SummaryBounds { is_cut: false }),
        };
        page.write(json);
        if page.summary.as_ref().is_some_and(|summary| summary.is_cut) {
            page.put(&format!(" {}", mark("more below")));
        }
        page.lines.concat()
    }
}

impl LayoutPage<'_, '_> {
    /// Whether what comes next goes into the line; what only closes always does.
    pub(super) fn has_room_for(&mut self, next: &JsonTokens<'_>) -> bool {
        let Some(summary) = &mut self.summary else { return true };
        let is_long = |line: &String| line.chars().count() > OF_THE_LINE;
        summary.is_cut =
            self.lines.last().is_some_and(is_long) && !next.is_at_close() && !next.is_at_end();
        !summary.is_cut
    }

    pub(super) fn short_string(&mut self, decoded: &str) {
        self.put("\"");
        let mut left = OF_ONE_VALUE;
        let mut unshown = 0;
        // Covered before it is cut: of a secret that is cut, half would stay.
        for part in self.layout.own.parts(decoded, self.concealed) {
            match part {
                ShownPart::Covered(mark) if left > 0 => self.put(&mark),
                ShownPart::Covered(_) => unshown += 1,
                ShownPart::Plain(plain) => {
                    let (shown, rest) = beginning(plain, left);
                    left -= shown.chars().count();
                    unshown += rest.chars().count();
                    for piece in text::pieces(shown) {
                        if let text::ShownPiece::Shown(shown) = piece {
                            self.put(&shown);
                        }
                    }
                }
            }
        }
        self.put("\"");
        self.leave_out(unshown);
    }

    pub(super) fn short_bare(&mut self, word: &str) {
        let (shown, rest) = beginning(word, OF_ONE_VALUE);
        self.put(&visible_mark(shown));
        self.leave_out(rest.chars().count());
    }

    /// Between what would stand in two lines; nothing after an opening.
    pub(super) fn space(&mut self) {
        if self.lines.last().is_some_and(|line| line.ends_with(',')) {
            self.put(" ");
        }
    }

    fn leave_out(&mut self, characters: usize) {
        if characters > 0 {
            self.put(&mark(&format!("{characters} more below")));
        }
    }
}

fn beginning(text: &str, most: usize) -> (&str, &str) {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    text.split_at(end)
}
