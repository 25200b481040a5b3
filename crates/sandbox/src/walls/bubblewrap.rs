//! Which `bwrap` may build the outer wall: one that is installed, and that nobody else can exchange.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use crate::WallError;

const NAME: &str = "bwrap";

/// The bits for setuid and setgid.
const WITH_ANOTHERS_RIGHTS: u32 = 0o6000;

/// Whoever else than the owner may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The first one on this search path; none from a folder that a project's files lie in.
pub(super) fn find(search: Option<&OsStr>, projects: &[&Path]) -> Result<PathBuf, WallError> {
    let elements = search.map(std::env::split_paths).into_iter().flatten();
    let mut found = elements
        .filter(|element| element.is_absolute())
        .filter_map(|element| element.join(NAME).canonicalize().ok())
        .filter(|file| file.is_file());
    let file = found.next().ok_or(WallError::NoBubblewrap)?;
    match unfit(&file, projects) {
        None => Ok(file),
        Some(why) => Err(WallError::UnfitBubblewrap { path: file, why }),
    }
}

/// What is wrong with it. It is not passed over for the next one: whoever put it there wants it used.
fn unfit(file: &Path, projects: &[&Path]) -> Option<&'static str> {
    if projects.iter().filter_map(|folder| folder.canonicalize().ok()).any(|p| file.starts_with(p))
    {
        return Some("lies in the workspace");
    }
    let Ok(found) = file.metadata() else { return Some("cannot be looked at") };
    if found.mode() & WITH_ANOTHERS_RIGHTS != 0 {
        return Some("is setuid, and would build with privileges that are not yours");
    }
    let folder = file.parent().and_then(|folder| folder.metadata().ok());
    [Some(found), folder].into_iter().find_map(|part| match part {
        Some(part) if ![0, geteuid().as_raw()].contains(&part.uid()) => Some("belongs to another"),
        Some(part) if part.mode() & WRITABLE_BY_OTHERS != 0 => Some("can be exchanged by others"),
        Some(_) => None,
        None => Some("cannot be looked at"),
    })
}

#[cfg(test)]
mod tests;
