//! Where a project really is: the key under which acceptances are kept.
//!
//! It does not find the project (that is discovery, in `toolgate-config`) and it does not follow
//! a folder that moves: at its new place it is another root, and nothing is accepted there.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An absolute path of a folder with every link resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectRoot(PathBuf);

impl ProjectRoot {
    /// The folder as the file system knows it now; fails if it is none.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let real = fs::canonicalize(folder)?;
        if !fs::metadata(&real)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(real))
    }

    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Bytes and not text: a path is not always UTF-8, and two that differ must stay different.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_os_str().as_bytes()
    }

    /// A root that was recorded earlier. It may be gone by now, and must still be listed and
    /// revoked, so nothing is looked up.
    pub(crate) fn recorded(bytes: &[u8]) -> Self {
        Self(PathBuf::from(OsStr::from_bytes(bytes)))
    }
}

impl fmt::Display for ProjectRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

#[cfg(test)]
mod tests;
