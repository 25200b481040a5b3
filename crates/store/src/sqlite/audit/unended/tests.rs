//! Who is gone, and who only writes elsewhere.

use std::sync::Arc;

use crate::audit::chain::tests::entry;
use crate::{AuditEntry, AuditKind, AuditLog, AuditQuery, AuditVerdict, SqliteStore};

fn about(kind: AuditKind, call: &str) -> AuditEntry {
    let outcome = Some("done".to_owned()).filter(|_| kind == AuditKind::End);
    AuditEntry { kind, correlation: call.to_owned(), outcome, ..entry() }
}

/// The rows of a call, each with its outcome.
async fn rows(store: &SqliteStore, call: &str) -> Vec<(AuditKind, Option<String>)> {
    let query = AuditQuery { correlation: Some(call.to_owned()), ..AuditQuery::default() };
    let rows = store.audit(query).await.unwrap();
    rows.into_iter().map(|row| (row.entry.kind, row.entry.outcome)).collect()
}

fn ended(outcome: &str) -> (AuditKind, Option<String>) {
    (AuditKind::End, Some(outcome.to_owned()))
}

#[tokio::test]
async fn a_call_is_concluded_when_its_writer_is_gone_and_not_when_that_has_another_journal() {
    let folder = tempfile::tempdir().unwrap();
    let writing = SqliteStore::open(folder.path()).unwrap();
    let another = SqliteStore::open(folder.path()).unwrap();
    let begun = (AuditKind::Open, None);
    for call in ["ends", "never ends"] {
        writing.append_audit(&[about(AuditKind::Open, call)]).await.unwrap();
    }
    assert_eq!(rows(&another, "ends").await, std::slice::from_ref(&begun));
    let journals = || writing.writing().unwrap().journals.own.folder().all();
    let first = journals();
    let long = AuditEntry { body: "x".repeat(1 << 20), ..about(AuditKind::End, "long") };
    for _ in 0..17 {
        writing.append_audit(std::slice::from_ref(&long)).await.unwrap();
    }
    // Unless that was done meanwhile.
    let state = writing.writing().unwrap();
    let (own, writer) = (Arc::clone(&state.journals.own), Arc::clone(&state.writer));
    tokio::task::spawn_blocking(move || own.turn_over(&writer)).await.unwrap().unwrap();
    // The first is read to its end, and goes; the second is held.
    assert_eq!(rows(&another, "ends").await, std::slice::from_ref(&begun));
    assert!(journals().len() == 1 && journals() != first);
    writing.append_audit(&[about(AuditKind::End, "ends")]).await.unwrap();
    assert_eq!(rows(&another, "ends").await, [begun.clone(), ended("done")]);
    assert_eq!(rows(&another, "never ends").await, std::slice::from_ref(&begun));
    drop(writing);
    assert_eq!(rows(&another, "ends").await, [begun.clone(), ended("done")]);
    assert_eq!(rows(&another, "never ends").await, [begun, ended("aborted")]);
    let verdict = another.verify_audit(None).await.unwrap();
    assert!(matches!(verdict, AuditVerdict::Whole { .. }), "{verdict:?}");
}
