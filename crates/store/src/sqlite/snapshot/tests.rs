//! Keeping and pruning are one change, and neither reads what need not be read.

use std::path::Path;

use super::super::schema;
use super::*;

/// As many rows as there may be.
fn full() -> Connection {
    let mut db = Connection::open_in_memory().unwrap();
    schema::migrate(&mut db, Path::new("db")).unwrap();
    db.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :most)
         INSERT INTO snapshot (key, taken_at, body)
         SELECT CAST(printf('%032d', i) AS BLOB), i, '{}' FROM n",
        named_params! { ":most": MOST },
    )
    .unwrap();
    db
}

fn count(db: &Connection) -> u16 {
    db.query_row("SELECT count(*) FROM snapshot", [], |row| row.get(0)).unwrap()
}

#[test]
fn where_none_can_be_taken_away_none_is_added() {
    let mut db = full();
    db.execute_batch(
        "CREATE TRIGGER no BEFORE DELETE ON snapshot BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    .unwrap();
    let new = Digest([255; 32]);
    keep(&mut db, new, &Snapshot { body: "{}".into(), taken_at: 5000 }).unwrap_err();
    assert_eq!((count(&db), find(&db, new).unwrap()), (MOST, None));
}

#[test]
fn more_than_there_may_be_are_brought_down_in_one_go() {
    let mut db = full();
    db.execute_batch(
        "INSERT INTO snapshot (key, taken_at, body)
         SELECT CAST('x' || substr(CAST(key AS TEXT), 2) AS BLOB), 0, '{}' FROM snapshot",
    )
    .unwrap();
    assert_eq!(count(&db), 2 * MOST);
    keep(&mut db, Digest([255; 32]), &Snapshot { body: "{}".into(), taken_at: 5000 }).unwrap();
    assert_eq!(count(&db), MOST);
}

/// The bodies may be megabytes each; which is the oldest is read off the index alone.
#[test]
fn pruning_reads_no_bodies() {
    let db = full();
    let mut query = db.prepare(&format!("EXPLAIN QUERY PLAN {PRUNE}")).unwrap();
    let plan: Vec<String> =
        query.query_map([0, 0], |row| row.get("detail")).unwrap().map(Result::unwrap).collect();
    let whole = plan.iter().filter(|step| step.starts_with("SCAN snapshot"));
    assert_eq!(whole.collect::<Vec<_>>(), ["SCAN snapshot USING COVERING INDEX snapshot_age"]);
}
