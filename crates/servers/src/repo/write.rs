//! `write_file` and `edit_file`: the tools that change something. They are off unless an entry names
//! them, and every call of them asks a person.
//!
//! A file is replaced as a whole and in one step, by a new one beside it, and only if it is still what it
//! was when the call began. No step goes through a link.

mod edit;
mod file_place;
mod protected;
mod replace;

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::ToolHints;
use toolgate_types::config::ApprovalMode;

use super::bounds::StopSignal;
use super::unified_diff::{DiffRoom, unified};
use super::{RepoRefusal, RepoToolRun, ServedRepo};
use crate::tool::{BuiltinTool, BuiltinToolOutput, OfferedTool};
pub use edit::EditFile;
use file_place::FilePlace;

/// The largest file that is written or edited.
pub(super) const LARGEST: usize = 4 * 1024 * 1024;
const CONTEXT: usize = 3;
const TIME_FOR_DIFF: Duration = Duration::from_secs(2);

pub(super) const WRITES: ToolHints = ToolHints {
    read_only: Some(false),
    destructive: Some(true),
    idempotent: Some(false),
    open_world: Some(false),
};

/// Writes a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// The file, relative to the served folder. Folders on the way to it are made.
    pub path: String,
    /// All that the file holds afterwards.
    pub content: String,
    /// Replaces a file that is there. Without it one that is there is left as it is.
    #[serde(default)]
    pub overwrite: bool,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileWritten {
    /// Relative to the served folder.
    pub path: String,
    /// It was not there before.
    pub created: bool,
    /// How large it is now, in bytes.
    pub size: u64,
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// What changed, as a unified diff.
    pub diff: String,
    /// The diff does not show everything.
    pub truncated: bool,
}

impl BuiltinTool for WriteFile {
    const OFFER: OfferedTool = OfferedTool {
        name: "write_file",
        title: "Write a file",
        description: "Makes a text file in the folder, or replaces one (`overwrite`), and gives back what \
                      changed as a diff. To change some lines of a file use `edit_file`.",
        hints: WRITES,
        approval: ApprovalMode::Prompt,
        exposed: false,
        roles: &["coder"],
    };
    type Output = FileWritten;
}

impl RepoToolRun for WriteFile {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<FileWritten, RepoRefusal> {
        if self.content.len() > LARGEST {
            return Err(RepoRefusal::Arguments(format!(
                "`content` is longer than {LARGEST} bytes"
            )));
        }
        let target = FilePlace::find(place, &self.path, true)?;
        let before = target.read()?;
        if before.is_some() && !self.overwrite {
            return Err(RepoRefusal::Exists(self.path));
        }
        target.replace(before.as_ref(), self.content.as_bytes(), stop)?;
        let old = before.as_ref().map(|file| &*file.bytes);
        Ok(written(place, &target, old, self.content.as_bytes()))
    }
}

fn written(place: &ServedRepo, target: &FilePlace, old: Option<&[u8]>, new: &[u8]) -> FileWritten {
    let deadline = Instant::now() + TIME_FOR_DIFF;
    let (bytes, line_bytes) = (place.bounds.bytes, place.bounds.line_bytes);
    let room = DiffRoom { context: CONTEXT, bytes, line_bytes, deadline };
    let is_text = old.is_none_or(|old| !old.contains(&0));
    let diff = unified(old.filter(|_| is_text).unwrap_or_default(), new, room);
    FileWritten {
        path: target.path(),
        created: old.is_none(),
        size: new.len() as u64,
        added: diff.added,
        removed: diff.removed,
        diff: diff.text,
        truncated: diff.is_cut || !is_text,
    }
}

impl BuiltinToolOutput for FileWritten {
    fn text(&self) -> Vec<String> {
        let what = match (self.created, self.diff.is_empty() && !self.truncated) {
            (true, _) => "Made",
            (false, true) => "Left as it was:",
            (false, false) => "Changed",
        };
        let shown = format!("{what} {} ({} bytes).\n{}", self.path, self.size, self.diff);
        let cut = self.truncated.then(|| "The diff does not show everything.".to_owned());
        std::iter::once(shown).chain(cut).collect()
    }
}
