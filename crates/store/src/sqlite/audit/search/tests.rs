//! What stands between a search and a million rows.

use std::path::Path;

use super::super::super::schema;
use super::*;

/// An index would have the planner choose between the order that is wanted and fewer rows.
#[test]
fn rows_are_looked_through_by_their_numbers_alone() {
    let mut db = Connection::open_in_memory().unwrap();
    schema::migrate(&mut db, Path::new("db")).unwrap();
    let conditions = ["sequence BETWEEN :first AND :last", "server = :server", CONTAINS];
    let sql = format!("EXPLAIN QUERY PLAN {}", statement(&conditions, true));
    let mut query = db.prepare(&sql).unwrap();
    let values = rusqlite::params_from_iter(vec![0; query.parameter_count()]);
    let steps = query.query_map(values, |row| row.get::<_, String>("detail")).unwrap();
    let plan: Vec<String> = steps.map(Result::unwrap).collect();
    assert_eq!(plan, ["SEARCH audit USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]);
}
