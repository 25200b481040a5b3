//! Rows are summed up in blocks, and a search passes over those that cannot have what it looks for: it finds
//! the same as one that looks at every row, whatever is summed up already.

use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use toolgate_store::{
    AuditEntry, AuditKind, AuditLog, AuditQuery, AuditVerdict, MemoryStore, SqliteStore,
};

use crate::{folder, index, opened, wait, whole_rows, within};

/// Three whole blocks and a part of one.
const ROWS: u64 = 3 * 256 + 40;

fn some(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

/// Most are alike; a few are what somebody looks for.
fn entries() -> Vec<AuditEntry> {
    let entry = |number: u64| AuditEntry {
        // Ended: a call that only began would be concluded with its process.
        kind: AuditKind::End,
        server: some(if number == 300 { "rare" } else { "git" }),
        tool: some(format!("tool_{}", number % 7)),
        outcome: some(if number % 256 == 9 { "failed" } else { "done" }),
        session: some(format!("session-{}", number / 100)),
        body: match number {
            5 | 600 => r#"{"error":"no such branch: hydrangea"}"#.into(),
            _ => format!(r#"{{"took":{number},"word":"call"}}"#),
        },
        ..opened(&format!("call-{number}"), 1_000 + number)
    };
    (1..=ROWS).map(entry).collect()
}

fn filled() -> (TempDir, SqliteStore) {
    let state = folder();
    let store = SqliteStore::open(state.path()).unwrap();
    wait(store.append_audit(&entries())).unwrap();
    wait(index(&store));
    (state, store)
}

fn edit(state: &Path, sql: &str) {
    Connection::open(state.join("state.db")).unwrap().execute_batch(sql).unwrap();
}

fn blocks(state: &Path) -> i64 {
    let db = Connection::open(state.join("state.db")).unwrap();
    db.query_row("SELECT count(*) FROM audit_block", [], |row| row.get(0)).unwrap()
}

fn questions() -> Vec<AuditQuery> {
    let all = AuditQuery::default;
    let mut questions = vec![
        all(),
        AuditQuery { server: some("rare"), ..all() },
        AuditQuery { server: some("git"), tool: some("tool_3"), ..all() },
        AuditQuery { server: some("nowhere"), ..all() },
        AuditQuery { outcome: some("failed"), ..all() },
        AuditQuery { session: some("session-4"), ..all() },
        AuditQuery { correlation: some("call-400"), ..all() },
        AuditQuery { since: Some(1_250), until: Some(1_260), ..all() },
        AuditQuery { until: Some(1_003), ..all() },
        AuditQuery { since: Some(9_000), ..all() },
        AuditQuery { grep: some("hydrangea"), ..all() },
        AuditQuery { grep: some("ook\":77"), ..all() },
        AuditQuery { grep: some("rhododendron"), ..all() },
        AuditQuery { grep: some("ra"), ..all() },
        AuditQuery { grep: some("hyd"), ..all() },
        AuditQuery { grep: some("77,"), ..all() },
        AuditQuery { grep: some("anch:"), ..all() },
        AuditQuery { grep: some("zzz"), ..all() },
    ];
    for question in questions.clone() {
        for (limit, after_sequence) in [(3, None), (usize::MAX, Some(290)), (2, Some(770))] {
            questions.push(AuditQuery { limit, after_sequence, ..question.clone() });
        }
    }
    for question in questions.clone() {
        questions.push(AuditQuery { newest_first: true, ..question });
    }
    questions
}

/// Everything is found that a store without blocks finds, and nothing else, in its order.
fn finds_all(store: &SqliteStore) {
    let plain = MemoryStore::default();
    wait(plain.append_audit(&entries())).unwrap();
    for question in questions() {
        let found = |log: &dyn AuditLog| -> Vec<u64> {
            let rows = wait(log.audit(question.clone())).unwrap();
            rows.into_iter().map(|row| row.sequence).collect()
        };
        assert_eq!(found(store), found(&plain), "{question:?}");
    }
}

#[test]
fn a_search_through_blocks_finds_what_a_search_through_rows_does() {
    let (state, store) = filled();
    assert_eq!(blocks(state.path()), 3);
    finds_all(&store);
}

#[test]
fn what_is_not_summed_up_is_looked_through() {
    for gone in ["true", "number = 0", "number = 1", "number = 2", "number <> 1"] {
        let (state, store) = filled();
        edit(state.path(), &format!("DELETE FROM audit_block WHERE {gone}"));
        // The answer alone: what comes to it may sum up again.
        finds_all(&store);
        assert_eq!(whole_rows(&store), ROWS);
    }
}

/// Rows of the second block are made to say what its summary does not.
#[test]
fn a_block_that_cannot_have_it_is_passed_over() {
    let (state, store) = filled();
    let ghosts = |store: &SqliteStore| {
        wait(store.audit(AuditQuery { outcome: some("ghost"), ..AuditQuery::default() }))
    };
    edit(state.path(), "UPDATE audit SET outcome = 'ghost' WHERE sequence = 400");
    assert_eq!(ghosts(&store).unwrap(), []);
    // Looked at, it is no row of ours.
    edit(state.path(), "DELETE FROM audit_block WHERE number = 1");
    ghosts(&store).unwrap_err();
}

#[test]
fn a_summary_that_hides_rows_breaks_the_log() {
    for change in [
        "names = x''",
        "calls = substr(calls, 5)",
        "texts = zeroblob(length(texts))",
        "texts = x'ffff'",
        "trios = zeroblob(length(trios))",
        "trios = x''",
        "since = since + 1",
        "until = until - 1",
        "(names, calls, texts) = (SELECT names, calls, texts FROM audit_block WHERE number = 2)",
    ] {
        let (state, store) = filled();
        edit(state.path(), &format!("UPDATE audit_block SET {change} WHERE number = 1"));
        let verdict = wait(store.verify_audit(None)).unwrap();
        let AuditVerdict::Broken { sequence: 257, why } = verdict else {
            panic!("{change}: {verdict:?}")
        };
        assert!(why.contains("would not find"), "{why}");
    }
}

#[test]
fn summaries_go_with_their_rows_and_stay_true_of_those_that_are_left() {
    let (state, store) = filled();
    assert_eq!(wait(store.prune_audit(1_301, within(u64::MAX))).unwrap(), 300);
    assert_eq!(blocks(state.path()), 2);
    assert_eq!(whole_rows(&store), ROWS - 300 + 1);
    let gone = AuditQuery { server: some("rare"), ..AuditQuery::default() };
    assert_eq!(wait(store.audit(gone)).unwrap(), []);
    let left = AuditQuery { grep: some("hydrangea"), ..AuditQuery::default() };
    let left = wait(store.audit(left)).unwrap();
    assert_eq!(left.iter().map(|row| row.sequence).collect::<Vec<_>>(), [600]);
}

/// Looked for in what its summary says of short texts alone, a block has what was not there when that was made.
#[test]
fn a_block_that_cannot_have_a_short_text_is_passed_over() {
    let (state, store) = filled();
    let found = |grep: &str| {
        let query = AuditQuery { grep: some(grep), ..AuditQuery::default() };
        wait(store.audit(query)).unwrap().len()
    };
    assert!(found("hyd") > 0);
    edit(state.path(), "UPDATE audit_block SET trios = zeroblob(length(trios))");
    assert_eq!(found("hyd"), 0);
    assert!(found("hydrangea") > 0, "a longer text is looked for by its pieces");
}

/// As the version before this one kept them.
#[test]
fn summaries_that_say_nothing_of_short_texts_are_made_anew() {
    let (state, store) = filled();
    drop(store);
    edit(
        state.path(),
        "ALTER TABLE audit_block DROP COLUMN trios;
         PRAGMA user_version = 17",
    );
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(blocks(state.path()), 0);
    assert_eq!(whole_rows(&store), ROWS);
    assert_eq!(blocks(state.path()), 3);
    finds_all(&store);
}

/// Rows of the version before, of which nothing is summed up; then of some, as one leaves it that was killed.
#[test]
fn a_log_from_before_there_were_summaries_gets_them_and_goes_on_where_that_stopped() {
    let (state, store) = filled();
    drop(store);
    edit(
        state.path(),
        "DROP TABLE audit_block;
         DROP TABLE unended_call;
         ALTER TABLE journal DROP COLUMN writer;
         CREATE INDEX audit_time ON audit (at);
         CREATE INDEX audit_call ON audit (correlation);
         CREATE INDEX audit_tool ON audit (server, tool) WHERE server IS NOT NULL;
         PRAGMA user_version = 15",
    );
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(blocks(state.path()), 0);
    assert_eq!(whole_rows(&store), ROWS);
    assert_eq!(blocks(state.path()), 3);
    edit(state.path(), "DELETE FROM audit_block WHERE number > 0");
    finds_all(&store);
    assert_eq!(blocks(state.path()), 3);
    assert_eq!(whole_rows(&store), ROWS);
}
