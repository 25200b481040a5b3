//! What stays as it is in a folder that may otherwise be written to: files that make somebody's next
//! command run something.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use toolgate_types::{FOLDER_WITH_PROTECTED, PROTECTED_NAMES};

use super::{CreationRules, text_of};
use crate::WallError;

/// What of a repository's own folder stays closed where an entry may write to it.
pub(super) const CLOSED_IN_REPOSITORY: [&str; 3] = ["hooks", "config", "info"];

/// What may not come into being in a workspace. Nothing where it cannot be read.
pub(super) fn creation_rules(
    workspace: &Path,
    writable: &[CString],
) -> Result<Option<CreationRules>, WallError> {
    let Ok(root) = workspace.canonicalize() else { return Ok(None) };
    let Ok(entries) = root.read_dir() else { return Ok(None) };
    let (holding, inside) = FOLDER_WITH_PROTECTED;
    let is_free = |name: &OsStr| {
        let is = |own: &str| name == own;
        !PROTECTED_NAMES.into_iter().any(is) && !is(holding)
    };
    let folders = entries.flatten().filter(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_free(&entry.file_name())
    });
    let free = folders.map(|entry| text_of(&entry.path())).collect::<Result<_, _>>()?;
    let here = PROTECTED_NAMES.into_iter().map(|name| (root.clone(), name));
    let in_folder = inside.into_iter().map(|name| (root.join(holding), name));
    let in_repository = CLOSED_IN_REPOSITORY.into_iter().map(|name| (root.join(".git"), name));
    let pair = |(folder, name): (PathBuf, &str)| Ok((text_of(&folder)?, text_of(Path::new(name))?));
    let is_around = |place: &&CString| {
        let place = Path::new(OsStr::from_bytes(place.to_bytes()));
        root.starts_with(place) && root != place
    };
    Ok(Some(CreationRules {
        around: writable.iter().filter(is_around).cloned().collect(),
        free,
        protected: here
            .chain(in_folder)
            .chain(in_repository)
            .map(pair)
            .collect::<Result<_, _>>()?,
        only_made: vec![pair((root.clone(), holding))?],
        root: text_of(&root)?,
    }))
}

/// The protected names that are there now.
pub(super) fn protected_in(workspace: &Path) -> impl Iterator<Item = PathBuf> {
    let here = PROTECTED_NAMES.into_iter().map(move |name| workspace.join(name));
    here.filter(|path| path.symlink_metadata().is_ok())
}
