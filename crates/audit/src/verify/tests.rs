//! Logs that were pruned as they may be, and logs that somebody cut and then explained.

use toolgate_store::{AuditHead, AuditKind, AuditQuery, JournalHead, MemoryStore, PruningRule};
use toolgate_types::Digest;

use super::*;

const DAY: u64 = 24 * 60 * 60 * 1000;
const RULES: AuditRetention = AuditRetention { max_age_ms: 90 * DAY, max_bytes: 1 << 30 };

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn call(at: u64) -> AuditEntry {
    AuditEntry {
        at,
        kind: AuditKind::End,
        correlation: "c".into(),
        round: 0,
        principal: "local".into(),
        client: None,
        role: None,
        session: None,
        workspace: None,
        server: None,
        tool: None,
        outcome: None,
        code: None,
        duration_us: None,
        body: "{}".into(),
    }
}

/// A chain of these, as anybody can make one.
fn chain(entries: impl IntoIterator<Item = AuditEntry>) -> Vec<AuditRow> {
    let store = MemoryStore::default();
    let entries: Vec<AuditEntry> = entries.into_iter().collect();
    wait(store.append_audit(&entries)).unwrap();
    wait(store.audit(AuditQuery::default())).unwrap()
}

/// Ten calls, one a day from the day after this one on.
fn ten_from(day: u64) -> Vec<AuditEntry> {
    (1..=10).map(|n| call((day + n) * DAY)).collect()
}

fn head_of(rows: &[AuditRow]) -> KeptHead {
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    let (at, first, first_at) = (last.entry.at, first.sequence, first.entry.at);
    let times = Some(HeadTimes { at, first, first_at });
    KeptHead { place: (last.sequence, last.hash), times, journals: Vec::new() }
}

/// What a log is found to be of which only the rows after `gone` are left.
fn judged(
    rows: &[AuditRow],
    gone: usize,
    head: Option<KeptHead>,
    now: u64,
) -> Result<(Vec<SeenPruning>, Option<String>), ChainFault> {
    let mut seen = SeenRows::default();
    rows[gone..].iter().for_each(|row| seen.add(row));
    let gone: Option<AuditHead> =
        gone.checked_sub(1).map(|last| (rows[last].sequence, rows[last].hash));
    seen.judge(gone, head.as_ref(), RULES, now)
}

fn why(judged: Result<(Vec<SeenPruning>, Option<String>), ChainFault>) -> (u64, String) {
    let ChainFault { sequence, why } = judged.unwrap_err();
    (sequence, why)
}

/// What somebody writes who took the rows up to this one away.
fn claim(rows: &[AuditRow], gone: usize, rule: PruningRule) -> AuditPruning {
    let last = &rows[gone - 1];
    let (last, until) = ((last.sequence, last.hash), last.entry.at);
    AuditPruning { first: 1, last, rows: gone as u64, until, rule }
}

const BY_AGE: PruningRule = PruningRule::Age { max_age_ms: 90 * DAY };

/// Ten calls, and a row that says this of the first nine.
fn claimed(day: u64, at: u64, change: impl Fn(&mut AuditPruning)) -> Vec<AuditRow> {
    let mut said = claim(&chain(ten_from(day)), 9, BY_AGE);
    change(&mut said);
    chain(ten_from(day).into_iter().chain([said.entry(at)]))
}

#[test]
fn a_log_that_was_pruned_twice_is_whole_and_says_how() {
    let store = MemoryStore::default();
    wait(store.append_audit(&ten_from(0))).unwrap();
    assert_eq!(wait(store.audit(AuditQuery::default())).unwrap().len(), 10);
    let early = match wait(verify(&store, None, RULES, 10 * DAY)).unwrap() {
        LogVerdict::Whole(WholeLog { head: Some(head), prunings, .. }) if prunings.is_empty() => {
            head
        }
        other => panic!("{other:?}"),
    };
    for (day, went) in [(94, 3), (97, 3)] {
        assert_eq!(wait(store.prune_audit(day * DAY, RULES)).unwrap(), went);
    }
    let LogVerdict::Whole(log) = wait(verify(&store, Some(early), RULES, 97 * DAY)).unwrap() else {
        panic!("broken");
    };
    let said = |seen: &SeenPruning| (seen.said.first, seen.said.last.0, seen.said.until / DAY);
    assert_eq!(log.prunings.iter().map(said).collect::<Vec<_>>(), [(1, 3, 3), (4, 6, 6)]);
    assert_eq!((log.rows, log.unshown), (6, None));
    let times = log.head.unwrap().times.unwrap();
    assert_eq!((times.first, times.first_at, times.at), (7, 7 * DAY, 97 * DAY));
}

#[test]
fn a_head_from_before_what_went_cannot_be_compared_and_that_is_said() {
    let rows = claimed(0, 100 * DAY, |_| {});
    let head = head_of(&rows[..4]);
    let (_, unshown) = judged(&rows, 9, Some(head), 100 * DAY).unwrap();
    assert!(unshown.unwrap().contains("row 4 was taken away"));
    // One without times shows that its row is there, and not that the others were old.
    let head = KeptHead { times: None, ..head_of(&rows[..10]) };
    let (_, unshown) = judged(&rows, 9, Some(head), 100 * DAY).unwrap();
    assert!(unshown.unwrap().contains("rows 1 to 9"));
    // Where the row that says so lies before the head, the head covers it.
    let head = KeptHead { times: None, ..head_of(&rows) };
    assert_eq!(judged(&rows, 9, Some(head), 100 * DAY).unwrap().1, None);
}

/// The attack as it was found: rows deleted, and a checkpoint written that stands for them.
#[test]
fn rows_that_nobody_says_were_taken_away_are_missing() {
    let rows = chain(ten_from(0));
    let (at, said) = why(judged(&rows, 9, Some(head_of(&rows)), 100 * DAY));
    assert_eq!(at, 1);
    assert!(said.contains("rows 1 to 9 are missing, and no record says"), "{said}");
    // Beside what honestly went.
    let rows = claimed(0, 100 * DAY, |said| {
        *said = claim(&chain(ten_from(0)), 4, BY_AGE);
    });
    let (at, said) = why(judged(&rows, 9, None, 100 * DAY));
    assert_eq!(at, 5);
    assert!(said.contains("rows 5 to 9 are missing"), "{said}");
    let (at, _) = why(judged(&rows, 3, None, 100 * DAY));
    assert_eq!(at, 11, "more is there than it says");
    let (at, _) = why(judged(&rows, 0, None, 100 * DAY));
    assert_eq!(at, 11, "everything is there");
}

/// The same attack with a row that explains it: nothing in the log is against it, but the head is.
#[test]
fn an_explanation_that_the_kept_head_rules_out_is_noticed() {
    let now = 111 * DAY;
    let kept = head_of(&chain(ten_from(100)));
    let rows = claimed(100, now, |said| said.until = 20 * DAY);
    assert!(judged(&rows, 9, None, now).is_ok(), "the log's own word");
    let (at, said) = why(judged(&rows, 9, Some(kept.clone()), now));
    assert_eq!(at, 11);
    assert!(said.contains("row 1 was too young"), "{said}");
    // By the word of an upgrade, which was before the head.
    let rows = claimed(100, now, |said| said.rule = PruningRule::Unrecorded);
    assert_eq!(why(judged(&rows, 9, Some(kept.clone()), now)).0, 11);
    assert!(judged(&rows, 9, None, now).is_ok());
    // The head's own row gone too.
    let mut said = claim(&chain(ten_from(100)), 10, BY_AGE);
    said.until = 20 * DAY;
    let rows = chain(ten_from(100).into_iter().chain([said.entry(now)]));
    assert_eq!(why(judged(&rows, 10, Some(kept), now)).0, 11);
}

#[test]
fn numbers_that_do_not_add_up_are_noticed() {
    let changes: [fn(&mut AuditPruning); 6] = [
        |said| said.rows = 8,
        |said| said.first = 2,
        |said| said.first = 0,
        |said| said.last.0 = 11,
        |said| said.last.1 = Digest([7; 32]),
        |said| (said.first, said.rows) = (10, 0),
    ];
    for (case, change) in changes.into_iter().enumerate() {
        let rows = claimed(0, 100 * DAY, change);
        assert_eq!(why(judged(&rows, 9, None, 100 * DAY)).0, 11, "{case}");
    }
    let nonsense = AuditEntry { kind: AuditKind::Pruning, ..call(100 * DAY) };
    let rows = chain(ten_from(0).into_iter().chain([nonsense]));
    let (at, said) = why(judged(&rows, 9, None, 100 * DAY));
    assert!(at == 11 && said.contains("but not which"), "{said}");
}

#[test]
fn a_second_one_goes_on_where_the_first_ended() {
    let (now, rows) = (100 * DAY, chain(ten_from(0)));
    let first = claim(&rows, 4, BY_AGE);
    for (start, is_right) in [(5, true), (6, false), (4, false), (1, false)] {
        let second = AuditPruning { first: start, rows: 10 - start, ..claim(&rows, 9, BY_AGE) };
        let entries = ten_from(0).into_iter().chain([first.entry(now), second.entry(now)]);
        assert_eq!(judged(&chain(entries), 9, None, now).is_ok(), is_right, "{start}");
    }
    let late = AuditPruning { first: 5, rows: 5, ..claim(&rows, 9, PruningRule::Unrecorded) };
    let entries = ten_from(0).into_iter().chain([first.entry(now), late.entry(now)]);
    assert_eq!(why(judged(&chain(entries), 9, None, now)).0, 12);
}

#[test]
fn what_went_before_its_time_is_noticed() {
    let too_young = claimed(0, 99 * DAY, |_| {});
    assert!(why(judged(&too_young, 9, None, 99 * DAY)).1.contains("too young"));
    let stricter = |said: &mut AuditPruning| said.rule = PruningRule::Age { max_age_ms: DAY };
    let (at, said) = why(judged(&claimed(0, 12 * DAY, stricter), 9, None, 12 * DAY));
    assert!(at == 11 && said.contains("older than 1 days, and 90 days"), "{said}");
}

/// What was taken away as too much is weighed against what stayed.
#[test]
fn what_was_not_too_much_is_noticed() {
    let by_size = |max_bytes, last_bytes| {
        claimed(0, 11 * DAY, move |said| said.rule = PruningRule::Size { max_bytes, last_bytes })
    };
    for (rows, words) in [
        (by_size(1 << 30, 500), "those that stayed weigh"),
        (by_size(1 << 30, 1 << 30), "those that stayed weigh"),
        (by_size(100, 500), "to keep 100 bytes"),
    ] {
        let (at, said) = why(judged(&rows, 9, None, 11 * DAY));
        assert!(at == 11 && said.contains(words), "{said}");
    }
    let store = MemoryStore::default();
    wait(store.append_audit(&ten_from(0))).unwrap();
    assert_eq!(wait(store.audit(AuditQuery::default())).unwrap().len(), 10);
    let little = AuditRetention { max_bytes: 600, ..RULES };
    assert!(wait(store.prune_audit(11 * DAY, little)).unwrap() > 0);
    let verdict = wait(verify(&store, None, little, 11 * DAY)).unwrap();
    assert!(matches!(verdict, LogVerdict::Whole(_)), "{verdict:?}");
}

#[test]
fn a_clock_that_was_ahead_is_noticed() {
    let ahead = claimed(0, 1000 * DAY, |_| {});
    assert!(why(judged(&ahead, 9, None, 11 * DAY)).1.contains("to come"));
    // Later too, by the rows that came after it.
    let said = claim(&chain(ten_from(0)), 9, BY_AGE);
    let entries = ten_from(0).into_iter().chain([said.entry(1000 * DAY), call(11 * DAY)]);
    let (at, said) = why(judged(&chain(entries), 9, None, 2000 * DAY));
    assert!(at == 11 && said.contains("the clock was ahead"), "{said}");
    // A little is nothing, and calls may come in any order.
    let said = claim(&chain(ten_from(0)), 9, BY_AGE);
    let entries = ten_from(0).into_iter().chain([said.entry(100 * DAY), call(100 * DAY - 5)]);
    assert!(judged(&chain(entries), 9, None, 100 * DAY).is_ok());
}

#[test]
fn a_head_is_read_as_it_is_written() {
    let head = head_of(&chain(ten_from(0)));
    assert_eq!(KeptHead::parse(&head.to_string()), Some(head.clone()));
    let older = KeptHead { times: None, ..head.clone() };
    assert_eq!(KeptHead::parse(&older.to_string()), Some(older.clone()));
    let tail = |journal: &str, entry| JournalHead {
        journal: JournalId::parse(journal).unwrap(),
        entry,
        hash: Digest([3; 32]),
    };
    let journals = vec![tail("0123456789abcdef", 7), tail("fedcba9876543210", u64::MAX)];
    let longer = KeptHead { journals, ..older };
    assert_eq!(KeptHead::parse(&longer.to_string()), Some(longer));
    assert_eq!(KeptHead::parse(&format!("{head},x:1:2")), None);
    for wrong in ["", "7", "7:ab", &format!("{head}:1"), &format!("{older}:1"), &format!("-{head}")]
    {
        assert_eq!(KeptHead::parse(wrong), None, "{wrong}");
    }
}
