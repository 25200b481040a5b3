//! Which index serves which question.

use std::path::Path;

use super::super::super::schema;
use super::*;

fn plan(conditions: &[&str]) -> String {
    let mut db = Connection::open_in_memory().unwrap();
    schema::migrate(&mut db, Path::new("db")).unwrap();
    let sql = format!("EXPLAIN QUERY PLAN {}", statement(conditions, true));
    let mut query = db.prepare(&sql).unwrap();
    let values = vec![0; query.parameter_count()];
    let values = rusqlite::params_from_iter(values);
    let steps = query.query_map(values, |row| row.get::<_, String>("detail")).unwrap();
    steps.map(Result::unwrap).collect::<Vec<_>>().join("\n")
}

#[test]
fn one_call_and_one_tool_are_found_by_their_index_and_come_in_order() {
    for (conditions, index) in [
        (vec!["correlation = :correlation"], "audit_call (correlation=?)"),
        (vec!["server = :server", "tool = :tool"], "audit_tool (server=? AND tool=?)"),
    ] {
        let plan = plan(&conditions);
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}

#[test]
fn times_are_looked_up_without_reading_a_row() {
    let plan = plan(&[BETWEEN]);
    assert_eq!(
        plan.matches("USING COVERING INDEX audit_time (at>? AND at<?)").count(),
        2,
        "{plan}"
    );
    assert!(plan.contains("SEARCH audit USING INTEGER PRIMARY KEY"), "{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
}
