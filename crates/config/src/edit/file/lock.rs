//! One edit of a file at a time, among threads and processes of one user.
//!
//! The lock lies in a folder of its own, so that nothing is left beside the file. It keeps out
//! nobody who does not ask for it, such as a text editor.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::FileError;

/// An edit takes milliseconds; whoever holds a lock this long is stuck.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(5);

/// Waits for the lock of a file; it is given back when the handle is dropped.
pub(super) fn hold(folder: &Path, target: &Path) -> Result<File, FileError> {
    let failed = |source| FileError::Lock { path: folder.to_owned(), source };
    create(folder).map_err(failed)?;
    if !is_private(folder).map_err(failed)? {
        return Err(FileError::UnsafeLockFolder { path: folder.to_owned() });
    }
    let digest = Sha256::digest(target.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let file = open(&folder.join(name + ".lock")).map_err(failed)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(FileError::Busy { path: target.to_owned() });
            }
        }
    }
}

fn create(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome,
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// In a folder of someone else's, in a shared place such as `/tmp`, a lock could be taken away or
/// be a link to something that matters.
#[cfg(unix)]
fn is_private(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() || metadata.permissions().mode() & 0o022 != 0 {
        return Ok(false);
    }
    // A new file shows who we are, which the standard library does not tell.
    let own = tempfile::tempfile_in(folder)?.metadata()?;
    Ok(own.uid() == metadata.uid())
}

#[cfg(not(unix))]
fn is_private(folder: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(folder)?.is_dir())
}
