//! Changes as one patch that `git apply` takes, bounded; every file is named even where its patch is not.

use std::time::{Duration, Instant};

use super::super::RepoRefusal;
use super::super::bounds::RepoLimit;
use super::super::unified_diff::{DiffRoom, unified};
use super::GitRepository;
use super::changed_files::{ChangeKind, ChangedFile};
use super::git_objects::TreeItem;
use super::path_filter::shown;
use super::tree_changes::FileChange;
use super::work_files::WorkContents;
use crate::tool::one_line;

/// How far into a file a zero byte says that it is no text.
const LOOKED_AT: usize = 8000;
/// How long one pair of files may take.
const TIME_FOR_ONE: Duration = Duration::from_secs(2);

/// A patch as it grows.
#[derive(Debug, Default)]
pub(crate) struct ShownPatch {
    pub(super) files: Vec<ChangedFile>,
    pub(super) text: String,
    pub(super) limit: Option<RepoLimit>,
}

impl ShownPatch {
    /// Adds a change; `work` is its newer side where that is on the disk. Says whether there is room for
    /// more.
    pub(super) fn push(
        &mut self,
        repository: &GitRepository<'_>,
        change: &FileChange,
        work: Option<&WorkContents>,
        context: usize,
    ) -> Result<bool, RepoRefusal> {
        let bounds = repository.bounds();
        if self.files.len() >= bounds.files {
            self.limit = Some(RepoLimit::Count);
            return Ok(false);
        }
        let kind = ChangeKind::between(change.old, change.new);
        let path = shown(&change.path);
        let mut file =
            ChangedFile { path, change: kind, added: 0, removed: 0, binary: false, cut: false };
        let header = header(change);
        let room = bounds.bytes.saturating_sub(self.text.len() + header.len());
        let sides = match self.limit {
            // Files are still named once no patch fits any more.
            Some(_) => None,
            None => match sides(repository, change, work) {
                Ok(sides) => Some(sides),
                Err(RepoRefusal::Late) => {
                    self.limit = Some(RepoLimit::Time);
                    None
                }
                Err(RepoRefusal::Object { why, .. }) if why == super::git_objects::TOO_LARGE => {
                    None
                }
                Err(other) => return Err(other),
            },
        };
        let Some((old, new)) = sides else {
            file.cut = true;
            self.files.push(file);
            return Ok(true);
        };
        if [&old, &new].into_iter().any(|side| side.iter().take(LOOKED_AT).any(|&it| it == 0)) {
            file.binary = true;
            let (old, new) = names(change);
            self.text.push_str(&format!("{header}Binary files {old} and {new} differ\n"));
        } else {
            let deadline = Instant::now() + TIME_FOR_ONE;
            let room = DiffRoom { context, bytes: room, line_bytes: bounds.line_bytes, deadline };
            let diff = unified(&old, &new, room);
            (file.added, file.removed, file.cut) = (diff.added, diff.removed, diff.is_cut);
            if diff.is_cut {
                self.limit = Some(RepoLimit::Bytes);
            }
            self.text.push_str(&header);
            if !diff.text.is_empty() {
                let (old, new) = names(change);
                self.text.push_str(&format!("--- {old}\n+++ {new}\n{}", diff.text));
            }
        }
        self.files.push(file);
        Ok(true)
    }

    /// One line for each file, for readers of text.
    pub(super) fn summary(files: &[ChangedFile]) -> String {
        let lines = files.iter().map(|file| {
            let cut = if file.cut { " (cut)" } else { "" };
            format!("{} {}{cut}\n", file.change.letter(), one_line(&file.path))
        });
        lines.collect()
    }
}

fn sides(
    repository: &GitRepository<'_>,
    change: &FileChange,
    work: Option<&WorkContents>,
) -> Result<(Vec<u8>, Vec<u8>), RepoRefusal> {
    let contents = |item: Option<TreeItem>| match item {
        None => Ok(Vec::new()),
        // A submodule is a commit of another repository.
        Some(item) if item.mode == 0o160_000 => {
            Ok(format!("Subproject commit {}\n", item.id).into_bytes())
        }
        Some(item) => repository.objects.blob(item.id),
    };
    let new = match work {
        Some(work) => work.bytes.clone(),
        None => contents(change.new)?,
    };
    Ok((contents(change.old)?, new))
}

fn names(change: &FileChange) -> (String, String) {
    let path = shown(&change.path);
    let name = |side: Option<TreeItem>, letter| match side {
        Some(_) => format!("{letter}/{}", one_line(&path)),
        None => "/dev/null".to_owned(),
    };
    (name(change.old, 'a'), name(change.new, 'b'))
}

fn header(change: &FileChange) -> String {
    let path = shown(&change.path);
    let path = one_line(&path);
    let mode = match (change.old, change.new) {
        (None, Some(new)) => format!("new file mode {:06o}\n", new.mode),
        (Some(old), None) => format!("deleted file mode {:06o}\n", old.mode),
        (Some(old), Some(new)) if old.mode != new.mode => {
            format!("old mode {:06o}\nnew mode {:06o}\n", old.mode, new.mode)
        }
        _ => String::new(),
    };
    format!("diff --git a/{path} b/{path}\n{mode}")
}
