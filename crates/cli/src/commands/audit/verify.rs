//! `toolgate audit verify`: whether the log is whole, what was taken away from it and by which
//! rule, and its head to be kept elsewhere.

use std::time::SystemTime;

use serde::Serialize;
use toolgate_audit::{KeptHead, LogVerdict, SeenPruning, WholeLog, retention, verify};
use toolgate_store::{AuditPruning, AuditRetention, JournalTail, PruningRule};
use toolgate_terminal::{CommandOutput, counted};
use toolgate_types::{since_1970, visible};

use crate::args::ScopeArg;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};
use toolgate_terminal::moment::written;

/// The most prunings that are named one by one; a long log has one a day.
const NAMED: usize = 5;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct AuditVerifyJson {
    is_whole: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// The last row that was taken away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pruned_to: Option<u64>,
    /// What was taken away, as the rows that are there say it, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prunings: Vec<PruningJson>,
    /// What the head that was given cannot show.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_shown: Option<String>,
    /// What is in journals and not in rows yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    journals: Vec<JournalJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// A journal that goes on where the rows end.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JournalJson {
    id: String,
    /// How many entries no row has yet.
    entries: u64,
    /// How many bytes at its end are no entry: its process died while it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    torn_bytes: Option<u64>,
}

impl From<&JournalTail> for JournalJson {
    fn from(JournalTail { journal, entries, torn_bytes, .. }: &JournalTail) -> Self {
        let torn_bytes = Some(*torn_bytes).filter(|bytes| *bytes > 0);
        Self { id: journal.to_string(), entries: *entries, torn_bytes }
    }
}

/// One time that rows were taken away.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PruningJson {
    /// The row that says so.
    sequence: u64,
    at: String,
    first: u64,
    last: u64,
    rows: u64,
    /// The time of the last row that went.
    until: String,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_age_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_bytes: Option<u64>,
}

pub(super) fn run(
    expected: Option<KeptHead>,
    (days, bytes): (Option<u32>, Option<u64>),
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let configured = retention(&surroundings.load(ScopeArg::Effective).config.audit);
    let rules = AuditRetention {
        max_age_ms: days.map_or(configured.max_age_ms, |days| u64::from(days) * DAY_MS),
        max_bytes: bytes.unwrap_or(configured.max_bytes),
    };
    let store = surroundings.store_to_read()?;
    let now = since_1970(SystemTime::now());
    match wait(verify(&store, expected, rules, now))? {
        LogVerdict::Whole(log) => whole(&log, output),
        LogVerdict::Broken { sequence, why } => {
            if output.json {
                let broken_at = Some(sequence);
                output.document_of(&AuditVerifyJson {
                    broken_at,
                    why: Some(why),
                    ..AuditVerifyJson::default()
                });
            } else {
                output.line(format!("broken at row {sequence}: {}", visible(&why)));
            }
            Ok(Exit::Error)
        }
    }
}

fn whole(log: &WholeLog, output: &mut CommandOutput) -> CommandResult {
    let WholeLog { rows, head, prunings, unshown, tails } = log;
    if output.json {
        output.document_of(&AuditVerifyJson {
            is_whole: true,
            rows: Some(*rows),
            head: head.as_ref().map(ToString::to_string),
            journals: tails.iter().map(JournalJson::from).collect(),
            pruned_to: prunings.last().map(|seen| seen.said.last.0),
            prunings: prunings.iter().map(PruningJson::from).collect(),
            not_shown: unshown.clone(),
            ..AuditVerifyJson::default()
        });
    } else {
        print(log, output);
    }
    match unshown {
        // Whoever gave a head wants more than was shown.
        Some(why) => Err(CliFailure::new(why)),
        None => Ok(Exit::Ok),
    }
}

fn print(WholeLog { rows, head, prunings, tails, .. }: &WholeLog, output: &mut CommandOutput) {
    let count = |number: u64, word| counted(usize::try_from(number).unwrap_or(usize::MAX), word);
    let end = head.as_ref().map_or_else(|| "no head".to_owned(), |head| format!("head {head}"));
    let late = match tails.iter().map(|tail| tail.entries).sum::<u64>() {
        0 => String::new(),
        entries => format!(" and {} that no row has yet", entry_count(entries)),
    };
    output.line(format!("whole: {}{late}, {end}", count(*rows, "row")));
    for JournalTail { journal, head, torn_bytes, .. } in
        tails.iter().filter(|tail| tail.torn_bytes > 0)
    {
        let bytes = count(*torn_bytes, "byte");
        output.line(format!(
            "torn: {bytes} behind entry {} of the journal {journal} are no entry; its process died while it \
             wrote",
            head.entry
        ));
    }
    let named = prunings.len().saturating_sub(NAMED);
    if let Some(last) = named.checked_sub(1).and_then(|last| prunings.get(last)) {
        let times = counted(named, "earlier pruning");
        output.line(format!("pruned: rows up to {}, in {times}", last.said.last.0));
    }
    for seen in prunings.iter().skip(named) {
        output.line(sentence(seen));
    }
}

/// `counted` makes the plural by an s.
fn entry_count(entries: u64) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        more => format!("{more} entries"),
    }
}

/// What went, until when, by which rule, and where that is written.
fn sentence(SeenPruning { sequence, at, said, .. }: &SeenPruning) -> String {
    let AuditPruning { first, last: (last, _), rows, until, rule } = said;
    let count = |number: u64, word| counted(usize::try_from(number).unwrap_or(usize::MAX), word);
    let went = format!("{}, {first} to {last}, until {}", count(*rows, "row"), written(*until));
    let rule = match rule {
        PruningRule::Age { max_age_ms } if max_age_ms % DAY_MS == 0 => {
            format!("by age, at most {}", count(max_age_ms / DAY_MS, "day"))
        }
        PruningRule::Age { max_age_ms } => format!("by age, at most {max_age_ms} ms"),
        PruningRule::Size { max_bytes, .. } => format!("by size, at most {max_bytes} bytes"),
        PruningRule::Unrecorded => {
            return format!(
                "gone: {went}; by which rule was not recorded then, says row {sequence}"
            );
        }
    };
    format!("pruned: {went}; {rule}; on {} says row {sequence}", written(*at))
}

impl From<&SeenPruning> for PruningJson {
    fn from(SeenPruning { sequence, at, said, .. }: &SeenPruning) -> Self {
        let AuditPruning { first, last: (last, _), rows, until, rule } = said;
        let (rule, max_age_ms, max_bytes) = match *rule {
            PruningRule::Age { max_age_ms } => ("age", Some(max_age_ms), None),
            PruningRule::Size { max_bytes, .. } => ("size", None, Some(max_bytes)),
            PruningRule::Unrecorded => ("unrecorded", None, None),
        };
        Self {
            sequence: *sequence,
            at: written(*at),
            first: *first,
            last: *last,
            rows: *rows,
            until: written(*until),
            rule,
            max_age_ms,
            max_bytes,
        }
    }
}
