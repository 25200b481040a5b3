//! How much a call gives and how long it works.

use std::time::Duration;

pub(crate) use crate::work_turns::StopSignal;

/// The bounds of every call. What a caller asks for can only be less.
#[derive(Debug, Clone)]
pub struct RepoBounds {
    /// Lines of one `read_file`.
    pub lines: usize,
    /// Bytes of text in one result.
    pub bytes: usize,
    /// Bytes of one line; the rest of it is left out.
    pub line_bytes: usize,
    /// Paths of one `list_files`.
    pub files: usize,
    /// Matching lines of one `search`.
    pub matches: usize,
    /// Names that one call looks at.
    pub entries: usize,
    /// How deep it goes below the folder.
    pub depth: usize,
    /// How long a call works before it gives what it has.
    pub time: Duration,
}

impl Default for RepoBounds {
    fn default() -> Self {
        Self {
            lines: 2_000,
            bytes: 256 * 1024,
            line_bytes: 4 * 1024,
            files: 2_000,
            matches: 1_000,
            entries: 1_000_000,
            // Each level holds a descriptor while it is walked.
            depth: 64,
            time: Duration::from_secs(10),
        }
    }
}

/// Why a result does not hold everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RepoLimit {
    Count,
    Bytes,
    Entries,
    Depth,
    Time,
}

impl RepoLimit {
    /// For the caller: what stopped it, and what helps.
    pub(crate) fn hint(self) -> String {
        let what = match self {
            Self::Count => "the limit is reached",
            Self::Bytes => "the result would be too large",
            Self::Entries => "the folder holds too many files to look at",
            Self::Depth => "some folders are nested too deeply",
            Self::Time => "it took too long",
        };
        format!("There is more, but {what}: narrow it down with `path` or `glob`.")
    }
}
