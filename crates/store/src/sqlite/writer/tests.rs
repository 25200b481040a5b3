//! What SQLite said comes out in our words.

use std::path::Path;

use super::*;

#[test]
fn a_job_is_answered_and_its_failure_is_named() {
    let writer =
        DatabaseWriter::start(Connection::open_in_memory().unwrap(), "/state.db".into()).unwrap();
    let two = writer.run_waiting(|db| db.query_row("SELECT 1 + 1", [], |row| row.get::<_, i64>(0)));
    assert_eq!(two, Ok(2));
    let bad = writer.run_waiting(|db| db.execute_batch("SELEC")).unwrap_err();
    assert!(matches!(bad, StoreError::Other { .. }), "{bad}");
    let unread =
        writer.run_waiting(|db| db.query_row("SELECT 'x'", [], |row| row.get::<_, i64>(0)));
    assert!(
        matches!(unread, Err(StoreError::Corrupt { path, .. }) if path == Path::new("/state.db"))
    );
}
