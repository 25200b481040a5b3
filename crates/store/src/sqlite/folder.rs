//! The folder that holds the state: made for its owner alone, refused when others could write it.
//!
//! Whoever can write here can accept for the person, so the check comes before anything is read.
//! A folder that others may only read is left as it is: the files in it are closed to them, and
//! tightening a folder somebody else relies on is not ours to do.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::StoreError;

pub(crate) fn exists(folder: &Path) -> Result<bool, StoreError> {
    folder.try_exists().map_err(|error| StoreError::io(folder, &error))
}

/// Makes the folder, and what is missing above it, for the owner alone.
pub(crate) fn make(folder: &Path) -> Result<(), StoreError> {
    if exists(folder)? {
        return Ok(());
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| StoreError::io(folder, &error))
}

/// The folder's real path, once it is certain that it is ours alone to write.
pub(crate) fn check(folder: &Path) -> Result<PathBuf, StoreError> {
    let look = || {
        let real = fs::canonicalize(folder)?;
        let found = fs::metadata(&real)?;
        Ok((real, found))
    };
    let (real, found) = look().map_err(|error| StoreError::io(folder, &error))?;
    if !found.is_dir() {
        return Err(StoreError::folder(folder, "it is not a folder"));
    }
    check_owner(&real, &found)?;
    Ok(real)
}

/// Nobody else owns it, nobody else can write it.
pub(super) fn check_owner(path: &Path, found: &Metadata) -> Result<(), StoreError> {
    let us = own_uid().map_err(|error| StoreError::io(path, &error))?;
    if found.uid() != us {
        let why = format!("it belongs to user {}, and this is user {us}", found.uid());
        return Err(StoreError::folder(path, why));
    }
    if found.mode() & 0o022 != 0 {
        let why = format!("other users can write it (mode {:03o})", found.mode() & 0o777);
        return Err(StoreError::folder(path, why));
    }
    Ok(())
}

/// The user this process acts as: the owner of whatever it makes, here a pipe, which leaves no
/// trace and needs neither `/proc` nor a folder that can be written.
pub(crate) fn own_uid() -> io::Result<u32> {
    let (reader, _writer) = io::pipe()?;
    Ok(File::from(OwnedFd::from(reader)).metadata()?.uid())
}

#[cfg(test)]
mod tests;
