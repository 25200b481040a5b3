//! Somebody edits the audit with a program of their own: every way of it is seen, and where.

use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use toolgate_store::{
    AuditEntry, AuditHead, AuditLog, AuditQuery, AuditVerdict, LogHead, SqliteStore,
};

use crate::{folder, index, opened, wait, whole_rows, within};

/// A log of ten rows, the store that has it open, and its head.
fn ten() -> (TempDir, SqliteStore, AuditHead) {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    let entries = (1..=10).map(|at| AuditEntry {
        server: Some("git".into()),
        tool: Some("push".into()),
        ..opened("c", at)
    });
    wait(store.append_audit(&entries.collect::<Vec<_>>())).unwrap();
    wait(index(&store));
    let AuditVerdict::Whole { head, .. } = wait(store.verify_audit(None)).unwrap() else {
        panic!("broken from the start");
    };
    (state, store, head.unwrap())
}

fn edit(state: &Path, sql: &str) {
    Connection::open(state.join("state.db")).unwrap().execute_batch(sql).unwrap();
}

fn broken(store: &SqliteStore, expected: Option<AuditHead>) -> (u64, String) {
    match wait(store.verify_audit(expected.map(LogHead::from))).unwrap() {
        AuditVerdict::Broken { sequence, why } => (sequence, why),
        whole @ AuditVerdict::Whole { .. } => panic!("{whole:?}"),
    }
}

#[test]
fn an_edited_row_is_named_whatever_was_edited() {
    for change in [
        "at = 99",
        "kind = 'end'",
        "correlation = 'd'",
        "session = 'x'",
        "server = NULL",
        "server = 'gitp', tool = 'ush'",
        "outcome = 'done'",
        "hash = zeroblob(32)",
        "journal = '0123456789abcdef'",
        // The number of the entry, the mark behind its length, a letter of what it says, another's.
        "written = CAST(x'0f' || substr(written, 2) AS BLOB)",
        "written = CAST(substr(written, 1, 5) || x'00' || substr(written, 7) AS BLOB)",
        "written = CAST(substr(written, 1, 20) || x'7a' || substr(written, 22) AS BLOB)",
        "written = (SELECT written FROM audit WHERE sequence = 5)",
    ] {
        let (state, store, _) = ten();
        edit(state.path(), &format!("UPDATE audit SET {change} WHERE sequence = 4"));
        assert_eq!(broken(&store, None).0, 4, "{change}");
    }
}

#[test]
fn a_row_that_cannot_be_read_any_more_is_named_too() {
    for change in [
        "kind = 'gadget'",
        "journal = '../../x'",
        "written = x''",
        "written = CAST(written || x'00' AS BLOB)",
        "written = substr(written, 1, length(written) - 1)",
        "hash = x'00'",
    ] {
        let (state, store, _) = ten();
        let sql = format!("UPDATE audit SET {change} WHERE sequence = 4");
        edit(state.path(), &format!("PRAGMA ignore_check_constraints = ON; {sql}"));
        let (sequence, why) = broken(&store, None);
        assert!(sequence == 4 && why.contains("cannot be read"), "{change}: {why}");
    }
}

#[test]
fn a_row_taken_out_is_missed_at_the_beginning_and_in_the_middle() {
    for gone in [1, 5] {
        let (state, store, _) = ten();
        edit(state.path(), &format!("DELETE FROM audit WHERE sequence = {gone}"));
        assert_eq!(broken(&store, None), (gone, "it is missing".into()));
        edit(
            state.path(),
            &format!("UPDATE audit SET sequence = sequence - 1 WHERE sequence > {gone}"),
        );
        assert_eq!(broken(&store, None).0, gone);
    }
}

#[test]
fn two_rows_that_changed_places_are_seen() {
    let (state, store, _) = ten();
    edit(
        state.path(),
        "UPDATE audit SET sequence = 99 WHERE sequence = 4;
         UPDATE audit SET sequence = 4 WHERE sequence = 5;
         UPDATE audit SET sequence = 5 WHERE sequence = 99;",
    );
    assert_eq!(broken(&store, None).0, 4);
}

#[test]
fn rows_taken_off_the_end_are_missed_only_against_a_head_from_before() {
    let (state, store, head) = ten();
    edit(state.path(), "DELETE FROM audit WHERE sequence > 7");
    assert_eq!(whole_rows(&store), 7);
    let (sequence, why) = broken(&store, Some(head));
    assert!(sequence == 8 && why.contains("up to 10"), "{why}");
    // What is appended now has the old numbers, and other hashes.
    wait(store.append_audit(&(0..5).map(|_| opened("new", 50)).collect::<Vec<_>>())).unwrap();
    assert_eq!(whole_rows(&store), 12);
    assert_eq!(broken(&store, Some(head)).0, 10);
    edit(state.path(), "DELETE FROM audit");
    assert_eq!(broken(&store, Some(head)).0, 1);
}

#[test]
fn a_checkpoint_that_was_moved_edited_or_taken_away_is_seen() {
    for (change, at) in [
        ("DELETE FROM audit_checkpoint", 1),
        ("UPDATE audit_checkpoint SET hash = zeroblob(32)", 5),
        ("UPDATE audit_checkpoint SET sequence = 3", 4),
        ("UPDATE audit_checkpoint SET sequence = 6", 5),
    ] {
        let (state, store, _) = ten();
        assert_eq!(wait(store.prune_audit(5, within(u64::MAX))).unwrap(), 4);
        assert_eq!(whole_rows(&store), 7);
        edit(state.path(), change);
        assert_eq!(broken(&store, None).0, at, "{change}");
    }
}

/// Otherwise the next honest pruning would account for what somebody took out.
#[test]
fn nothing_is_pruned_from_a_log_that_was_tampered_with() {
    let forged = "DELETE FROM audit WHERE sequence <= 3;
        INSERT INTO audit_checkpoint (id, sequence, hash, bytes, at)
        SELECT 1, 3, x'%', 0, 3";
    for change in [
        "DELETE FROM audit WHERE sequence = 2",
        "UPDATE audit SET tool = 'pull' WHERE sequence = 2",
        "UPDATE audit SET kind = 'gadget' WHERE sequence = 2",
        forged,
    ] {
        let (state, store, _) = ten();
        let third = wait(store.audit(AuditQuery::default())).unwrap()[2].hash.to_hex();
        edit(state.path(), &change.replace('%', &third));
        let rows = || {
            let db = Connection::open(state.path().join("state.db")).unwrap();
            db.query_row("SELECT count(*) FROM audit", [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let before = rows();
        assert_eq!(wait(store.prune_audit(5, within(u64::MAX))).unwrap(), 0, "{change}");
        assert_eq!(rows(), before, "{change}");
    }
}

#[test]
fn a_checkpoint_is_pruned_further_only_with_the_row_that_stands_for_it() {
    for (change, gone) in [
        ("", 2),
        ("UPDATE audit_checkpoint SET record = NULL", 0),
        ("UPDATE audit_checkpoint SET record = 10", 0),
        ("UPDATE audit_checkpoint SET record = 99", 0),
    ] {
        let (state, store, _) = ten();
        assert_eq!(wait(store.prune_audit(5, within(u64::MAX))).unwrap(), 4);
        edit(state.path(), change);
        assert_eq!(wait(store.prune_audit(7, within(u64::MAX))).unwrap(), gone, "{change}");
    }
}
