//! A summary never says too little, and seldom too much.

use super::*;

fn row<'a>(call: &'a str, server: &'a str, tool: &'a str, body: &'a str) -> SearchedParts<'a> {
    SearchedParts {
        at: 10,
        correlation: call,
        session: Some("here"),
        server: Some(server),
        tool: Some(tool),
        outcome: None,
        body,
    }
}

fn sum(rows: &[SearchedParts<'_>]) -> BlockSum {
    let mut sum = BlockSum::default();
    for row in rows {
        sum.add(*row);
    }
    sum
}

fn query(change: impl FnOnce(&mut AuditQuery)) -> AuditQuery {
    let mut query = AuditQuery::default();
    change(&mut query);
    query
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Whether a search would look into a block of these two rows.
fn looks(change: impl FnOnce(&mut AuditQuery)) -> bool {
    let rows = [
        row("a-1", "git", "log", r#"{"error":"no such branch: hydrangea"}"#),
        SearchedParts { at: 20, outcome: Some("done"), ..row("a-2", "files", "read", "{}") },
    ];
    let summary = sum(&rows).summary();
    let sought = SoughtInBlocks::of(&query(change)).unwrap();
    sought.may_be_at(summary.since, summary.until)
        && sought.may_be_named(&summary.names)
        && sought.may_be_called(&summary.calls)
        && sought.may_be_made_of(&summary.trios)
        && sought.may_be_said(&summary.texts)
}

#[test]
fn what_is_there_is_looked_for_and_what_is_not_is_passed_over() {
    assert!(looks(|query| query.server = some("git")));
    assert!(looks(|query| query.tool = some("read")));
    assert!(looks(|query| query.outcome = some("done")));
    assert!(looks(|query| query.session = some("here")));
    assert!(looks(|query| query.correlation = some("a-2")));
    assert!(!looks(|query| query.server = some("log")));
    assert!(!looks(|query| query.outcome = some("failed")));
    assert!(!looks(|query| query.session = some("a-2")));
    assert!(!looks(|query| query.correlation = some("a-3")));
}

#[test]
fn names_are_looked_for_together() {
    let named = |server: &str, tool: &str, outcome: Option<&str>| {
        looks(|query| {
            (query.server, query.tool) = (some(server), some(tool));
            query.outcome = outcome.and_then(some);
        })
    };
    assert!(named("git", "log", None));
    assert!(named("files", "read", Some("done")));
    assert!(!named("git", "read", None));
    assert!(!named("git", "log", Some("done")));
}

#[test]
fn times_are_those_from_the_first_to_the_last() {
    let between = |since, until| looks(|query| (query.since, query.until) = (since, until));
    assert!(between(Some(20), None) && between(None, Some(10)) && between(Some(12), Some(13)));
    assert!(!between(Some(21), None) && !between(None, Some(9)));
    // No time is later than what a signed number says.
    let late = sum(&[SearchedParts { at: time::kept(u64::MAX), ..row("a", "b", "c", "d") }]);
    let sought = SoughtInBlocks::of(&query(|query| query.since = Some(u64::MAX))).unwrap();
    assert!(sought.may_be_at(late.summary().since, late.summary().until));
}

#[test]
fn any_part_of_a_text_is_looked_for_and_other_texts_are_not() {
    let says = |part: &str| looks(|query| query.grep = some(part));
    for part in ["hydrangea", "ydra", "no such branch: hyd", "file", "{\"er"] {
        assert!(says(part), "{part}");
    }
    assert!(!says("rhododendron") && !says("hydrangeas?"));
    // A few letters are looked for by what stands beside each of them.
    assert!(says("hyd") && says("bra") && !says("xyz") && !says("~~~"));
    // Too short to say anything about.
    for part in ["", "xy"] {
        assert_eq!(SoughtInBlocks::of(&query(|query| query.grep = some(part))), None);
    }
}

/// As many rows as a block has, with a number in each that no other has.
#[test]
fn a_table_of_texts_is_as_long_as_what_there_is_to_say_and_no_fuller_than_it_may_be() {
    let many: Vec<String> = (0..256_u64)
        .map(|row| format!("{:016x}{:016x}", row.wrapping_mul(0x9e37_79b9_7f4a_7c15), row.pow(7)))
        .collect();
    let rows: Vec<_> = many.iter().map(|body| row("a", "git", "log", body)).collect();
    let (few, many) = (sum(&rows[..1]).summary().texts, sum(&rows).summary().texts);
    assert!(few.len() < many.len(), "{} {}", few.len(), many.len());
    for texts in [few, many] {
        let set: u32 = texts.iter().map(|byte| byte.count_ones()).sum();
        assert!(texts.len().is_power_of_two() && set as usize * SPARSE <= texts.len() * 8);
    }
}

#[test]
fn a_summary_covers_its_rows_and_any_of_them_and_no_others() {
    let rows = [
        row("a-1", "git", "log", "the first of them"),
        row("a-2", "git", "push", "and another one"),
    ];
    let summary = sum(&rows).summary();
    assert!(sum(&rows).is_covered_by(&summary) && sum(&rows[1..]).is_covered_by(&summary));
    let other = |change: &dyn Fn(&mut SearchedParts<'static>)| {
        let mut row = row("a-2", "git", "push", "and another one");
        change(&mut row);
        sum(&[row]).is_covered_by(&summary)
    };
    assert!(other(&|_| {}));
    assert!(!other(&|row| row.at = 11));
    assert!(!other(&|row| row.correlation = "a-3"));
    assert!(!other(&|row| row.outcome = Some("done")));
    assert!(!other(&|row| row.body = "and yet another one"));
    let changed = |change: &dyn Fn(&mut BlockSummary)| {
        let mut summary = summary.clone();
        change(&mut summary);
        sum(&rows).is_covered_by(&summary)
    };
    assert!(!changed(&|summary| summary.texts.clear()));
    assert!(!changed(&|summary| summary.texts.truncate(12)));
    assert!(!changed(&|summary| summary.trios.truncate(12)));
    assert!(!changed(&|summary| summary.trios.fill(0)));
    assert!(!changed(&|summary| summary.names.truncate(4)));
    assert!(!changed(&|summary| summary.until = 9));
}
