//! Whether what is kept can be read and written, and by nobody else.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use nix::unistd::{AccessFlags, access};
use toolgate_control::current_uid;
use toolgate_store::{SecretsFile, Store as _};

use super::DoctorFinding;
use crate::surroundings::{Surroundings, wait};

const ABOUT: &str = "state";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let folder = match surroundings.state_folder() {
        Ok(folder) => folder,
        Err(failure) => return vec![DoctorFinding::wrong(ABOUT, failure.message, failure.hint)],
    };
    if !folder.exists() {
        return vec![DoctorFinding::fine(ABOUT, "nothing was kept yet")];
    }
    let secrets = SecretsFile::of_state_folder(&folder);
    // It is looked at as whoever uses it looks at it, who is more careful.
    let mut paths = within(&folder);
    paths.retain(|path| *path != secrets.path());
    let mut found: Vec<_> = paths.iter().filter_map(|path| of_others(path)).collect();
    found.extend(unusable(&secrets));
    found.extend(unwritable(&folder));
    found.extend(surroundings.log_folder().ok().and_then(|logs| unwritable(&logs)));
    found.extend(unreadable(surroundings));
    if found.is_empty() {
        found.push(DoctorFinding::fine(ABOUT, format!("{} is yours alone", folder.display())));
    }
    found
}

/// The folder and what is directly in it; the rest is out of reach if these are.
fn within(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    std::iter::once(folder.to_owned()).chain(entries.map(|entry| entry.path())).collect()
}

fn unusable(secrets: &SecretsFile) -> Option<DoctorFinding> {
    let failure = secrets.list().err()?;
    Some(DoctorFinding::wrong("secrets", failure.why, failure.hint))
}

fn of_others(path: &Path) -> Option<DoctorFinding> {
    let found = fs::metadata(path).ok()?;
    let (shown, mode) = (path.display(), found.mode() & 0o777);
    if found.uid() != current_uid() {
        let message = format!("{shown} belongs to user {}", found.uid());
        return Some(DoctorFinding::wrong(
            ABOUT,
            message,
            format!("chown {} {shown}", current_uid()),
        ));
    }
    (mode & 0o077 != 0).then(|| {
        let message = format!("others may use {shown} (mode {mode:o})");
        DoctorFinding::wrong(ABOUT, message, format!("chmod go-rwx {shown}"))
    })
}

fn unwritable(folder: &Path) -> Option<DoctorFinding> {
    let refused = access(folder, AccessFlags::W_OK | AccessFlags::X_OK).err()?;
    // One that is not there yet is made where it is needed.
    (folder.exists()).then(|| {
        let message = format!("cannot write into {}: {refused}", folder.display());
        DoctorFinding::wrong(
            ABOUT,
            message,
            "nothing can be kept or logged until that is so".to_owned(),
        )
    })
}

/// Acceptances, records and snapshots are in one database.
fn unreadable(surroundings: &Surroundings) -> Option<DoctorFinding> {
    let read = surroundings.store_to_read().and_then(|store| Ok(wait(store.all_acceptances())?));
    let failure = read.err()?;
    Some(DoctorFinding::wrong(ABOUT, failure.message, failure.hint))
}
