//! `list_files`: which files there are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::bounds::{RepoLimit, StopSignal};
use super::open_beneath::DirEntryKind;
use super::walk::{FolderWalk, WalkNext};
use super::{RepoRefusal, RepoToolRun, ServedRepo};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool, one_line};

const USUAL: usize = 500;

/// Lists files.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFiles {
    /// The folder to list, relative to the served one. Left out, it is the served one.
    pub path: Option<String>,
    /// Only files that fit, for example `*.rs`, `src/**/*.{ts,tsx}` or `!*.lock`. Relative to
    /// `path`; without a slash it fits at any depth.
    pub glob: Option<String>,
    /// How many levels to go down; 1 lists the folder alone and shows its folders. Left out, it
    /// goes all the way and shows no folders.
    #[schemars(range(min = 1))]
    pub depth: Option<usize>,
    /// The most paths to give; 500 if left out, 2000 at most.
    #[schemars(range(min = 1, max = 2000))]
    pub limit: Option<usize>,
}

/// Paths relative to the served folder, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderListing {
    /// The folder that was listed; empty for the served one.
    pub path: String,
    pub files: Vec<String>,
    /// Folders at the depth that was asked for. Their files are not listed.
    pub folders: Vec<String>,
    /// Symbolic links. None is followed.
    pub links: Vec<String>,
    /// There is more than this.
    pub truncated: bool,
    /// How many folders could not be read.
    pub skipped: usize,
    /// Why it is not all, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl BuiltinTool for ListFiles {
    const OFFER: OfferedTool = OfferedTool {
        name: "list_files",
        title: "List files",
        description: "Lists the files of the folder, or of one below it, without what \
                      `.gitignore` and `.ignore` leave out.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = FolderListing;
}

impl RepoToolRun for ListFiles {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<FolderListing, RepoRefusal> {
        let asked = self.path.as_deref().unwrap_or_default();
        let found = place.folder.find(asked)?;
        if found.file.is_some() {
            return Err(RepoRefusal::NotFolder(asked.to_owned()));
        }
        let most = self.limit.unwrap_or(USUAL).min(place.bounds.files);
        let path = found.path().to_string_lossy().into_owned();
        let mut listing = FolderListing { path, ..FolderListing::default() };
        let (mut count, mut bytes) = (0, 0);
        let served = (&place.bounds, place.folder.real());
        let walk = FolderWalk::new(served, stop, self.glob.as_deref(), self.depth)?;
        let end = walk.run(found, &mut |entry| {
            if entry.is_private() {
                return Ok(WalkNext::More);
            }
            let path = entry.path.to_string_lossy().into_owned();
            if count == most {
                return Ok(WalkNext::Enough(RepoLimit::Count));
            }
            if bytes + path.len() > place.bounds.bytes {
                return Ok(WalkNext::Enough(RepoLimit::Bytes));
            }
            count += 1;
            bytes += path.len();
            match entry.kind {
                DirEntryKind::File => listing.files.push(path),
                DirEntryKind::Folder => listing.folders.push(path),
                DirEntryKind::Link => listing.links.push(path),
                DirEntryKind::Special => {}
            }
            Ok(WalkNext::More)
        })?;
        listing.truncated = end.limit.is_some();
        listing.skipped = end.unread;
        listing.hint = end.hint();
        Ok(listing)
    }
}

impl BuiltinToolOutput for FolderListing {
    fn text(&self) -> Vec<String> {
        let files = self.files.iter().map(|path| one_line(path).into_owned());
        let folders = self.folders.iter().map(|path| format!("{}/", one_line(path)));
        let links = self.links.iter().map(|path| format!("{} (link)", one_line(path)));
        let mut lines: Vec<String> = files.chain(folders).chain(links).collect();
        lines.sort_unstable();
        let shown = if lines.is_empty() { "No files.".to_owned() } else { lines.join("\n") };
        std::iter::once(shown).chain(self.hint.clone()).collect()
    }
}
