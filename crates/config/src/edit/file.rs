//! Changes a file so that it is always whole: the old text or the new one.
//!
//! One edit at a time per file, a temporary file beside the target, then a rename. What the text
//! means is left to the caller. Hard links, access lists and extended attributes do not survive a
//! rename; nothing is done about them.

mod lock;
mod target;
mod write;

use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Whether the old text is kept in a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupChoice {
    None,
    /// In `<name>.toolgate-backup` beside the file, in place of an earlier backup.
    Beside,
}

/// What an edit did, or would do.
#[derive(Clone, PartialEq, Eq)]
pub struct EditedFile {
    /// The file itself, behind any link.
    pub path: PathBuf,
    pub before: String,
    pub after: String,
    /// The file did not exist.
    pub created: bool,
    pub backup: Option<PathBuf>,
}

/// Why a file was not edited. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{} is a folder; name the file in it", path.display())]
    Folder { path: PathBuf },
    #[error("{} is not a regular file; name one that can be edited", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} is a file, so nothing can stand below it; choose another path", path.display())]
    NotAFolder { path: PathBuf },
    #[error(
        "{} is a link to {}, which does not exist; create that file or remove the link",
        path.display(), target.display()
    )]
    DanglingLink { path: PathBuf, target: PathBuf },
    #[error("{} is not UTF-8 from byte {at} on; save it as UTF-8 first", path.display())]
    NotUtf8 { path: PathBuf, at: usize },
    #[error("{} is read-only; make it writable first", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} was changed by another program meanwhile; try again", path.display())]
    ChangedMeanwhile { path: PathBuf },
    #[error("another edit of {} does not come to its end; try again", path.display())]
    Busy { path: PathBuf },
    #[error("the lock folder {} belongs to, or is open to, someone else; remove it", path.display())]
    UnsafeLockFolder { path: PathBuf },
    #[error("cannot lock in {}: {source}; check the folder's permissions", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("cannot read {}: {source}; check its path and permissions", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write in the folder {}: {source}; check its permissions", path.display())]
    WriteFolder { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}; the file is as it was", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl EditedFile {
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

impl fmt::Debug for EditedFile {
    /// Leaves the texts out: they may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, created, backup, .. } = self;
        f.debug_struct("EditedFile")
            .field("path", path)
            .field("created", created)
            .field("backup", backup)
            .finish_non_exhaustive()
    }
}

/// Changes a file, or creates it with its folders. An unchanged text is not written.
///
/// `lock_folder` belongs to the user alone and is created if need be; every edit of one file has
/// to name the same one. A missing file reads as an empty text.
pub fn edit_file<E: From<FileError>>(
    path: &Path,
    lock_folder: &Path,
    backup: BackupChoice,
    change: impl FnOnce(&str) -> Result<String, E>,
) -> Result<EditedFile, E> {
    let path = target::real_path(path)?;
    let _lock = lock::hold(lock_folder, &path)?;
    let (mut edited, metadata) = change_text(path, change)?;
    if edited.is_changed() {
        write::write(&mut edited, metadata.as_ref(), backup)?;
    }
    Ok(edited)
}

/// Takes a file away that still has this text, and nothing else with it.
pub fn remove_file(path: &Path, lock_folder: &Path, text: &str) -> Result<(), FileError> {
    let path = target::real_path(path)?;
    let _lock = lock::hold(lock_folder, &path)?;
    if target::read(&path)?.is_none_or(|(present, _)| present != text) {
        return Err(FileError::ChangedMeanwhile { path });
    }
    std::fs::remove_file(&path).map_err(|source| FileError::Write { path, source })
}

/// Where the old text of a file is kept beside it.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".toolgate-backup");
    path.with_file_name(name)
}

/// What [`edit_file`] would do. Nothing is written and nothing is locked.
pub fn dry_run<E: From<FileError>>(
    path: &Path,
    change: impl FnOnce(&str) -> Result<String, E>,
) -> Result<EditedFile, E> {
    change_text(target::real_path(path)?, change).map(|(edited, _)| edited)
}

fn change_text<E: From<FileError>>(
    path: PathBuf,
    change: impl FnOnce(&str) -> Result<String, E>,
) -> Result<(EditedFile, Option<Metadata>), E> {
    let old = target::read(&path)?;
    let (before, metadata) = old.map_or((String::new(), None), |(text, meta)| (text, Some(meta)));
    let after = change(&before)?;
    let created = metadata.is_none() && after != before;
    Ok((EditedFile { path, before, after, created, backup: None }, metadata))
}
