//! Opening: what is made, with which modes, and that it is found again.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use rusqlite::Connection;
use toolgate_store::{SqliteStore, Store};

use crate::{CURRENT, contents, folder, root, server, wait};

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

fn version(state: &Path) -> u32 {
    let db = Connection::open(state.join("state.db")).unwrap();
    db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn folder_and_files_are_for_their_owner_alone() {
    let home = folder();
    let state = home.path().join("state/toolgate");
    let _store = SqliteStore::open(&state).unwrap();
    assert_eq!([mode(home.path().join("state")), mode(&state)], [0o700, 0o700]);
    for file in ["state.db", "state.db-wal", "state.db-shm", "state.lock"] {
        assert_eq!(mode(state.join(file)), 0o600, "{file}");
    }
}

#[test]
fn a_file_that_others_can_read_is_closed_to_them() {
    let state = folder();
    drop(SqliteStore::open(state.path()).unwrap());
    let file = state.path().join("state.db");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    drop(SqliteStore::open(state.path()).unwrap());
    assert_eq!(mode(&file), 0o600);
}

/// Shows: S2-13.
#[test]
fn what_was_accepted_is_found_by_the_next_process() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    for id in ["a", "b"] {
        let store = SqliteStore::open(state.path()).unwrap();
        wait(store.accept(&here, server(id))).unwrap();
    }
    let store = SqliteStore::open(state.path()).unwrap();
    let found = wait(store.acceptances(&here)).unwrap();
    assert_eq!(found.entries(), [server("a"), server("b")]);
}

#[test]
fn an_empty_file_is_brought_up_to_date_once_and_then_left_alone() {
    let state = folder();
    let file = state.path().join("state.db");
    fs::write(&file, "").unwrap();
    assert_eq!(version(state.path()), 0);
    drop(SqliteStore::open(state.path()).unwrap());
    assert_eq!(version(state.path()), CURRENT);
    let once = contents(state.path());
    drop(SqliteStore::open(state.path()).unwrap());
    assert_eq!(contents(state.path()), once);
}

#[test]
fn a_start_that_was_cut_short_is_finished_by_the_next() {
    let state = folder();
    let db = Connection::open(state.path().join("state.db")).unwrap();
    db.pragma_update(None, "application_id", i32::from_be_bytes(*b"tgat")).unwrap();
    drop(db);
    drop(SqliteStore::open(state.path()).unwrap());
    assert_eq!(version(state.path()), CURRENT);
}

/// What `kill -9` leaves in the middle of a checkpoint: a first page that speaks of pages which
/// are only in the log so far.
#[test]
fn a_file_cut_off_while_the_log_was_written_back_is_whole() {
    let (state, project) = (folder(), folder());
    let (here, file) = (root(project.path()), state.path().join("state.db"));
    let store = SqliteStore::open(state.path()).unwrap();
    wait(store.accept(&here, server("a"))).unwrap();
    let log = fs::read(state.path().join("state.db-wal")).unwrap();
    drop(store);
    let written_back = fs::read(&file).unwrap();
    assert!(written_back.len() > 4096);
    fs::write(&file, &written_back[..4096]).unwrap();
    fs::write(state.path().join("state.db-wal"), log).unwrap();
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(wait(store.acceptances(&here)).unwrap().entries(), [server("a")]);
}

#[test]
fn dropping_closes_the_file_before_it_returns() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    assert!(state.path().join("state.db-wal").exists());
    drop(store);
    // SQLite takes the log away when the last connection is closed.
    assert_eq!(contents(state.path()).keys().collect::<Vec<_>>(), ["state.db"]);
}

#[test]
fn any_name_of_a_folder_will_do() {
    let home = folder();
    for name in [&b"a b?mode=ro#c%41"[..], b"caf\xe9", b"\xe2\x80\xae\n'\""] {
        let state = home.path().join(OsStr::from_bytes(name));
        let here = root(home.path());
        for _ in 0..2 {
            wait(SqliteStore::open(&state).unwrap().accept(&here, server("a"))).unwrap();
        }
        assert_eq!(contents(&state).keys().collect::<Vec<_>>(), ["state.db"], "{name:?}");
    }
}

#[test]
fn a_link_to_the_folder_is_followed() {
    let home = folder();
    let (real, link) = (home.path().join("real"), home.path().join("link"));
    symlink(&real, &link).unwrap();
    SqliteStore::open(&link).unwrap_err();
    drop(SqliteStore::open(&real).unwrap());
    drop(SqliteStore::open(&link).unwrap());
}
