//! Opening one name in an open folder. No call here follows a link, and none can wait.
//!
//! This is what makes a swap harmless: a name is looked up in a descriptor that we hold, so
//! whatever happens to the path meanwhile, the kernel never goes through a link for us.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, readlinkat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirEntryKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket or a device: opening one can wait for ever, or do something.
    Special,
}

/// What a name is, the link itself where it is one.
pub(crate) fn kind(folder: impl AsFd, name: &OsStr) -> Result<DirEntryKind, Errno> {
    let stat = stat(folder, name)?;
    Ok(match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFREG => DirEntryKind::File,
        SFlag::S_IFDIR => DirEntryKind::Folder,
        SFlag::S_IFLNK => DirEntryKind::Link,
        _ => DirEntryKind::Special,
    })
}

/// Everything that is known of a name, of the link itself where it is one.
pub(crate) fn stat(folder: impl AsFd, name: &OsStr) -> Result<FileStat, Errno> {
    fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW)
}

/// The same of something that is open.
pub(crate) fn stat_open(open: impl AsFd) -> Result<FileStat, Errno> {
    fstat(open)
}

/// Opens a folder in a folder; `.` opens it anew.
pub(crate) fn folder(folder: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(folder, name, flags() | OFlag::O_DIRECTORY, Mode::empty())
}

/// Opens a file in a folder; `None` if it is something else.
pub(crate) fn file(folder: impl AsFd, name: &OsStr) -> Result<Option<File>, Errno> {
    let file = openat(folder, name, flags(), Mode::empty())?;
    // What stands there may have changed since anybody looked, so the open file is asked again.
    let kind = SFlag::from_bits_truncate(fstat(&file)?.st_mode) & SFlag::S_IFMT;
    Ok((kind == SFlag::S_IFREG).then(|| File::from(file)))
}

/// Where a link leads, as it is written.
pub(crate) fn link(folder: impl AsFd, name: &OsStr) -> Result<OsString, Errno> {
    readlinkat(folder, name)
}

/// Whether it was swapped or removed since it was seen, rather than kept from us.
pub(crate) fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::ENOENT | Errno::ELOOP | Errno::ENOTDIR | Errno::ENXIO)
}

fn flags() -> OFlag {
    OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY
}
