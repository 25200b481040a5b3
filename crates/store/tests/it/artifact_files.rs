//! Artifacts as files: their modes, what a failure leaves, and what is done when one of row and
//! file is lost.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use tempfile::TempDir;
use toolgate_store::{Artifact, ArtifactStore, SqliteStore, StoreError, StoreFault};

use crate::{folder, local, picture, wait};

fn open(state: &TempDir) -> SqliteStore {
    SqliteStore::open(state.path()).unwrap()
}

fn keep(store: &SqliteStore, bytes: &[u8]) -> Artifact {
    wait(store.keep_artifact(picture(bytes, 1))).unwrap()
}

fn read(store: &SqliteStore, artifact: &Artifact) -> Result<Option<Vec<u8>>, StoreError> {
    wait(store.read_artifact(&artifact.id, &local(), 0..u64::MAX))
}

fn names(state: &Path) -> Vec<String> {
    let files = fs::read_dir(state.join("artifacts")).unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn file_of(state: &TempDir, artifact: &Artifact) -> PathBuf {
    fs::canonicalize(state.path()).unwrap().join("artifacts").join(artifact.id.as_str())
}

#[test]
fn folder_and_files_are_for_their_owner_alone_and_made_when_needed() {
    let state = folder();
    let store = open(&state);
    assert!(!state.path().join("artifacts").exists());
    let kept = keep(&store, b"bytes");
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(&state.path().join("artifacts")), 0o700);
    assert_eq!(mode(&file_of(&state, &kept)), 0o600);
    assert_eq!(names(state.path()), [kept.id.as_str()]);
    assert_eq!(fs::read(file_of(&state, &kept)).unwrap(), b"bytes");
}

#[test]
fn an_artifact_is_found_by_the_next_process() {
    let state = folder();
    let kept = keep(&open(&state), b"bytes");
    let store = open(&state);
    assert_eq!(wait(store.artifact(&kept.id, &local())).unwrap().as_ref(), Some(&kept));
    assert_eq!(read(&store, &kept).unwrap().unwrap(), b"bytes");
}

#[test]
fn a_file_that_is_not_what_was_kept_is_refused_by_name() {
    let state = folder();
    let store = open(&state);
    for (bytes, why) in [
        (Some(&b"byte"[..]), "it has 4 bytes and had 5"),
        (Some(b"bytes!"), "it has 6 bytes and had 5"),
        (None, "it is gone"),
    ] {
        let kept = keep(&store, b"bytes");
        let path = file_of(&state, &kept);
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let error = read(&store, &kept).unwrap_err();
        assert_eq!(error, StoreError::Artifact { path, why: why.into() });
        assert_eq!((error.fault(), error.may_retry()), (StoreFault::Machine, false));
        assert!(error.hint().unwrap().contains("call the tool again"));
    }
}

#[test]
fn a_file_without_a_row_and_a_row_without_a_file_go_with_the_next_pruning() {
    let state = folder();
    let store = open(&state);
    let [stays, lost] = [b"stays", b"lost!"].map(|bytes| keep(&store, bytes));
    fs::remove_file(file_of(&state, &lost)).unwrap();
    let stray = "0123456789abcdef0123456789abcdef";
    let part = "fedcba9876543210fedcba9876543210.part";
    let theirs = ["README", "0123456789ABCDEF0123456789ABCDEF", ".part"];
    let of_what_stays = format!("{}.part", stays.id);
    for name in [stray, part, &of_what_stays].iter().chain(&theirs) {
        fs::write(state.path().join("artifacts").join(name), "x").unwrap();
    }
    assert_eq!(wait(store.prune_artifacts(0, u64::MAX)).unwrap(), 3);
    let mut expected = theirs.map(str::to_owned).to_vec();
    expected.push(stays.id.to_string());
    expected.sort();
    assert_eq!(names(state.path()), expected);
    assert_eq!(wait(store.artifact(&lost.id, &local())).unwrap(), None);
    assert_eq!(read(&store, &stays).unwrap().unwrap(), b"stays");
    assert_eq!(wait(store.prune_artifacts(0, u64::MAX)).unwrap(), 0);
}

#[test]
fn pruning_takes_the_files_away_and_is_nothing_where_there_is_no_folder() {
    let state = folder();
    let store = open(&state);
    assert_eq!(wait(store.prune_artifacts(u64::MAX, 0)).unwrap(), 0);
    assert!(!state.path().join("artifacts").exists());
    keep(&store, b"bytes");
    assert_eq!(wait(store.prune_artifacts(u64::MAX, 0)).unwrap(), 1);
    assert_eq!(names(state.path()), [""; 0]);
}

/// As when the disk is full between the file and its row.
#[test]
fn where_the_row_cannot_be_written_no_file_is_left() {
    let state = folder();
    let store = open(&state);
    let db = Connection::open(state.path().join("state.db")).unwrap();
    db.execute_batch(
        "CREATE TRIGGER no BEFORE INSERT ON artifact BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    .unwrap();
    let error = wait(store.keep_artifact(picture(b"bytes", 1))).unwrap_err();
    assert!(matches!(error, StoreError::Other { .. }), "{error:?}");
    assert_eq!(names(state.path()), [""; 0]);
    db.execute_batch("DROP TRIGGER no").unwrap();
    let kept = keep(&store, b"bytes");
    assert_eq!(names(state.path()), [kept.id.as_str()]);
}

/// A call that is given up takes nothing with it: what was handed over is kept or not at all.
#[test]
fn an_artifact_nobody_waits_for_has_both_file_and_row() {
    let state = folder();
    let store = open(&state);
    wait(async {
        let mut given_up = store.keep_artifact(picture(b"bytes", 1));
        let waker = std::task::Waker::noop();
        let _pending = given_up.as_mut().poll(&mut std::task::Context::from_waker(waker));
    });
    drop(store);
    let name = names(state.path());
    let db = Connection::open(state.path().join("state.db")).unwrap();
    let id: String = db.query_row("SELECT id FROM artifact", [], |row| row.get(0)).unwrap();
    assert_eq!(name, [id]);
}

#[test]
fn something_else_in_place_of_the_folder_is_named_and_left_alone() {
    let state = folder();
    let store = open(&state);
    let place = state.path().join("artifacts");
    fs::write(&place, "mine").unwrap();
    let error = wait(store.keep_artifact(picture(b"x", 1))).unwrap_err();
    assert!(error.to_string().contains("artifacts: it is not a folder"), "{error}");
    assert_eq!(fs::read(&place).unwrap(), b"mine");
    fs::remove_file(&place).unwrap();
    symlink("/nowhere/at/all", &place).unwrap();
    let error = wait(store.keep_artifact(picture(b"x", 1))).unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error:?}");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
    let error = wait(store.keep_artifact(picture(b"x", 1))).unwrap_err();
    assert!(error.to_string().contains("other users can write it"), "{error}");
    assert_eq!(names(state.path()), [""; 0]);
}

#[test]
fn a_part_of_a_file_without_a_name_is_kept_as_if_it_came_from_memory() {
    let state = folder();
    let store = open(&state);
    let mut file = wait(store.open_spill()).unwrap();
    assert!(names(state.path()).is_empty(), "nobody else can find it");
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| number.to_le_bytes()[0]).collect();
    file.write_all(&bytes).unwrap();
    let file = Arc::new(file);
    let spilled =
        wait(store.keep_spilled(picture(b"", 1), Arc::clone(&file), 5..2_500_005)).unwrap();
    let held = keep(&store, &bytes[5..2_500_005]);
    assert_eq!((spilled.size, spilled.sha256), (held.size, held.sha256));
    assert!(read(&store, &spilled).unwrap().unwrap() == bytes[5..2_500_005]);
    let beyond = wait(store.keep_spilled(picture(b"", 1), file, 2_999_990..3_000_010));
    assert!(beyond.is_err());
    assert_eq!(names(state.path()).len(), 2, "and nothing of it is left");
}
