//! A disk with no room left, and one that cannot be written: real ones, in memory.
//!
//! Only root may mount them; for anybody else these tests say loudly that they did nothing.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolgate_store::{
    ArtifactStore, AuditEntry, AuditKind, AuditLog, AuditQuery, AuditVerdict, SqliteStore, Store,
    StoreError, StoreFault,
};

use crate::{folder, local, opened, picture, root, server, wait, whole_rows};

/// A small disk, gone at the end.
struct Disk(TempDir);

impl Disk {
    fn mount(options: &str) -> Option<Self> {
        let place = folder();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "toolgate-test"])
            .arg(place.path())
            .output();
        if mounted.is_ok_and(|mount| mount.status.success()) {
            return Some(Self(place));
        }
        // Past what the test program captures: a test that did nothing must not look like one
        // that passed.
        let skipped = "SKIPPED: no disk of its own can be mounted here; nothing was tested\n";
        io::stderr().write_all(skipped.as_bytes()).unwrap();
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills what room there is; removing the file makes room again.
    fn fill(&self) -> PathBuf {
        let ballast = self.path().join("ballast");
        let mut file = File::create(&ballast).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        while file.write_all(&[0]).is_ok() {}
        ballast
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a test that failed may still have files open.
        let _already_gone = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

fn row(turn: u64) -> AuditEntry {
    AuditEntry { body: format!("{{\"text\": \"{}\"}}", "x".repeat(2000)), ..opened("c", turn) }
}

#[test]
fn a_full_disk_takes_no_more_rows_loses_none_and_goes_on_when_there_is_room() {
    let Some(disk) = Disk::mount("size=4m,mode=700") else { return };
    let state = disk.path().join("state");
    let store = SqliteStore::open(&state).unwrap();
    wait(store.append_audit(&[row(0)])).unwrap();
    let ballast = disk.fill();
    let mut kept = 1;
    let error = loop {
        // Several at a time: a batch goes whole or not at all.
        match wait(store.append_audit(&(0..3).map(row).collect::<Vec<_>>())) {
            Ok(()) => kept += 3,
            Err(error) => break error,
        }
    };
    assert_eq!(error, StoreError::Full);
    assert_eq!((error.fault(), error.may_retry()), (StoreFault::Machine, false));
    assert_eq!(error.hint(), Some("Make room and try again; nothing was recorded."));
    // What is there can still be read, whether there was room for its row or not.
    assert_eq!(wait(store.audit(AuditQuery::default())).unwrap().len() as u64, kept);
    assert!(matches!(wait(store.verify_audit(None)), Ok(AuditVerdict::Whole { .. })));
    // Fewer at a time may still have room; then none has.
    while wait(store.append_audit(&[row(9)])).is_ok() {
        kept += 1;
    }
    assert_eq!(wait(store.append_audit(&[row(9)])), Err(StoreError::Full));
    fs::remove_file(ballast).unwrap();
    assert_eq!(wait(store.append_audit(&[row(9)])), Ok(()));
    assert_eq!(whole_rows(&store), kept + 1);
    // The call that began ends with its store.
    drop(store);
    assert_eq!(whole_rows(&SqliteStore::open(&state).unwrap()), kept + 2);
}

/// What is reserved is on the disk and not in memory: it is there when everything else is taken.
#[test]
fn on_a_full_disk_calls_that_began_can_end_and_others_do_not_begin() {
    let Some(disk) = Disk::mount("size=2m,mode=700") else { return };
    let state = disk.path().join("state");
    let store = SqliteStore::open(&state).unwrap();
    let calls: Vec<String> = (0..50).map(|number| format!("call {number}")).collect();
    for call in &calls {
        wait(store.append_audit(&[opened(call, 1)])).unwrap();
    }
    let ballast = disk.fill();
    let begins = || wait(store.append_audit(&[row(1)]));
    while begins().is_ok() {}
    assert_eq!(begins(), Err(StoreError::Full));
    for call in &calls {
        let end = AuditEntry { kind: AuditKind::End, body: row(1).body, ..opened(call, 1) };
        wait(store.append_audit(&[end])).unwrap();
    }
    assert_eq!(begins(), Err(StoreError::Full));
    fs::remove_file(ballast).unwrap();
    begins().unwrap();
    let rows = wait(store.audit(AuditQuery::default())).unwrap();
    let ended = rows.iter().filter(|row| row.entry.kind == AuditKind::End).count();
    assert_eq!(ended, calls.len());
    assert!(matches!(wait(store.verify_audit(None)), Ok(AuditVerdict::Whole { .. })));
}

#[test]
fn an_artifact_that_does_not_fit_leaves_nothing_and_a_smaller_one_fits() {
    let Some(disk) = Disk::mount("size=2m,mode=700") else { return };
    let state = disk.path().join("state");
    let store = SqliteStore::open(&state).unwrap();
    let names = || fs::read_dir(state.join("artifacts")).unwrap().count();
    let large = vec![7; 4_000_000];
    for _ in 0..2 {
        let error = wait(store.keep_artifact(picture(&large, 1))).unwrap_err();
        assert_eq!(error, StoreError::Full);
        assert_eq!(names(), 0);
    }
    let kept = wait(store.keep_artifact(picture(&large[..100_000], 1))).unwrap();
    let ballast = disk.fill();
    assert_eq!(wait(store.keep_artifact(picture(&large[..9000], 2))), Err(StoreError::Full));
    assert_eq!(names(), 1);
    fs::remove_file(ballast).unwrap();
    wait(store.keep_artifact(picture(&large[..9000], 2))).unwrap();
    let read = wait(store.read_artifact(&kept.id, &local(), 0..u64::MAX)).unwrap().unwrap();
    assert!(read == large[..100_000]);
    assert_eq!(wait(store.prune_artifacts(0, u64::MAX)).unwrap(), 0);
}

#[test]
fn a_full_disk_is_said_at_the_opening_too_and_the_next_opening_finds_everything() {
    let Some(disk) = Disk::mount("size=1m,mode=700") else { return };
    let state = disk.path().join("state");
    let project = folder();
    let here = root(project.path());
    wait(SqliteStore::open(&state).unwrap().accept(&here, server("a"))).unwrap();
    let ballast = disk.fill();
    let error = SqliteStore::open(&state).and_then(|store| wait(store.accept(&here, server("b"))));
    assert_eq!(error, Err(StoreError::Full));
    fs::remove_file(ballast).unwrap();
    let store = SqliteStore::open(&state).unwrap();
    assert_eq!(wait(store.acceptances(&here)).unwrap().entries(), [server("a")]);
    let new = disk.path().join("new");
    let ballast = disk.fill();
    assert_eq!(SqliteStore::open(&new).unwrap_err(), StoreError::Full);
    fs::remove_file(ballast).unwrap();
    drop(SqliteStore::open(&new).unwrap());
}

#[test]
fn a_disk_that_cannot_be_written_is_the_folders_fault() {
    let Some(disk) = Disk::mount("size=1m,mode=700,ro") else { return };
    let error = SqliteStore::open(disk.path()).unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains("Read-only file system"), "{error}");
    assert_eq!(error.fault(), StoreFault::Person);
}

#[test]
fn artifacts_that_cannot_be_written_leave_the_audit_alone() {
    let Some(disk) = Disk::mount("size=1m,mode=700,ro") else { return };
    let state = folder();
    std::os::unix::fs::symlink(disk.path(), state.path().join("artifacts")).unwrap();
    let store = SqliteStore::open(state.path()).unwrap();
    let error = wait(store.keep_artifact(picture(b"x", 1))).unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains("Read-only file system"), "{error}");
    assert_eq!(wait(store.append_audit(&[row(1)])), Ok(()));
}
