//! `git_status`: where `HEAD` is, and what is not committed.

use std::collections::HashSet;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_types::config::ApprovalMode;

use super::super::bounds::{RepoLimit, StopSignal};
use super::super::open_beneath::DirEntryKind;
use super::super::walk::{FolderWalk, WalkNext};
use super::super::{RepoRefusal, RepoToolRun, ServedRepo};
use super::git_index::IndexEntry;
use super::path_filter::{self, PathFilter, shown};
use super::work_files::{WorkFile, WorkFiles};
use super::{ChangeKind, GitRepository, joined, withheld_hint};
use crate::tool::{BuiltinTool, BuiltinToolOutput, ONLY_READS, OfferedTool, one_line};

/// Shows what is not committed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitStatus {
    /// Only these files or folders, relative to the served folder.
    #[serde(default)]
    pub paths: Vec<String>,
}

/// Where `HEAD` is, and what is not committed. Paths are relative to the served folder, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GitState {
    /// Left out where `HEAD` is at a commit and on no branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The last commit; left out before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// What differs between the last commit and the index.
    pub staged: Vec<StatusPath>,
    /// What differs between the index and the disk.
    pub unstaged: Vec<StatusPath>,
    /// Files with a conflict that is not settled.
    pub conflicts: Vec<String>,
    /// Files that Git does not know and `.gitignore` does not name.
    pub untracked: Vec<String>,
    /// There is more than this.
    pub truncated: bool,
    /// How many files are left out because they usually hold secrets.
    pub withheld: usize,
    /// What is missing, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A path and what happened to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusPath {
    pub path: String,
    pub change: ChangeKind,
}

impl BuiltinTool for GitStatus {
    const OFFER: OfferedTool = OfferedTool {
        name: "git_status",
        title: "Show what is not committed",
        description: "Shows the branch, and which files are staged, changed, in conflict or untracked. \
                      No filter is run, so a file that one would change back reads as changed.",
        hints: ONLY_READS,
        approval: ApprovalMode::Approve,
        exposed: true,
        roles: &["planner", "coder", "reviewer"],
    };
    type Output = GitState;
}

impl RepoToolRun for GitStatus {
    fn run(self, place: &ServedRepo, stop: &StopSignal) -> Result<GitState, RepoRefusal> {
        let filter = PathFilter::new(place, &self.paths)?;
        GitRepository::with(place, stop, |repository| {
            let head = repository.folder.head()?;
            let index = repository.index()?;
            let mut state = GitState {
                branch: head.branch,
                head: head.id.map(|id| id.to_string()),
                ..GitState::default()
            };
            let commit = repository.head_commit()?;
            let list = repository.changes_to_index(commit.as_ref(), &index, &filter)?;
            state.withheld = list.withheld;
            let mut room = StatusRoom { most: place.bounds.files, limit: None };
            let unmerged =
                |path: &[u8]| index.iter().any(|entry| entry.stage != 0 && entry.path == path);
            for change in &list.changes {
                if room.takes() && !(change.new.is_none() && unmerged(&change.path)) {
                    let kind = ChangeKind::between(change.old, change.new);
                    state.staged.push(StatusPath { path: shown(&change.path), change: kind });
                }
            }
            room.compare_disk(repository, &index, &filter, &mut state)?;
            room.find_untracked(repository, &index, &filter, &mut state)?;
            state.truncated = room.limit.is_some();
            let missing = room.limit.map(super::diff::hint);
            state.hint = joined([missing, withheld_hint(state.withheld)]);
            Ok(state)
        })
    }
}

/// How many more paths are given.
struct StatusRoom {
    most: usize,
    limit: Option<RepoLimit>,
}

impl StatusRoom {
    fn takes(&mut self) -> bool {
        match self.most.checked_sub(1) {
            Some(left) => self.most = left,
            None => self.limit = Some(RepoLimit::Count),
        }
        self.limit.is_none()
    }

    fn compare_disk(
        &mut self,
        repository: &GitRepository<'_>,
        index: &[IndexEntry],
        filter: &PathFilter,
        state: &mut GitState,
    ) -> Result<(), RepoRefusal> {
        let mut work = WorkFiles::open(repository)?;
        for entry in index.iter().filter(|entry| filter.takes(&entry.path)) {
            let is_left_out = entry.is_unwatched || entry.item.is_folder();
            if is_left_out || path_filter::refuses(repository.root(), &entry.path).is_some() {
                continue;
            }
            let path = shown(&entry.path);
            if entry.stage != 0 {
                if state.conflicts.last() != Some(&path) && self.takes() {
                    state.conflicts.push(path);
                }
                continue;
            }
            let change = match work.compare(entry) {
                Ok(WorkFile::Same | WorkFile::Unread) => continue,
                Ok(WorkFile::Gone) => ChangeKind::Deleted,
                Ok(WorkFile::Changed(contents)) => {
                    let new = super::git_objects::TreeItem { mode: contents.mode, ..entry.item };
                    ChangeKind::between(Some(entry.item), Some(new))
                }
                Err(RepoRefusal::Late) => {
                    self.limit = Some(RepoLimit::Time);
                    return Ok(());
                }
                Err(other) => return Err(other),
            };
            if !self.takes() {
                return Ok(());
            }
            state.unstaged.push(StatusPath { path, change });
        }
        Ok(())
    }

    fn find_untracked(
        &mut self,
        repository: &GitRepository<'_>,
        index: &[IndexEntry],
        filter: &PathFilter,
        state: &mut GitState,
    ) -> Result<(), RepoRefusal> {
        use std::os::unix::ffi::OsStrExt as _;
        let known: HashSet<&[u8]> = index.iter().map(|entry| &*entry.path).collect();
        let submodules: Vec<&[u8]> = index
            .iter()
            .filter(|entry| entry.item.mode == 0o160_000)
            .map(|entry| &*entry.path)
            .collect();
        let excluded = excluded(repository)?;
        let served = (repository.bounds(), repository.root());
        let walk = FolderWalk::new(served, repository.stop, None, None)?;
        let found = repository.place.folder.find("")?;
        let end = walk.run(found, &mut |entry| {
            let path = entry.path.as_os_str().as_bytes();
            let is_file = matches!(entry.kind, DirEntryKind::File | DirEntryKind::Link);
            let is_in = |submodule: &&[u8]| {
                path.strip_prefix(*submodule).is_some_and(|rest| rest.starts_with(b"/"))
            };
            if !is_file
                || known.contains(path)
                || !filter.takes(path)
                || entry.is_private()
                || submodules.iter().any(is_in)
                || excluded.matched_path_or_any_parents(entry.path, false).is_ignore()
            {
                return Ok(WalkNext::More);
            }
            if !self.takes() {
                return Ok(WalkNext::Enough(RepoLimit::Count));
            }
            state.untracked.push(shown(path));
            Ok(WalkNext::More)
        })?;
        self.limit = self.limit.or(end.limit);
        Ok(())
    }
}

/// What the repository itself leaves out, beside its `.gitignore` files.
fn excluded(repository: &GitRepository<'_>) -> Result<Gitignore, RepoRefusal> {
    let bytes = repository.folder.read("info/exclude")?.unwrap_or_default();
    let mut builder = GitignoreBuilder::new(".");
    for line in String::from_utf8_lossy(&bytes).lines() {
        let _ = builder.add_line(None, line);
    }
    Ok(builder.build().unwrap_or_else(|_| Gitignore::empty()))
}

impl BuiltinToolOutput for GitState {
    fn text(&self) -> Vec<String> {
        let at = match (&self.branch, &self.head) {
            (Some(branch), Some(head)) => format!("On branch {branch} at {head}."),
            (Some(branch), None) => format!("On branch {branch}, before the first commit."),
            (None, Some(head)) => format!("Detached at {head}."),
            (None, None) => "Nowhere.".to_owned(),
        };
        let mut lines = vec![at];
        for (name, paths) in [("staged", &self.staged), ("unstaged", &self.unstaged)] {
            for path in paths {
                lines.push(format!("{name} {} {}", path.change.letter(), one_line(&path.path)));
            }
        }
        for (name, paths) in [("conflict", &self.conflicts), ("untracked", &self.untracked)] {
            lines.extend(paths.iter().map(|path| format!("{name} {}", one_line(path))));
        }
        if lines.len() == 1 {
            lines.push("Nothing to commit.".to_owned());
        }
        std::iter::once(lines.join("\n")).chain(self.hint.clone()).collect()
    }
}
