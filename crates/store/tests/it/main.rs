//! The store from outside: one suite for both kinds, then what only a file can get wrong.
//!
//! This file holds what the modules share: short ways to make acceptances and to wait for an
//! answer. It tests nothing itself.

#![allow(clippy::unwrap_used, reason = "clippy.toml exempts tests, not what tests share")]

mod behaviour;
mod looking;
mod opening;
mod refusing;
mod sharing;
mod upgrading;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use toolgate_store::{ProjectRoot, Snapshot};
use toolgate_types::{AcceptedEntry, Digest, EntryKind, Fingerprint, Trust};

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn root(path: impl AsRef<Path>) -> ProjectRoot {
    fs::create_dir_all(&path).unwrap();
    ProjectRoot::of(path.as_ref()).unwrap()
}

fn server(id: &str) -> AcceptedEntry {
    AcceptedEntry {
        kind: EntryKind::Server,
        id: id.into(),
        fingerprint: fingerprint(1, &[]),
        trust: Trust::Untrusted,
        accepted_at: 1_700_000_000_000,
    }
}

fn fingerprint(entry: u8, files: &[(&str, u8)]) -> Fingerprint {
    Fingerprint {
        entry: Digest([entry; 32]),
        files: files.iter().map(|(path, byte)| ((*path).into(), Digest([*byte; 32]))).collect(),
    }
}

fn snapshot(body: &str, taken_at: u64) -> Snapshot {
    Snapshot { body: body.into(), taken_at }
}

/// Every file of a folder, except the lock, which says nothing about what is kept.
fn contents(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = files.filter(|file| file.file_name() != "state.lock");
    files.map(|file| (file.file_name(), fs::read(file.path()).unwrap())).collect()
}

/// The version of a file that this program has brought up to date.
pub(crate) const CURRENT: u32 = 3;
