//! Why a call gives nothing, in the words that its caller reads.
//!
//! A message names the path as it was asked for, never where the folder lies on this machine.

use crate::work_turns::WorkStopped;

/// A call that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepoRefusal {
    #[error("the folder that is served cannot be opened: {0}")]
    Folder(String),
    #[error("`{0}` leads out of the folder that is served")]
    Outside(String),
    #[error("`{path}` is refused by rule: {why}")]
    Rule { path: String, why: &'static str },
    #[error("`{0}` does not exist")]
    Absent(String),
    #[error("`{path}` is {what}, not a file with text")]
    NotFile { path: String, what: &'static str },
    #[error("`{0}` is not a folder")]
    NotFolder(String),
    #[error("`{path}` is not text: it looks like {mime}, {size} bytes")]
    NotText { path: String, mime: &'static str, size: u64 },
    #[error("`{path}` cannot be opened: {why}")]
    Unreadable { path: String, why: String },
    #[error("`{0}` changed while it was opened; try again")]
    Changed(String),
    #[error("`{path}` is no path: {why}")]
    Path { path: String, why: &'static str },
    #[error("`{path}` has {lines} lines; `start_line` {start} is past its end")]
    PastEnd { path: String, lines: u64, start: u64 },
    #[error("`end_line` {end} is before `start_line` {start}")]
    Range { start: u64, end: u64 },
    #[error("the pattern cannot be used: {0}")]
    Pattern(String),
    #[error("the glob cannot be used: {0}")]
    Glob(String),
    #[error("`{0}` is too large to get there in time")]
    TooSlow(String),
    #[error("the arguments do not fit: {0}")]
    Arguments(String),
    #[error("the folder that is served is no Git repository that is read here: {0}")]
    Repository(&'static str),
    #[error("`{revision}` is not found: {why}")]
    Revision { revision: String, why: &'static str },
    #[error("the object {id} is not read: {why}")]
    Object { id: String, why: &'static str },
    #[error("it took too long: narrow it down with `paths`, or ask for less")]
    Late,
    #[error("`{0}` is there already: set `overwrite` to replace it, or change it with `edit_file`")]
    Exists(String),
    #[error("`{path}` is not edited: {why}")]
    Edit { path: String, why: String },
    #[error("`{path}` cannot be written: {why}")]
    Unwritten { path: String, why: String },
    #[error(
        "`{0}` is in no language that is outlined (Rust, Python, TypeScript, JavaScript, Go, Java, C)"
    )]
    Language(String),
    #[error("the call was stopped")]
    Stopped,
}

impl From<WorkStopped> for RepoRefusal {
    fn from(_: WorkStopped) -> Self {
        Self::Stopped
    }
}
