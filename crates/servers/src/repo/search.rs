//! `search`: lines that fit a pattern, found by ripgrep's engine.
//!
//! It starts no program: a pattern is a value and never an option. A folder is searched on several threads.

mod parallel;
mod sink;

use std::fs::File;
use std::io;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::bounds::{RepoLimit, StopSignal};
use super::walk::WalkEnd;
use super::{RepoBounds, RepoRefusal, RepoToolRun, ServedRepo};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool, one_line};
use sink::{FoundLines, StoppableFile};

const USUAL: usize = 100;
const MOST_CONTEXT: usize = 10;
const LONGEST_PATTERN: usize = 8 * 1024;
/// What a pattern may take. Between two looks at the clock it meets as much text as below, so both
/// bound how long that is.
const PATTERN_BYTES: usize = 2 * 1024 * 1024;
/// The longest line that is looked at.
const LINE_BYTES: usize = 4 * 1024 * 1024;

/// Searches files.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// A regular expression in Rust's syntax, matched line by line.
    pub pattern: String,
    /// The folder or file to search, relative to the served folder. Left out, it is all of it.
    pub path: Option<String>,
    /// Only files that fit, for example `*.rs`, `src/**/*.{ts,tsx}` or `!*.lock`. Relative to
    /// `path`; without a slash it fits at any depth.
    pub glob: Option<String>,
    /// Takes the pattern as plain text.
    #[serde(default)]
    pub literal: bool,
    /// Takes upper and lower case for the same.
    #[serde(default)]
    pub case_insensitive: bool,
    /// How many lines to show before and after each match; none if left out, 10 at most.
    #[schemars(range(max = 10))]
    pub context: Option<usize>,
    /// The most matching lines to give; 100 if left out, 1000 at most.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
}

/// What was found, by file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchResults {
    /// How many matching lines are given.
    pub matches: usize,
    pub files: Vec<FileLines>,
    /// There is more than this.
    pub truncated: bool,
    /// How many files and folders could not be read, or hold a line too long to search.
    pub skipped: usize,
    /// Why it is not all, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The lines of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileLines {
    /// Relative to the served folder.
    pub path: String,
    pub lines: Vec<FoundLine>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundLine {
    /// Counted from 1.
    pub number: u64,
    pub text: String,
    /// It matches; otherwise it stands beside one that does.
    pub matched: bool,
}

impl BuiltinTool for Search {
    const OFFER: OfferedTool = OfferedTool {
        name: "search",
        title: "Search files",
        description: "Finds the lines that match a regular expression, with ripgrep's engine, in \
                      the files that `list_files` shows.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = SearchResults;
}

impl RepoToolRun for Search {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<SearchResults, RepoRefusal> {
        let found = place.folder.find(self.path.as_deref().unwrap_or_default())?;
        let mut run = SearchRun {
            searcher: FileSearcher::new(&self, &place.bounds)?,
            bytes_left: place.bounds.bytes,
            results: SearchResults::default(),
            end: WalkEnd::default(),
        };
        if let Some(file) = &found.file {
            let path = found.path().to_string_lossy().into_owned();
            let lines = run.searcher.search(&path, file, stop);
            stop.is_due()?;
            run.add(path, lines);
        } else {
            let walked = parallel::search_folder(&self, place, stop, found)?;
            run.end = walked.end;
            for (_, path, lines) in walked.files {
                if !run.add_if_it_fits(place, stop, path, lines) {
                    break;
                }
            }
        }
        let SearchRun { mut results, end, .. } = run;
        results.truncated = end.limit.is_some();
        results.skipped = end.unread;
        results.hint = end.hint();
        Ok(results)
    }
}

impl Search {
    /// How many matching lines are given.
    fn most(&self, bounds: &RepoBounds) -> usize {
        self.limit.unwrap_or(USUAL).min(bounds.matches)
    }

    fn matcher(&self) -> Result<RegexMatcher, RepoRefusal> {
        if self.pattern.len() > LONGEST_PATTERN {
            return Err(RepoRefusal::Pattern(format!("it is longer than {LONGEST_PATTERN} bytes")));
        }
        if !self.literal {
            // The engine wraps a pattern before it reads it, and would point into its own text.
            let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
            let parsed = parser.parse(&self.pattern);
            parsed.map_err(|error| RepoRefusal::Pattern(error.to_string()))?;
        }
        RegexMatcherBuilder::new()
            .fixed_strings(self.literal)
            .case_insensitive(self.case_insensitive)
            .multi_line(true)
            .crlf(true)
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(PATTERN_BYTES)
            .build(&self.pattern)
            .map_err(|error| RepoRefusal::Pattern(error.to_string()))
    }
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .memory_map(MmapChoice::never())
        .heap_limit(Some(LINE_BYTES))
        .before_context(context)
        .after_context(context)
        .build()
}

/// What looks into one file after another.
#[derive(Debug, Clone)]
struct FileSearcher {
    matcher: RegexMatcher,
    searcher: Searcher,
    most: usize,
    bytes: usize,
    bounds: RepoBounds,
}

/// What was found in one file.
#[derive(Debug, Default)]
struct FileFound {
    lines: Vec<FoundLine>,
    matches: usize,
    /// What it takes in a result.
    bytes: usize,
    /// Why it is not everything that the file holds.
    limit: Option<RepoLimit>,
    is_unread: bool,
}

impl FileSearcher {
    fn new(search: &Search, bounds: &RepoBounds) -> Result<Self, RepoRefusal> {
        let context = search.context.unwrap_or(0).min(MOST_CONTEXT);
        Ok(Self {
            matcher: search.matcher()?,
            searcher: searcher(context),
            most: search.most(bounds),
            bytes: bounds.bytes,
            bounds: bounds.clone(),
        })
    }

    fn search(&mut self, path: &str, file: &File, stop: &StopSignal) -> FileFound {
        let mut lines = FoundLines {
            matcher: &self.matcher,
            lines: Vec::new(),
            matches: 0,
            most: self.most,
            bytes: self.bounds.bytes.saturating_sub(self.bytes) + path.len(),
            bounds: &self.bounds,
            limit: None,
        };
        let before = lines.bytes - path.len();
        let watched = StoppableFile { file, stop };
        let searched = self.searcher.search_reader(&self.matcher, watched, &mut lines);
        let FoundLines { lines, matches, bytes, limit, .. } = lines;
        let mut found =
            FileFound { lines, matches, bytes: bytes - before, limit, is_unread: false };
        match searched {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                found.limit = Some(RepoLimit::Time);
            }
            Err(_) => found.is_unread = true,
        }
        found
    }
}

/// A result as it is put together, file by file in the order of the walk.
struct SearchRun {
    searcher: FileSearcher,
    bytes_left: usize,
    results: SearchResults,
    end: WalkEnd,
}

impl SearchRun {
    /// Says whether there is room for more.
    fn add_if_it_fits(
        &mut self,
        place: &ServedRepo,
        stop: &StopSignal,
        path: String,
        found: FileFound,
    ) -> bool {
        let left = self.searcher.most - self.results.matches;
        let fits = found.matches <= left && found.bytes <= self.bytes_left;
        if found.limit == Some(RepoLimit::Time) || (fits && found.limit.is_none()) {
            return self.add(path, found);
        }
        // Once more, with what room there is: where exactly it ends is the sink's to say.
        let again = place.folder.find(&path).ok().and_then(|found| found.file);
        let mut searcher = self.searcher.clone();
        (searcher.most, searcher.bytes) = (left, self.bytes_left);
        let found = match again {
            Some(file) => searcher.search(&path, &file, stop),
            None => FileFound { limit: Some(RepoLimit::Count), ..FileFound::default() },
        };
        self.add(path, found)
    }

    fn add(&mut self, path: String, found: FileFound) -> bool {
        let FileFound { lines, matches, bytes, limit, is_unread } = found;
        if matches > 0 {
            self.bytes_left = self.bytes_left.saturating_sub(bytes);
            self.results.matches += matches;
            self.results.files.push(FileLines { path, lines });
        }
        self.end.unread += usize::from(is_unread);
        self.end.limit = limit.or(self.end.limit);
        limit.is_none()
    }
}

impl BuiltinToolOutput for SearchResults {
    /// As ripgrep shows it: a path, then its lines, `:` after the number of one that matches.
    fn text(&self) -> Vec<String> {
        let mut shown = String::new();
        for file in &self.files {
            if !shown.is_empty() {
                shown.push('\n');
            }
            shown.push_str(&format!("{}\n", one_line(&file.path)));
            let mut last = None;
            for line in &file.lines {
                let has_context = file.lines.iter().any(|line| !line.matched);
                if has_context && last.is_some_and(|last| last + 1 < line.number) {
                    shown.push_str("--\n");
                }
                let mark = if line.matched { ':' } else { '-' };
                shown.push_str(&format!("{}{mark}{}\n", line.number, line.text));
                last = Some(line.number);
            }
        }
        if shown.is_empty() {
            shown.push_str("No matches.");
        }
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}
