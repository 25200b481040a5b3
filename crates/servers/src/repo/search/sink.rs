//! Takes the lines that the engine finds, within bounds, from a file that can be let go of.

use std::fs::File;
use std::io::{self, Read};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::FoundLine;
use crate::repo::RepoBounds;
use crate::repo::bounds::{RepoLimit, StopSignal};

/// How much of a long line stands before the match in it.
const BEFORE: usize = 80;
/// How much of a line is shown.
const SHOWN: usize = 500;
/// What a line takes in a result besides its text.
const AROUND: usize = 48;

/// A file that ends with an error when the search has to stop.
#[derive(Debug)]
pub(super) struct StoppableFile<'a> {
    pub(super) file: &'a File,
    pub(super) stop: &'a StopSignal,
}

impl Read for StoppableFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !matches!(self.stop.is_due(), Ok(false)) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}

/// The lines of one file.
#[derive(Debug)]
pub(super) struct FoundLines<'a> {
    pub(super) matcher: &'a RegexMatcher,
    pub(super) lines: Vec<FoundLine>,
    pub(super) matches: usize,
    pub(super) most: usize,
    /// Of all files so far.
    pub(super) bytes: usize,
    pub(super) bounds: &'a RepoBounds,
    pub(super) limit: Option<RepoLimit>,
}

impl FoundLines<'_> {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], matched: bool) -> bool {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let found = if matched { self.matcher.find(bytes).ok().flatten() } else { None };
        let text = window(bytes, found.map_or(0, |found| found.start()));
        let bytes = self.bytes + text.len() + AROUND;
        if bytes > self.bounds.bytes {
            self.limit = Some(RepoLimit::Bytes);
            return false;
        }
        self.bytes = bytes;
        self.matches += usize::from(matched);
        self.lines.push(FoundLine { number: number.unwrap_or_default(), text, matched });
        true
    }

    /// Lines that lead up to a match which is not given any more.
    fn drop_context_of_nothing(&mut self, after: usize) {
        let last = self.lines.iter().rfind(|line| line.matched).map_or(0, |line| line.number);
        self.lines.retain(|line| line.number <= last + after as u64);
    }
}

impl Sink for FoundLines<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.matches == self.most {
            self.limit = Some(RepoLimit::Count);
            self.drop_context_of_nothing(searcher.after_context());
            return Ok(false);
        }
        Ok(self.push(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        Ok(self.push(context.line_number(), context.bytes(), false))
    }
}

/// The part of a line around a match, if it is too long to be shown.
fn window(line: &[u8], at: usize) -> String {
    if line.len() <= SHOWN {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = at.saturating_sub(BEFORE);
    let end = line.len().min(start + SHOWN);
    // Bytes that continue a character belong to the one that was cut.
    let is_inner = |index: &usize| line.get(*index).is_some_and(|byte| byte & 0xc0 == 0x80);
    let start = (start..end).find(|index| !is_inner(index)).unwrap_or(start);
    let end = (start..=end).rev().find(|index| !is_inner(index)).unwrap_or(end);
    let shown = String::from_utf8_lossy(&line[start..end]);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < line.len() { "…" } else { "" };
    format!("{before}{shown}{after}")
}
