//! Each failure, made for real and named.

use std::fs;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::*;

fn said(error: &Error) -> StoreError {
    failure(Path::new("/state.db"), error)
}

fn corrupt(error: &StoreError) -> bool {
    matches!(error, StoreError::Corrupt { .. })
}

#[test]
fn another_writer_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Connection::open(folder.path().join("db")).unwrap();
    let (first, second) = (open(), open());
    second.busy_timeout(Duration::ZERO).unwrap();
    first.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(said(&second.execute_batch("BEGIN IMMEDIATE").unwrap_err()), StoreError::Busy);
}

#[test]
fn no_room_is_full() {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch("CREATE TABLE t (x); PRAGMA max_page_count = 2;").unwrap();
    let error = db.execute("INSERT INTO t VALUES (zeroblob(100000))", []).unwrap_err();
    assert_eq!(said(&error), StoreError::Full);
}

#[test]
fn garbage_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    fs::write(&path, "not a database at all").unwrap();
    let db = Connection::open(&path).unwrap();
    assert!(corrupt(&said(&db.execute_batch("SELECT * FROM sqlite_schema").unwrap_err())));
}

#[test]
fn a_value_nobody_wrote_is_corrupt() {
    let db = Connection::open_in_memory().unwrap();
    let ask = |sql| db.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap_err();
    assert!(corrupt(&said(&ask("SELECT -1"))));
    assert!(corrupt(&said(&ask("SELECT 'one'"))));
}

#[test]
fn what_cannot_be_opened_or_written_is_the_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let missing = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE);
    assert!(matches!(said(&missing.unwrap_err()), StoreError::Folder { .. }));
    let db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA query_only = ON").unwrap();
    let error = db.execute_batch("CREATE TABLE t (x)").unwrap_err();
    assert!(matches!(said(&error), StoreError::Folder { .. }));
}

#[test]
fn anything_else_keeps_its_words() {
    let db = Connection::open_in_memory().unwrap();
    let StoreError::Other { what } = said(&db.execute_batch("SELEC").unwrap_err()) else {
        panic!("not Other");
    };
    assert!(what.contains("SELEC"), "{what}");
}
