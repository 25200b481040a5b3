//! Text cut into pages that fit a terminal, so that nothing scrolls away unseen.
//!
//! Counting only: who waits between pages, and how, is the question's.

use crate::output_stream::OutputStream;
use crate::printable_text::PrintableText;

/// Of a terminal that does not say how large it is.
const USUAL: (usize, usize) = (24, 80);

/// Fewer lines would show nothing but questions.
const FEWEST: usize = 4;

/// What fits on a terminal at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    lines: usize,
    columns: usize,
}

impl TerminalSize {
    /// Of the terminal at standard error, less what this question takes besides its last line.
    pub fn of_remarks(question: &str) -> Self {
        let page = Self::of(OutputStream::Remarks.size());
        // With room for an answer.
        let rows: usize = page.rows(&format!("{question} [y/N] yes")).iter().map(|row| row.1).sum();
        Self { lines: (page.lines + 1).saturating_sub(rows).max(FEWEST), ..page }
    }

    fn of(size: Option<(usize, usize)>) -> Self {
        let (lines, columns) = size.unwrap_or(USUAL);
        Self { lines: lines.max(FEWEST), columns: columns.max(20) }
    }

    /// The text in pages, one line kept free for a question. `together` is not torn apart from that
    /// question as long as it fits. What is written out takes its room, so it is before it is cut.
    pub fn cut(self, text: &str, together: &str) -> Vec<String> {
        let (text, together) = (PrintableText::lines(text), PrintableText::lines(together));
        let room = self.lines - 1;
        let mut pages = vec![Vec::new()];
        let mut used = 0;
        let mut put = |line: String, rows: usize, used: &mut usize| {
            if *used + rows > room && *used > 0 {
                pages.push(Vec::new());
                *used = 0;
            }
            if let Some(page) = pages.last_mut() {
                page.push(line);
            }
            *used += rows;
        };
        for line in text.as_str().lines() {
            for (line, rows) in self.rows(line) {
                put(line, rows, &mut used);
            }
        }
        let last: Vec<(String, usize)> =
            together.as_str().lines().flat_map(|line| self.rows(line)).collect();
        let rows: usize = last.iter().map(|(_, rows)| rows).sum();
        if rows <= room && used + rows > room {
            // Enough for the next one to begin anew.
            used = room;
        }
        for (line, rows) in last {
            put(line, rows, &mut used);
        }
        pages.into_iter().map(|page| page.join("\n") + "\n").collect()
    }

    /// A line, in pieces where it would fill more than a page, and how many rows each takes.
    fn rows(self, line: &str) -> Vec<(String, usize)> {
        let most = self.columns * (self.lines - 1);
        let mut pieces = Vec::new();
        let (mut piece, mut columns) = (String::new(), 0);
        for c in line.chars() {
            let width = width(c);
            if columns + width > most {
                pieces.push((std::mem::take(&mut piece), columns));
                columns = 0;
            }
            piece.push(c);
            columns += width;
        }
        pieces.push((piece, columns));
        let rows = |columns: usize| columns.div_ceil(self.columns).max(1);
        pieces.into_iter().map(|(piece, columns)| (piece, rows(columns))).collect()
    }
}

/// At most: what is wider than a letter counts two, and a wide one may leave a column empty.
fn width(c: char) -> usize {
    match c {
        '\t' => 8,
        c if c.is_ascii() => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> TerminalSize {
        TerminalSize::of(Some((5, 20)))
    }

    #[test]
    fn what_fits_is_one_page() {
        assert_eq!(page().cut("a\nb", "c"), ["a\nb\nc\n"]);
        assert_eq!(TerminalSize::of(None), TerminalSize { lines: 24, columns: 80 });
    }

    #[test]
    fn what_belongs_together_begins_a_page_rather_than_be_torn() {
        assert_eq!(page().cut("1\n2\n3", "x\ny"), ["1\n2\n3\n", "x\ny\n"]);
        assert_eq!(page().cut("1\n2\n3\n4\n5", "x"), ["1\n2\n3\n4\n", "5\nx\n"]);
        let long = "a\n".repeat(6);
        assert_eq!(page().cut("1", &long), ["1\na\na\na\n", "a\na\na\n"]);
    }

    #[test]
    fn a_long_line_takes_the_rows_it_takes_and_is_cut_only_where_it_fills_a_page() {
        let line = "w".repeat(50);
        assert_eq!(page().cut(&format!("{line}\na"), "b"), [format!("{line}\na\n"), "b\n".into()]);
        let endless = "w".repeat(100);
        let pages = page().cut(&endless, "b");
        assert_eq!(pages, [format!("{}\n", "w".repeat(80)), format!("{}\nb\n", "w".repeat(20))]);
        let escapes = "\u{1b}".repeat(13);
        assert_eq!(
            page().cut(&escapes, "b"),
            [format!("{}\n", "\\u{1b}".repeat(13)), "b\n".into()]
        );
        // A blank is no less of a place to hide than a letter.
        let blanks = format!("{}touch M", " ".repeat(200));
        assert_eq!(page().cut(&blanks, "").concat().matches("touch M").count(), 1);
    }
}
