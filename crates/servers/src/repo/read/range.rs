//! Takes a range of lines out of bytes that come in pieces.
//!
//! It does no I/O, and holds no more than the bounds say however long a line is.

use crate::repo::RepoBounds;

/// Stands where the rest of a line was.
const CUT: &str = "… [cut]";

#[derive(Debug)]
pub(crate) struct LineRange {
    start: u64,
    end: u64,
    most_lines: u64,
    most_bytes: usize,
    line_bytes: usize,
    /// The line that comes next or is being taken, counted from 1.
    line: u64,
    /// How much of it was seen.
    seen_of_line: usize,
    taken: ReadLines,
    /// Where the line that is being taken begins in the text.
    line_start: usize,
}

#[derive(Debug, Default)]
pub(crate) struct ReadLines {
    pub(crate) text: Vec<u8>,
    /// How many lines it holds.
    pub(crate) count: u64,
    /// How many of them were cut.
    pub(crate) cut: usize,
    /// A bound was met before the range was at its end.
    pub(crate) is_full: bool,
    /// How many lines went by in all.
    pub(crate) seen: u64,
}

impl LineRange {
    pub(crate) fn new(start: u64, end: u64, bounds: &RepoBounds) -> Self {
        Self {
            start,
            end,
            most_lines: bounds.lines as u64,
            most_bytes: bounds.bytes,
            line_bytes: bounds.line_bytes,
            line: 1,
            seen_of_line: 0,
            taken: ReadLines::default(),
            line_start: 0,
        }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (rest, is_whole) = match piece.strip_suffix(b"\n") {
                Some(rest) => (rest, true),
                None => (piece, false),
            };
            if self.takes() {
                let room = self.line_bytes.saturating_sub(self.seen_of_line);
                self.taken.text.extend_from_slice(&rest[..rest.len().min(room)]);
            }
            self.seen_of_line += rest.len();
            if is_whole {
                self.end_line(b"\n");
            }
        }
    }

    pub(crate) fn finish(mut self) -> ReadLines {
        if self.seen_of_line > 0 {
            self.takes();
            self.end_line(b"");
        }
        self.taken.seen = self.line - 1;
        self.taken
    }

    /// Whether the line belongs to what is given. A line that might not fit is not begun.
    fn takes(&mut self) -> bool {
        if self.line < self.start || self.line > self.end || self.taken.is_full {
            return false;
        }
        let would_be = self.line_start + self.line_bytes + CUT.len() + 1;
        if self.taken.count >= self.most_lines || would_be > self.most_bytes {
            self.taken.is_full = true;
        }
        !self.taken.is_full
    }

    fn end_line(&mut self, newline: &[u8]) {
        if self.line >= self.start && self.line <= self.end && !self.taken.is_full {
            if self.seen_of_line > self.line_bytes {
                let line = &self.taken.text[self.line_start..];
                self.taken.text.truncate(self.line_start + whole_characters(line));
                self.taken.text.extend_from_slice(CUT.as_bytes());
                self.taken.cut += 1;
            }
            self.taken.text.extend_from_slice(newline);
            self.taken.count += 1;
            self.line_start = self.taken.text.len();
        }
        self.line += 1;
        self.seen_of_line = 0;
    }
}

/// How much is left without a character that was cut in two.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests;
