//! Why something could not be kept or found again: whose fault, whether to try again, what to do.
//!
//! These sentences are for the person at the terminal and name paths. What an agent may read is
//! mapped elsewhere; nothing here knows about exit codes or the wire.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Who can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// The person: a setting, a mode, the wrong file.
    Person,
    /// The machine: its disk, or another process.
    Machine,
    /// Toolgate itself.
    Toolgate,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    #[error("cannot keep state in {}: {why}", path.display())]
    Folder { path: PathBuf, why: String },
    #[error(
        "state.db was written by a newer Toolgate: it has version {found}, this program knows \
         versions up to {supported}"
    )]
    Newer { found: u32, supported: u32 },
    #[error("{} is a database of another program", path.display())]
    Foreign { path: PathBuf },
    #[error("{} cannot be read as Toolgate's state: {why}", path.display())]
    Corrupt { path: PathBuf, why: String },
    #[error("the artifact {} is not what was kept: {why}", path.display())]
    Artifact { path: PathBuf, why: String },
    #[error("another process has held the state for too long")]
    Busy,
    #[error("there is no room left on the disk that holds the state")]
    Full,
    #[error("the state was opened to look at and cannot be changed")]
    ReadOnly,
    #[error("the state could not be read or written: {what}")]
    Other { what: String },
}

impl StoreError {
    pub fn fault(&self) -> StoreFault {
        match self {
            Self::Folder { .. } | Self::Newer { .. } | Self::Foreign { .. } => StoreFault::Person,
            Self::Corrupt { .. } | Self::Artifact { .. } | Self::Busy | Self::Full => {
                StoreFault::Machine
            }
            Self::ReadOnly | Self::Other { .. } => StoreFault::Toolgate,
        }
    }

    /// Whether the same call may succeed later with nobody doing anything.
    pub fn may_retry(&self) -> bool {
        matches!(self, Self::Busy)
    }

    /// What the person can do, as a sentence of its own.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Folder { .. } => Some(
                "Use a folder that belongs to you and that nobody else can write (chmod 700), or \
                 set XDG_STATE_HOME.",
            ),
            Self::Newer { .. } => Some("Run the newer Toolgate; nothing was changed."),
            Self::Foreign { .. } => {
                Some("Move it away, or set XDG_STATE_HOME; nothing was changed.")
            }
            Self::Corrupt { .. } => Some(
                "Move it and its -wal and -shm files away, or restore a copy; without it nothing \
                 counts as accepted.",
            ),
            Self::Artifact { .. } => Some("It cannot be had again from here; call the tool again."),
            Self::Busy => Some("Try again, and look for a Toolgate process that hangs."),
            Self::Full => Some("Make room and try again; nothing was recorded."),
            Self::ReadOnly | Self::Other { .. } => None,
        }
    }

    pub(crate) fn folder(path: &Path, why: impl Into<String>) -> Self {
        Self::Folder { path: path.into(), why: why.into() }
    }

    pub(crate) fn corrupt(path: &Path, why: impl Into<String>) -> Self {
        Self::Corrupt { path: path.into(), why: why.into() }
    }

    /// What the file system said about a path of ours.
    /// Something that was read or written where no path can be told.
    pub fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::Other { what: error.to_string() },
        }
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::folder(path, error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
