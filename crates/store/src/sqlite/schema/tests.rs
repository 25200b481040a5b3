//! Steps: each once, each whole, whoever else is at it.

use std::thread;
use std::time::Duration;

use super::*;

const ONE: SchemaStep =
    SchemaStep::sql("CREATE TABLE run (step INTEGER); INSERT INTO run VALUES (1);");
const TWO: SchemaStep = SchemaStep::sql("INSERT INTO run VALUES (2);");
const BROKEN: SchemaStep =
    SchemaStep::sql("INSERT INTO run VALUES (3); INSERT INTO nowhere VALUES (1);");

fn connection(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection
}

fn steps_run(connection: &Connection) -> Vec<i64> {
    let mut query = connection.prepare("SELECT step FROM run ORDER BY step").unwrap();
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn an_old_file_gets_only_the_steps_it_lacks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut db = connection(&path);
    migrate_by(&mut db, &path, &[ONE]).unwrap();
    assert_eq!((version(&db).unwrap(), steps_run(&db)), (1, vec![1]));
    migrate_by(&mut db, &path, &[ONE, TWO]).unwrap();
    migrate_by(&mut db, &path, &[ONE, TWO]).unwrap();
    assert_eq!((version(&db).unwrap(), steps_run(&db)), (2, vec![1, 2]));
}

#[test]
fn a_step_that_fails_leaves_nothing_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut db = connection(&path);
    migrate_by(&mut db, &path, &[ONE, TWO, BROKEN]).unwrap_err();
    assert_eq!((version(&db).unwrap(), steps_run(&db)), (2, vec![1, 2]));
}

#[test]
fn an_older_program_refuses_a_newer_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut db = connection(&path);
    migrate_by(&mut db, &path, &[ONE, TWO]).unwrap();
    let refused = migrate_by(&mut db, &path, &[ONE]).unwrap_err();
    assert_eq!(refused, StoreError::Newer { found: 2, supported: 1 });
}

#[test]
fn a_current_file_is_read_while_another_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let mut db = connection(&path);
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    migrate_by(&mut db, &path, &[ONE]).unwrap();
    let _writing = db.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let mut other = Connection::open(&path).unwrap();
    other.busy_timeout(Duration::ZERO).unwrap();
    migrate_by(&mut other, &path, &[ONE]).unwrap();
}

#[test]
fn many_at_once_do_each_step_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    connection(&path).pragma_update(None, "journal_mode", "WAL").unwrap();
    thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| migrate_by(&mut connection(&path), &path, &[ONE, TWO]).unwrap());
        }
    });
    assert_eq!(steps_run(&connection(&path)), [1, 2]);
}

#[test]
fn the_real_steps_make_a_file_of_the_current_version() {
    let mut db = Connection::open_in_memory().unwrap();
    migrate(&mut db, Path::new("db")).unwrap();
    assert_eq!(version(&db).unwrap() as usize, STEPS.len());
    assert_eq!(check(version(&db).unwrap()), Ok(()));
}
