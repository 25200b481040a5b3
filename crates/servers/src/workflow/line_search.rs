//! Lines that match, in bytes that come piece by piece: no more than one line is ever held, and of a
//! line that is too long for that one stretch after another.

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// A line that is longer is looked through in stretches of this length.
const LONGEST_LINE: usize = 1 << 20;

/// How much two stretches of one line have in common, so that what lies across is found.
const OVERLAP: usize = 4 << 10;

/// How much of a line is shown, around what was found.
const SHOWN: usize = 200;

/// A compiled pattern may take this much memory.
const LARGEST_PATTERN: usize = 4 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundPlace {
    pub(super) line: u64,
    /// Where the match begins.
    pub(super) byte: u64,
    pub(super) text: String,
}

pub(super) struct LineSearch {
    pattern: RegexMatcher,
    most: usize,
    pub(super) found: Vec<FoundPlace>,
    /// What is not a whole line yet, where it begins, and the line it is in.
    held: Vec<u8>,
    at: u64,
    line: u64,
    /// Of the line that is looked through in stretches, where the next match may begin.
    seen: u64,
}

impl LineSearch {
    pub(super) fn new(
        pattern: &str,
        is_literal: bool,
        ignores_case: bool,
        most: usize,
    ) -> Result<Self, String> {
        let mut builder = RegexMatcherBuilder::new();
        builder.fixed_strings(is_literal).case_insensitive(ignores_case);
        builder.size_limit(LARGEST_PATTERN).dfa_size_limit(LARGEST_PATTERN);
        let pattern = builder.line_terminator(Some(b'\n')).build(pattern);
        let pattern = pattern.map_err(|error| error.to_string())?;
        let (found, held) = (Vec::new(), Vec::new());
        Ok(Self { pattern, most, found, held, at: 0, line: 1, seen: 0 })
    }

    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= self.most
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(length) = self.held[start..].iter().position(|byte| *byte == b'\n') {
            self.look(start, start + length);
            self.line += 1;
            start += length + 1;
            if self.is_full() {
                return;
            }
        }
        if self.held.len() - start > LONGEST_LINE {
            let end = self.held.len() - OVERLAP;
            self.look(start, self.held.len());
            start = end;
        }
        self.at += start as u64;
        self.held.drain(..start);
    }

    /// What came last has no line break.
    pub(super) fn finish(&mut self) {
        if !self.is_full() {
            self.look(0, self.held.len());
        }
    }

    /// One place of each line, and every one of a line that is not shown whole.
    fn look(&mut self, start: usize, end: usize) {
        let line = &self.held[start..end];
        let begin = self.at + start as u64;
        loop {
            let skipped = usize::try_from(self.seen.saturating_sub(begin)).unwrap_or(usize::MAX);
            let is_over = skipped > line.len() || self.found.len() >= self.most;
            let place = self.pattern.find_at(line, skipped.min(line.len()));
            let Some(place) = place.ok().flatten().filter(|_| !is_over) else { return };
            let byte = begin + place.start() as u64;
            self.seen = begin + place.end().max(place.start() + 1) as u64;
            let text = around(line, place.start());
            self.found.push(FoundPlace { line: self.line, byte, text });
            if line.len() <= SHOWN {
                return;
            }
        }
    }
}

/// So much of a line, the match among it.
fn around(line: &[u8], at: usize) -> String {
    if line.len() <= SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = at.saturating_sub(SHOWN / 3);
    let end = (start + SHOWN).min(line.len());
    let shown = String::from_utf8_lossy(&line[start..end]);
    // What was cut within a character is no loss here.
    format!("…{}…", shown.trim_matches('\u{fffd}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str, pieces: &[&[u8]]) -> Vec<(u64, u64, String)> {
        let mut search = LineSearch::new(pattern, false, false, 10).unwrap();
        for piece in pieces {
            search.feed(piece);
        }
        search.finish();
        search.found.into_iter().map(|place| (place.line, place.byte, place.text)).collect()
    }

    #[test]
    fn lines_are_found_wherever_pieces_end() {
        let found = search("b.d", &[b"abc\na", b"b", b"cd\nbxd", b"\nb-d"]);
        let expected = [(2, 5, "abcd"), (3, 9, "bxd"), (4, 13, "b-d")];
        assert_eq!(found, expected.map(|(line, byte, text)| (line, byte, text.to_owned())));
    }

    #[test]
    fn a_very_long_line_is_looked_through_to_its_end() {
        let mut line = vec![b'x'; 3 << 20];
        for at in [10, (1 << 20) - 2, (3 << 20) - 6] {
            line[at..at + 6].copy_from_slice(b"needle");
        }
        let pieces: Vec<&[u8]> = line.chunks(100_000).collect();
        let found = search("needle", &pieces);
        let places: Vec<(u64, u64)> = found.iter().map(|(line, byte, _)| (*line, *byte)).collect();
        assert_eq!(places, [(1, 10), (1, (1 << 20) - 2), (1, (3 << 20) - 6)]);
        assert!(found.iter().all(|(_, _, text)| text.contains("needle") && text.len() < 400));
    }

    #[test]
    fn a_pattern_that_is_too_large_is_refused() {
        assert!(LineSearch::new("(((a{200}){200}){200})", false, false, 1).is_err());
        assert!(LineSearch::new("(", false, false, 1).is_err());
        assert!(LineSearch::new("(", true, false, 1).is_ok());
    }
}
