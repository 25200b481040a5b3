//! Puts a new text in the place of an old one, whole or not at all.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::{BackupChoice, EditedFile, FileError, backup_path, target};

/// Writes the new text; `old` is what the file was like, if there was one.
pub(super) fn write(
    edited: &mut EditedFile,
    old: Option<&Metadata>,
    backup: BackupChoice,
) -> Result<(), FileError> {
    let path = edited.path.clone();
    if old.is_some_and(|old| old.permissions().readonly()) {
        return Err(FileError::ReadOnly { path });
    }
    let new = beside(&path, &edited.after, old)?;
    if old.is_some() && backup == BackupChoice::Beside {
        let at = backup_path(&path);
        rename(beside(&at, &edited.before, old)?, &at)?;
        edited.backup = Some(at);
    }
    // Those who do not know of the lock may have written in the meantime.
    let present = target::read(&path)?.map(|(text, _)| text);
    if present.as_deref() != old.map(|_| edited.before.as_str()) {
        return Err(FileError::ChangedMeanwhile { path });
    }
    rename(new, &path)
}

/// A temporary file beside `path` with everything in it that `path` is to have. It vanishes
/// unless it is renamed.
fn beside(path: &Path, text: &str, like: Option<&Metadata>) -> Result<NamedTempFile, FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let closed = |source| FileError::WriteFolder { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(closed)?;
    let mut builder = tempfile::Builder::new();
    let mut file =
        builder.prefix(".toolgate-").suffix(".tmp").tempfile_in(folder).map_err(closed)?;
    let filled = file.write_all(text.as_bytes()).and_then(|()| {
        if let Some(like) = like {
            keep_owner_and_mode(file.as_file(), like)?;
        }
        file.as_file().sync_all()
    });
    match filled {
        Ok(()) => Ok(file),
        Err(source) => Err(FileError::Write { path: path.to_owned(), source }),
    }
}

fn rename(file: NamedTempFile, path: &Path) -> Result<(), FileError> {
    let failed = |source| FileError::Write { path: path.to_owned(), source };
    file.persist(path).map_err(|error| failed(error.error))?;
    // The new text stands already; that the folder is slow to remember it is no failure.
    #[cfg(unix)]
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
    Ok(())
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let own = file.metadata()?;
    let mut mode = like.permissions().mode() & 0o7777;
    let moved = (own.uid(), own.gid()) != (like.uid(), like.gid());
    // Only root can give a file back to its owner. Another group must not read what the old
    // one could.
    if moved && fchown(file, Some(like.uid()), Some(like.gid())).is_err() && own.gid() != like.gid()
    {
        mode &= !0o070;
    }
    file.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}
