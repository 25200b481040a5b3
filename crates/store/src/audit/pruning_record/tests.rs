//! What is written is what is read, and nothing else is taken for it.

use super::*;
use crate::audit::chain::tests::entry;

fn row(entry: AuditEntry) -> AuditRow {
    AuditRow { sequence: 12, entry, hash: Digest([0; 32]), was_opened: false, weight: 0 }
}

#[test]
fn every_rule_comes_back_as_it_was_written() {
    for rule in [
        PruningRule::Age { max_age_ms: 5 },
        PruningRule::Size { max_bytes: 7, last_bytes: u64::MAX },
        PruningRule::Unrecorded,
    ] {
        let said = AuditPruning { first: 1, last: (9, Digest([3; 32])), rows: 9, until: 4, rule };
        let row = row(said.entry(8));
        assert_eq!((row.entry.at, row.entry.outcome.as_deref()), (8, Some("pruned")));
        assert_eq!(AuditPruning::of(&row), Some(Ok(said)));
        assert!(stands_for(&row, (9, Digest([3; 32]))));
        assert!(!stands_for(&row, (9, Digest([4; 32]))) && !stands_for(&row, (8, Digest([3; 32]))));
    }
}

/// The words are the file's format: a program that reads others would call every older log broken.
#[test]
fn a_known_row_is_still_read() {
    let body = format!(
        r#"{{"first":1,"last":2,"hash":"{}","rows":2,"until":3,"rule":"age","max_age_ms":4}}"#,
        "00".repeat(32)
    );
    let rule = PruningRule::Age { max_age_ms: 4 };
    let said = AuditPruning { first: 1, last: (2, Digest([0; 32])), rows: 2, until: 3, rule };
    assert_eq!(said.entry(1).body, body);
    assert_eq!(AuditPruning::read(&body), Ok(said));
}

#[test]
fn another_row_is_none_and_nonsense_is_said_to_be_so() {
    assert_eq!(AuditPruning::of(&row(entry())), None);
    for body in ["", "{}", r#"{"first":1,"last":2,"hash":"x","rows":1,"until":1,"rule":"age"}"#] {
        let nonsense = AuditEntry { kind: AuditKind::Pruning, body: body.into(), ..entry() };
        assert!(AuditPruning::of(&row(nonsense)).is_some_and(|read| read.is_err()), "{body}");
    }
}
