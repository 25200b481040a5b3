//! Refusing: a folder or file that is not ours to use is named, and left as it is.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use rusqlite::Connection;
use toolgate_store::{
    ArtifactStore, AuditLog, AuditQuery, Pins, SqliteStore, Store, StoreError, StoreFault, Tokens,
    Workspaces,
};
use toolgate_types::Digest;

use crate::{
    CURRENT, contents, folder, index, local, opened, picture, pin, pins_of, root, server, snapshot,
    token, wait,
};

/// Refused both ways of opening, in the same words, with every byte where it was.
fn refused(state: &Path) -> StoreError {
    let before = contents(state);
    let error = SqliteStore::open(state).unwrap_err();
    assert_eq!(SqliteStore::open_read_only(state).unwrap_err(), error);
    assert_eq!(contents(state), before);
    error
}

fn folder_says(error: &StoreError, what: &str) {
    assert!(matches!(error, StoreError::Folder { .. }), "{error:?}");
    assert!(error.to_string().contains(what), "{error}");
    assert_eq!(error.fault(), StoreFault::Person);
}

fn set_version(state: &Path, version: u32) -> Connection {
    let db = Connection::open(state.join("state.db")).unwrap();
    db.pragma_update(None, "user_version", version).unwrap();
    db
}

#[test]
fn a_newer_file() {
    let state = folder();
    drop(SqliteStore::open(state.path()).unwrap());
    let newer = set_version(state.path(), CURRENT + 1);
    // The newer program may have its reasons not to use a log: that is not ours to change either.
    newer.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(newer);
    assert_eq!(refused(state.path()), StoreError::Newer { found: CURRENT + 1, supported: CURRENT });
}

#[test]
fn a_newer_file_whose_version_is_still_in_the_log() {
    let state = folder();
    drop(SqliteStore::open(state.path()).unwrap());
    let newer = set_version(state.path(), CURRENT + 1);
    let error = SqliteStore::open(state.path()).unwrap_err();
    assert_eq!(error, StoreError::Newer { found: CURRENT + 1, supported: CURRENT });
    let version: u32 = newer.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, CURRENT + 1);
}

#[test]
fn a_database_of_another_program() {
    for setup in ["", "PRAGMA journal_mode = WAL;", "PRAGMA application_id = 7;"] {
        let state = folder();
        let file = state.path().join("state.db");
        let db = Connection::open(&file).unwrap();
        db.execute_batch(&format!("{setup} CREATE TABLE theirs (x);")).unwrap();
        drop(db);
        let foreign = StoreError::Foreign { path: fs::canonicalize(&file).unwrap() };
        assert_eq!(refused(state.path()), foreign, "{setup}");
    }
}

#[test]
fn bytes_that_are_no_database() {
    let long = vec![0xa5; 10_000];
    for garbage in [&b"x"[..], b"SQLite format 3\0", &[0; 4096], &long] {
        let state = folder();
        fs::write(state.path().join("state.db"), garbage).unwrap();
        let error = refused(state.path());
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_damaged_page_is_reported_when_it_is_met() {
    let (state, project) = (folder(), folder());
    wait(SqliteStore::open(state.path()).unwrap().accept(&root(project.path()), server("a")))
        .unwrap();
    let file = state.path().join("state.db");
    let mut bytes = fs::read(&file).unwrap();
    bytes[4096..].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    let read = SqliteStore::open(state.path()).and_then(|store| wait(store.all_acceptances()));
    assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{read:?}");
}

#[test]
fn a_row_that_no_toolgate_wrote_is_not_skipped() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    let store = SqliteStore::open(state.path()).unwrap();
    wait(store.accept(&here, server("a"))).unwrap();
    let db = Connection::open(state.path().join("state.db")).unwrap();
    for (column, value) in [("kind", "gadget"), ("trust", "utterly")] {
        db.execute(&format!("UPDATE acceptance SET {column} = ?1"), [value]).unwrap();
        let error = wait(store.acceptances(&here)).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert!(error.to_string().contains(value), "{error}");
        db.execute("UPDATE acceptance SET kind = 'server'", []).unwrap();
    }
}

#[test]
fn a_snapshot_or_a_key_that_no_toolgate_wrote_is_not_handed_out() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    let key = Digest([1; 32]);
    wait(store.keep_snapshot(key, snapshot("{}", 1))).unwrap();
    wait(store.installation_key()).unwrap();
    let db = Connection::open(state.path().join("state.db")).unwrap();
    db.execute_batch(
        "PRAGMA ignore_check_constraints = ON;
         UPDATE snapshot SET body = CAST(x'7bff' AS TEXT);
         UPDATE installation SET key = x'00';",
    )
    .unwrap();
    let corrupt = |error: &StoreError| matches!(error, StoreError::Corrupt { .. });
    assert!(corrupt(&wait(store.snapshot(key)).unwrap_err()));
    assert!(corrupt(&wait(store.installation_key()).unwrap_err()));
}

#[test]
fn a_row_of_the_audit_or_of_an_artifact_that_no_toolgate_wrote_is_not_handed_out() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    wait(store.append_audit(&[opened("c", 1)])).unwrap();
    wait(index(&store));
    let kept = wait(store.keep_artifact(picture(b"x", 1))).unwrap();
    let db = Connection::open(state.path().join("state.db")).unwrap();
    db.execute_batch(
        "PRAGMA ignore_check_constraints = ON;
         UPDATE audit SET kind = 'gadget';
         UPDATE artifact SET sha256 = x'00';",
    )
    .unwrap();
    let error = wait(store.audit(AuditQuery::default())).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert!(error.to_string().contains("gadget"), "{error}");
    let error = wait(store.artifact(&kept.id, &local())).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    db.execute_batch("UPDATE artifact SET id = '../../etc/passwd'").unwrap();
    let error = wait(store.prune_artifacts(0, u64::MAX)).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
}

/// Above all, a damaged list of roles is not taken for none, which would mean every role.
#[test]
fn a_token_or_a_workspace_that_no_toolgate_wrote_is_not_handed_out() {
    let (state, project) = (folder(), folder());
    let store = SqliteStore::open(state.path()).unwrap();
    let db = Connection::open(state.path().join("state.db")).unwrap();
    let known = token("a", 1);
    for (column, value) in [("kind", "gadget"), ("roles", "a,,b"), ("roles", "é"), ("name", "")] {
        db.execute("DELETE FROM token", []).unwrap();
        assert!(wait(store.keep_token(known.clone())).unwrap());
        db.execute(&format!("UPDATE token SET {column} = ?1"), [value]).unwrap();
        let error = wait(store.token(known.hash)).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        assert_eq!(wait(store.tokens()).unwrap_err(), error);
    }
    wait(store.keep_workspace(&root(project.path()), 1)).unwrap();
    db.execute("UPDATE workspace SET id = '../x'", []).unwrap();
    let error = wait(store.workspaces()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
}

#[test]
fn a_pin_that_no_toolgate_wrote_is_not_handed_out() {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    let db = Connection::open(state.path().join("state.db")).unwrap();
    let key = pins_of("a");
    wait(store.keep_pins(&key, vec![pin("read", "{}")])).unwrap();
    db.execute("UPDATE pin SET pinned_by = 'itself'", []).unwrap();
    let error = wait(store.pins(&key)).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    assert_eq!(wait(store.observe_tools(&key, Vec::new(), 1)).unwrap_err(), error);
    assert_eq!(wait(store.accept_pins(&key, &[], true, 1)).unwrap_err(), error);
    wait(store.keep_pins(&key, vec![pin("read", "{}")])).unwrap();
    db.execute("UPDATE pin SET server = 'not an id'", []).unwrap();
    let error = wait(store.all_pins()).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
}

/// The file is cut off, or some of its pages are another program's.
#[test]
fn an_audit_with_damaged_pages_is_said_to_be_so_by_whoever_meets_them() {
    let damages: [fn(&mut Vec<u8>); 2] =
        [|bytes| bytes.truncate(bytes.len() / 2), |bytes| bytes[40 * 4096..].fill(0xa5)];
    for damage in damages {
        let state = folder();
        let many: Vec<_> = (0..2000).map(|at| opened(&format!("c-{at}"), at)).collect();
        wait(SqliteStore::open(state.path()).unwrap().append_audit(&many)).unwrap();
        let file = state.path().join("state.db");
        let mut bytes = fs::read(&file).unwrap();
        assert!(bytes.len() > 60 * 4096);
        damage(&mut bytes);
        fs::write(&file, bytes).unwrap();
        let open = || SqliteStore::open(state.path());
        let errors = [
            open().and_then(|store| wait(store.verify_audit(None)).map(|_| ())).unwrap_err(),
            open()
                .and_then(|store| wait(store.audit(AuditQuery::default())).map(|_| ()))
                .unwrap_err(),
            open()
                .and_then(|store| wait(store.append_audit(&[opened("c", 1)])).map(|_| ()))
                .unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        }
    }
}

#[test]
fn a_file_in_place_of_the_folder() {
    let home = folder();
    let state = home.path().join("toolgate");
    fs::write(&state, "mine").unwrap();
    folder_says(&SqliteStore::open(&state).unwrap_err(), "it is not a folder");
    folder_says(&SqliteStore::open_read_only(&state).unwrap_err(), "it is not a folder");
    folder_says(&SqliteStore::open(&state.join("below")).unwrap_err(), "Not a directory");
    assert_eq!(fs::read(&state).unwrap(), b"mine");
}

#[test]
fn a_folder_that_others_can_write() {
    for mode in [0o770, 0o702, 0o1777] {
        let state = folder();
        fs::set_permissions(state.path(), Permissions::from_mode(mode)).unwrap();
        folder_says(&refused(state.path()), "other users can write it");
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_folder_of_another_user() {
    let state = folder();
    // Only root can give a folder away; for anybody else the system's own will do.
    let given = chown(state.path(), Some(65_534), None).is_ok();
    let theirs = if given { state.path() } else { Path::new("/usr") };
    folder_says(&SqliteStore::open(theirs).unwrap_err(), "it belongs to user");
    assert!(!theirs.join("state.lock").exists());
}

#[test]
fn a_file_that_others_can_write() {
    let state = folder();
    drop(SqliteStore::open(state.path()).unwrap());
    let file = state.path().join("state.db");
    fs::set_permissions(&file, Permissions::from_mode(0o620)).unwrap();
    folder_says(&refused(state.path()), "other users can write it (mode 620)");
}

#[test]
fn a_link_or_a_folder_in_place_of_the_file() {
    let (real, state) = (folder(), folder());
    drop(SqliteStore::open(real.path()).unwrap());
    let file = state.path().join("state.db");
    symlink(real.path().join("state.db"), &file).unwrap();
    folder_says(&refused(state.path()), "it is not a regular file");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    folder_says(&SqliteStore::open(state.path()).unwrap_err(), "it is not a regular file");
}
