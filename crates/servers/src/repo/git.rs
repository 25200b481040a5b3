//! What Git knows of the served folder, read without Git.
//!
//! Nothing is started for it: no filter, textconv, external diff, hook, file-system monitor or credential
//! helper, since none of the code that could start one is linked. Of Git's settings the repository's own
//! file is read, for what shape the repository has; a person's and the system's are not, nor what a
//! setting includes. Only objects, references and the index in the folder's own `.git` are read: what
//! leads elsewhere is refused by `git_folder`. The rules about secrets hold for the paths in trees as they
//! do for files.

mod blame;
mod changed_files;
mod commit_history;
mod diff;
mod git_folder;
mod git_index;
mod git_objects;
mod git_settings;
mod line_origins;
mod log;
mod path_filter;
mod references;
mod revision;
mod show;
mod shown_commit;
mod shown_patch;
mod status;
mod tree_changes;
mod work_files;

use std::path::Path;

pub use blame::{BlamedLines, GitBlame, GitBlamed};
pub use changed_files::{ChangeKind, ChangedFile};
pub use diff::{GitDiff, GitDiffed};
pub use log::{GitHistory, GitLog};
pub use show::{GitShow, GitShown};
pub use shown_commit::ShownCommit;
pub use status::{GitState, GitStatus, StatusPath};

use super::bounds::StopSignal;
use super::{RepoBounds, RepoRefusal, ServedRepo};
use git_folder::GitFolder;
use git_objects::GitObjects;

/// A repository that is open for one call.
#[derive(Debug)]
pub(crate) struct GitRepository<'a> {
    place: &'a ServedRepo,
    stop: &'a StopSignal,
    folder: GitFolder,
    objects: GitObjects<'a>,
}

impl<'a> GitRepository<'a> {
    fn open(place: &'a ServedRepo, stop: &'a StopSignal) -> Result<Self, RepoRefusal> {
        let folder = GitFolder::open(place, stop)?;
        let objects = GitObjects::open(&place.folder.real().join(".git/objects"), stop)?;
        Ok(Self { place, stop, folder, objects })
    }

    fn root(&self) -> &Path {
        self.place.folder.real()
    }

    fn bounds(&self) -> &RepoBounds {
        &self.place.bounds
    }

    /// Opens, works, and looks at the folder once more: what was made to lead elsewhere meanwhile gives
    /// nothing.
    fn with<T>(
        place: &ServedRepo,
        stop: &StopSignal,
        work: impl FnOnce(&GitRepository<'_>) -> Result<T, RepoRefusal>,
    ) -> Result<T, RepoRefusal> {
        let repository = GitRepository::open(place, stop)?;
        let done = work(&repository)?;
        repository.folder.is_still_confined(stop)?;
        Ok(done)
    }
}

/// What a call left out besides what did not fit.
fn withheld_hint(withheld: usize) -> Option<String> {
    match withheld {
        0 => None,
        1 => Some("One file is left out: it usually holds secrets.".to_owned()),
        many => Some(format!("{many} files are left out: they usually hold secrets.")),
    }
}

/// Sentences for the caller, as one.
fn joined(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}
