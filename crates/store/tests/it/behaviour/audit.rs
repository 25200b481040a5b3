//! The audit in every store: whole, in order, chained, and pruned from its beginning.

use toolgate_store::{
    AuditEntry, AuditHead, AuditKind, AuditLog, AuditPruning, AuditQuery, AuditRow, AuditVerdict,
    PruningRule,
};
use toolgate_types::Digest;

use super::on_every_store;
use crate::{index, opened, within};

async fn sequences(store: &dyn AuditLog) -> Vec<u64> {
    let rows = store.audit(AuditQuery::default()).await.unwrap();
    rows.into_iter().map(|row| row.sequence).collect()
}

async fn head(store: &dyn AuditLog) -> AuditHead {
    index(store).await;
    match store.verify_audit(None).await.unwrap() {
        AuditVerdict::Whole { head: Some(head), .. } => head,
        other => panic!("{other:?}"),
    }
}

/// So many rows with the times 1, 2, 3 and so on.
async fn append(store: &dyn AuditLog, rows: u64) {
    let entries: Vec<_> = (1..=rows).map(|at| opened("c", at)).collect();
    store.append_audit(&entries).await.unwrap();
    assert_eq!(sequences(store).await.last(), Some(&rows));
}

#[test]
fn an_entry_comes_back_exactly_as_it_was_given() {
    on_every_store(&async |store| {
        let full = AuditEntry {
            at: 1_700_000_000_000,
            kind: AuditKind::End,
            correlation: "0198".into(),
            round: u32::MAX,
            principal: "é\0\u{202e}".into(),
            client: Some("claude".into()),
            role: Some("reviewer".into()),
            session: Some("s".into()),
            workspace: Some("/srv/work".into()),
            server: Some("files".into()),
            tool: Some("read".into()),
            outcome: Some("tool_error".into()),
            code: Some("x".into()),
            duration_us: Some(u64::MAX),
            body: "{\"a\": [ 1.0 ]}".into(),
        };
        let empty = AuditEntry {
            kind: AuditKind::Decision,
            correlation: String::new(),
            tool: Some(String::new()),
            body: String::new(),
            ..opened("", 0)
        };
        let given = [full, empty, opened("c", 1)];
        store.append_audit(&given).await.unwrap();
        let rows = store.audit(AuditQuery::default()).await.unwrap();
        let entries: Vec<_> = rows.iter().map(|row| row.entry.clone()).collect();
        assert_eq!(entries, given);
        assert_eq!(rows.iter().map(|row| row.sequence).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(head(store).await, (3, rows[2].hash));
    });
}

#[test]
fn a_time_too_late_to_count_is_the_latest_and_not_the_oldest() {
    on_every_store(&async |store| {
        append(store, 1).await;
        store.append_audit(&[opened("late", u64::MAX)]).await.unwrap();
        let late = AuditQuery { since: Some(u64::MAX), ..AuditQuery::default() };
        let found = store.audit(late).await.unwrap();
        assert_eq!((found.len(), found[0].sequence), (1, 2));
        assert_eq!(found[0].entry.at, i64::MAX.cast_unsigned());
        index(store).await;
        assert_eq!(store.prune_audit(2, within(u64::MAX)).await.unwrap(), 1);
        assert_eq!(sequences(store).await, [2, 3]);
    });
}

#[test]
fn nothing_appended_is_nothing_changed() {
    on_every_store(&async |store| {
        let nothing =
            AuditVerdict::Whole { rows: 0, head: None, from: None, tails: vec![], unshown: vec![] };
        store.append_audit(&[]).await.unwrap();
        assert_eq!(store.verify_audit(None).await.unwrap(), nothing);
        append(store, 2).await;
        store.append_audit(&[]).await.unwrap();
        index(store).await;
        assert_eq!(store.prune_audit(0, within(u64::MAX)).await.unwrap(), 0);
        assert_eq!(sequences(store).await, [1, 2]);
    });
}

#[test]
fn rows_appended_one_by_one_or_together_are_the_same_rows() {
    on_every_store(&async |store| {
        append(store, 3).await;
        for at in 4..=6 {
            store.append_audit(&[opened("c", at)]).await.unwrap();
        }
        let together = toolgate_store::MemoryStore::default();
        append(&together, 6).await;
        let said = |row: AuditRow| (row.sequence, row.entry, row.weight);
        let of = async |store: &dyn AuditLog| {
            rows(store).await.into_iter().map(said).collect::<Vec<_>>()
        };
        assert_eq!(of(store).await, of(&together).await);
    });
}

#[test]
fn an_earlier_head_still_fits_and_another_does_not() {
    on_every_store(&async |store| {
        append(store, 3).await;
        let earlier = head(store).await;
        store.append_audit(&[opened("c", 4)]).await.unwrap();
        let later = head(store).await;
        let whole = AuditVerdict::Whole {
            rows: 4,
            head: Some(later),
            from: None,
            tails: vec![],
            unshown: vec![],
        };
        assert_eq!(store.verify_audit(Some(earlier.into())).await.unwrap(), whole);
        assert_eq!(store.verify_audit(Some(later.into())).await.unwrap(), whole);
        for (wrong, place) in [((3, Digest([1; 32])), 3), ((7, later.1), 5)] {
            let verdict = store.verify_audit(Some(wrong.into())).await.unwrap();
            let AuditVerdict::Broken { sequence, .. } = verdict else { panic!("{verdict:?}") };
            assert_eq!(sequence, place);
        }
    });
}

async fn rows(store: &dyn AuditLog) -> Vec<AuditRow> {
    store.audit(AuditQuery::default()).await.unwrap()
}

async fn weight(store: &dyn AuditLog) -> u64 {
    rows(store).await.iter().map(|row| row.weight).sum()
}

/// What the last row says of a pruning, and when it was.
async fn said(store: &dyn AuditLog) -> (u64, AuditPruning) {
    let rows = rows(store).await;
    let last = rows.last().unwrap();
    (last.entry.at, AuditPruning::of(last).unwrap().unwrap())
}

#[test]
fn what_is_too_old_goes_and_a_row_at_the_end_says_so() {
    on_every_store(&async |store| {
        append(store, 6).await;
        let third = rows(store).await[2].hash;
        index(store).await;
        assert_eq!(store.prune_audit(4, within(u64::MAX)).await.unwrap(), 3);
        let rule = PruningRule::Age { max_age_ms: 0 };
        let gone = AuditPruning { first: 1, last: (3, third), rows: 3, until: 3, rule };
        assert_eq!(said(store).await, (4, gone));
        index(store).await;
        assert_eq!(store.prune_audit(4, within(u64::MAX)).await.unwrap(), 0);
        assert_eq!(sequences(store).await, [4, 5, 6, 7]);
        let now = head(store).await;
        let whole = AuditVerdict::Whole {
            rows: 4,
            head: Some(now),
            from: Some((3, third)),
            tails: vec![],
            unshown: vec![],
        };
        assert_eq!(store.verify_audit(Some(now.into())).await.unwrap(), whole);
        index(store).await;
        assert_eq!(store.prune_audit(6, within(u64::MAX)).await.unwrap(), 2);
        assert_eq!(sequences(store).await, [6, 7, 8]);
        let (_, next) = said(store).await;
        assert_eq!((next.first, next.last.0, next.rows), (4, 5, 2));
    });
}

#[test]
fn a_row_stays_behind_one_that_has_to() {
    on_every_store(&async |store| {
        let entries = [1, 9, 2, 8].map(|at| opened("c", at));
        store.append_audit(&entries).await.unwrap();
        index(store).await;
        assert_eq!(store.prune_audit(5, within(u64::MAX)).await.unwrap(), 1);
        assert_eq!(sequences(store).await, [2, 3, 4, 5]);
    });
}

#[test]
fn what_is_too_much_goes_from_the_oldest_on() {
    on_every_store(&async |store| {
        append(store, 6).await;
        let all = weight(store).await;
        let each = all / 6;
        index(store).await;
        assert_eq!(store.prune_audit(0, within(all)).await.unwrap(), 0);
        index(store).await;
        assert_eq!(store.prune_audit(0, within(all - 1)).await.unwrap(), 1);
        let rule = PruningRule::Size { max_bytes: all - 1, last_bytes: each };
        let (_, gone) = said(store).await;
        assert_eq!((gone.first, gone.last.0, gone.rule), (1, 1, rule));
        let all = weight(store).await;
        index(store).await;
        assert_eq!(store.prune_audit(0, within(all)).await.unwrap(), 0);
        index(store).await;
        assert_eq!(store.prune_audit(0, within(all - each)).await.unwrap(), 1);
        assert_eq!(sequences(store).await, [3, 4, 5, 6, 7, 8]);
        // Whichever of the two takes more.
        let all = weight(store).await;
        index(store).await;
        assert_eq!(store.prune_audit(6, within(all - each)).await.unwrap(), 3);
        assert_eq!(said(store).await.1.rule, PruningRule::Age { max_age_ms: 0 });
        assert_eq!(sequences(store).await, [6, 7, 8, 9]);
    });
}

#[test]
fn numbers_and_chain_go_on_where_everything_was_taken_away() {
    on_every_store(&async |store| {
        append(store, 3).await;
        let before = head(store).await;
        index(store).await;
        assert_eq!(store.prune_audit(0, within(0)).await.unwrap(), 3);
        let now = head(store).await;
        let said_so = AuditVerdict::Whole {
            rows: 1,
            head: Some(now),
            from: Some(before),
            tails: vec![],
            unshown: vec![],
        };
        assert_eq!(store.verify_audit(Some(before.into())).await.unwrap(), said_so);
        // What says so is not taken away for its own sake.
        index(store).await;
        assert_eq!(store.prune_audit(0, within(0)).await.unwrap(), 0);
        store.append_audit(&[opened("c", 4)]).await.unwrap();
        assert_eq!(sequences(store).await, [4, 5]);
        let now = Some(head(store).await);
        let whole = AuditVerdict::Whole {
            rows: 2,
            head: now,
            from: Some(before),
            tails: vec![],
            unshown: vec![],
        };
        assert_eq!(store.verify_audit(Some(before.into())).await.unwrap(), whole);
        index(store).await;
        assert_eq!(store.prune_audit(u64::MAX, within(u64::MAX)).await.unwrap(), 2);
        assert_eq!(sequences(store).await, [6]);
    });
}

/// More than go in one portion.
#[test]
fn very_many_rows_are_taken_away_too() {
    on_every_store(&async |store| {
        append(store, 5001).await;
        let last = rows(store).await[4999].hash;
        index(store).await;
        assert_eq!(store.prune_audit(5001, within(u64::MAX)).await.unwrap(), 5000);
        let rows = rows(store).await;
        assert_eq!(rows[0].sequence, 5001);
        let gone = rows.iter().filter_map(AuditPruning::of).map(Result::unwrap);
        assert_eq!(gone.map(|said| said.rows).sum::<u64>(), 5000);
        let verdict = store.verify_audit(None).await.unwrap();
        let AuditVerdict::Whole { from, .. } = verdict else { panic!("{verdict:?}") };
        assert_eq!(from, Some((5000, last)));
    });
}
