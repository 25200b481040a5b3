//! Searching the audit in every store: each condition, all of them, and which end is left out.

use toolgate_store::{AuditEntry, AuditLog, AuditQuery};

use super::on_every_store;
use crate::opened;

fn everything() -> AuditQuery {
    AuditQuery::default()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Five rows; the clock was set back before the last.
async fn fill(store: &dyn AuditLog) {
    let at = |server: &str, tool: &str, entry: AuditEntry| AuditEntry {
        server: some(server),
        tool: some(tool),
        ..entry
    };
    let entries = vec![
        AuditEntry {
            outcome: some("done"),
            session: some("one"),
            ..at("git", "log", opened("a", 10))
        },
        AuditEntry { outcome: some("denied"), ..at("git", "push", opened("b", 20)) },
        AuditEntry { session: some("two"), ..at("files", "log", opened("c", 30)) },
        AuditEntry { body: "{\"why\": \"50% of Git_log\"}".into(), ..opened("a", 40) },
        AuditEntry { outcome: some("done"), ..at("git", "log", opened("d", 15)) },
    ];
    store.append_audit(&entries).await.unwrap();
}

async fn found(store: &dyn AuditLog, query: AuditQuery) -> Vec<u64> {
    let rows = store.audit(query).await.unwrap();
    rows.into_iter().map(|row| row.sequence).collect()
}

#[test]
fn each_condition_finds_its_rows() {
    on_every_store(&async |store| {
        fill(store).await;
        for (query, rows) in [
            (everything(), vec![1, 2, 3, 4, 5]),
            (AuditQuery { server: some("git"), ..everything() }, vec![1, 2, 5]),
            (AuditQuery { tool: some("log"), ..everything() }, vec![1, 3, 5]),
            (AuditQuery { outcome: some("done"), ..everything() }, vec![1, 5]),
            (AuditQuery { session: some("two"), ..everything() }, vec![3]),
            (AuditQuery { correlation: some("a"), ..everything() }, vec![1, 4]),
            (AuditQuery { after_sequence: Some(3), ..everything() }, vec![4, 5]),
            (AuditQuery { after_sequence: Some(u64::MAX), ..everything() }, vec![]),
            (AuditQuery { server: some("Git"), ..everything() }, vec![]),
            (AuditQuery { server: some(""), ..everything() }, vec![]),
        ] {
            assert_eq!(found(store, query.clone()).await, rows, "{query:?}");
        }
    });
}

#[test]
fn times_include_their_ends_and_see_past_a_clock_that_was_set_back() {
    on_every_store(&async |store| {
        fill(store).await;
        let between = |since, until| AuditQuery { since, until, ..everything() };
        for (query, rows) in [
            (between(Some(20), None), vec![2, 3, 4]),
            (between(Some(15), None), vec![2, 3, 4, 5]),
            (between(None, Some(15)), vec![1, 5]),
            (between(Some(10), Some(20)), vec![1, 2, 5]),
            (between(Some(21), Some(29)), vec![]),
            (between(Some(30), Some(20)), vec![]),
            (between(Some(0), Some(u64::MAX)), vec![1, 2, 3, 4, 5]),
        ] {
            assert_eq!(found(store, query.clone()).await, rows, "{query:?}");
        }
    });
}

#[test]
fn a_part_of_the_body_or_of_a_name_is_found_in_exactly_its_letters() {
    on_every_store(&async |store| {
        fill(store).await;
        for (part, rows) in [
            ("push", vec![2]),
            ("ile", vec![3]),
            ("it", vec![1, 2, 4, 5]),
            ("Git", vec![4]),
            ("50%", vec![4]),
            ("5%G", vec![]),
            ("_", vec![4]),
            ("{}", vec![1, 2, 3, 5]),
            ("' OR 1", vec![]),
            ("", vec![1, 2, 3, 4, 5]),
        ] {
            let query = AuditQuery { grep: some(part), ..everything() };
            assert_eq!(found(store, query).await, rows, "{part}");
        }
    });
}

#[test]
fn a_limit_leaves_out_the_other_end() {
    on_every_store(&async |store| {
        fill(store).await;
        let most = |limit, newest_first| AuditQuery { limit, newest_first, ..everything() };
        assert_eq!(found(store, most(2, false)).await, [1, 2]);
        assert_eq!(found(store, most(2, true)).await, [5, 4]);
        assert_eq!(found(store, most(usize::MAX, true)).await, [5, 4, 3, 2, 1]);
        assert_eq!(found(store, most(0, true)).await, [0; 0]);
        let latest_of_git = AuditQuery { server: some("git"), ..most(1, true) };
        assert_eq!(found(store, latest_of_git).await, [5]);
    });
}

#[test]
fn all_conditions_together_must_hold() {
    on_every_store(&async |store| {
        fill(store).await;
        let all = AuditQuery {
            since: Some(10),
            until: Some(15),
            server: some("git"),
            tool: some("log"),
            outcome: some("done"),
            session: some("one"),
            correlation: some("a"),
            grep: some("{}"),
            after_sequence: Some(0),
            ..everything()
        };
        assert_eq!(found(store, all.clone()).await, [1]);
        assert_eq!(found(store, AuditQuery { tool: some("push"), ..all }).await, [0; 0]);
    });
}
