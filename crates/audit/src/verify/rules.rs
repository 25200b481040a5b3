//! What a row that speaks of a pruning may say, and what it may not.
//!
//! Whoever can write the file can write such a row too, and another chain after it. So it is held
//! against what cannot be made up: the rows that are still there, the configured retention, the
//! clock, and a head from elsewhere.

use toolgate_store::{AuditHead, AuditPruning, AuditRetention, PruningRule};

use super::{HeadTimes, KeptHead, SeenPruning, SeenRows};

/// By how much clocks may differ, or be set back: a day.
pub(super) const SKEW_MS: u64 = 24 * 60 * 60 * 1000;

/// The most that one row can weigh, which is more than any message may be long.
const HEAVIEST_ROW: u64 = 64 << 20;

/// What is wrong, and with which row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChainFault {
    pub(super) sequence: u64,
    pub(super) why: String,
}

fn fault(sequence: u64, why: impl Into<String>) -> ChainFault {
    ChainFault { sequence, why: why.into() }
}

impl SeenRows {
    /// The prunings, if all of them were allowed, and what the expected head cannot show.
    pub(super) fn judge(
        &self,
        gone: Option<AuditHead>,
        expected: Option<&KeptHead>,
        retention: AuditRetention,
        now: u64,
    ) -> Result<(Vec<SeenPruning>, Option<String>), ChainFault> {
        let prunings: Vec<SeenPruning> = self.prunings.iter().cloned().collect::<Result<_, _>>()?;
        let mut before: Option<&AuditPruning> = None;
        for seen in &prunings {
            add_up(seen, before)?;
            keeps_to(seen, retention, now)?;
            before = Some(&seen.said);
        }
        accounts_for(&prunings, gone)?;
        if let Some(sequence) = self.ahead {
            let why = "the clock was ahead when rows were taken away: later rows are from before";
            return Err(fault(sequence, why));
        }
        let unshown = match expected {
            Some(head) => {
                prunings.iter().try_for_each(|seen| fits(seen, head))?;
                unshown(&prunings, gone, head)
            }
            None => None,
        };
        Ok((prunings, unshown))
    }
}

/// What it says fits together, and goes on where the one before it ended.
fn add_up(seen: &SeenPruning, before: Option<&AuditPruning>) -> Result<(), ChainFault> {
    let AuditPruning { first, last: (last, _), rows, rule, .. } = seen.said;
    let is_a_range = 1 <= first && first <= last && last < seen.sequence;
    if !is_a_range || rows != last - first + 1 {
        return Err(fault(
            seen.sequence,
            format!("its numbers do not add up: {rows} rows taken away, from {first} to {last}"),
        ));
    }
    if let Some(before) = before
        && before.last.0 + 1 != first
    {
        let due = before.last.0 + 1;
        let why = format!("it says that rows from {first} on were taken away; {due} was the next");
        return Err(fault(seen.sequence, why));
    }
    if rule == PruningRule::Unrecorded && (first != 1 || before.is_some()) {
        let why = "it says that rows went before prunings were recorded, and they cannot have";
        return Err(fault(seen.sequence, why));
    }
    Ok(())
}

/// It kept to its own rule, and that was no stricter than the one that holds.
fn keeps_to(seen: &SeenPruning, retention: AuditRetention, now: u64) -> Result<(), ChainFault> {
    let AuditPruning { first, last: (last, _), until, rule, .. } = seen.said;
    let not_allowed = |why: String| Err(fault(seen.sequence, why));
    if seen.at > now.saturating_add(SKEW_MS) {
        return not_allowed("it says that rows were taken away at a time that is to come".into());
    }
    match rule {
        PruningRule::Age { max_age_ms } if until >= seen.at.saturating_sub(max_age_ms) => {
            not_allowed(format!("rows {first} to {last} were too young to be taken away"))
        }
        PruningRule::Age { max_age_ms } if max_age_ms < retention.max_age_ms => {
            let (went, stay) = (span(max_age_ms), span(retention.max_age_ms));
            not_allowed(format!(
                "rows {first} to {last} were taken away as older than {went}, and {stay} are to be \
                 kept"
            ))
        }
        PruningRule::Size { max_bytes, .. } if max_bytes < retention.max_bytes => {
            not_allowed(format!(
                "rows {first} to {last} were taken away to keep {max_bytes} bytes, and {} are to \
                 be kept",
                retention.max_bytes
            ))
        }
        _ => Ok(()),
    }
}

fn span(millis: u64) -> String {
    match millis % SKEW_MS {
        0 if millis > 0 => format!("{} days", millis / SKEW_MS),
        _ => format!("{millis} ms"),
    }
}

/// Exactly what is missing at the beginning is what the last of them says.
fn accounts_for(prunings: &[SeenPruning], gone: Option<AuditHead>) -> Result<(), ChainFault> {
    let (gone, seen) = match (gone, prunings.last()) {
        (None, None) => return Ok(()),
        (None, Some(seen)) => {
            let why = "it says that rows were taken away, and they are there";
            return Err(fault(seen.sequence, why));
        }
        (Some((gone, _)), None) => return Err(unaccounted(1, gone)),
        (Some(gone), Some(seen)) => (gone, seen),
    };
    let last = seen.said.last;
    if gone.0 > last.0 {
        return Err(unaccounted(last.0 + 1, gone.0));
    }
    if gone != last {
        let why = format!("it says that rows up to {} were taken away, and others were", last.0);
        return Err(fault(seen.sequence, why));
    }
    // All that were there then are there still, so they can be weighed.
    if let PruningRule::Size { max_bytes, last_bytes } = seen.said.rule
        && (last_bytes > HEAVIEST_ROW || seen.kept_bytes.saturating_add(last_bytes) <= max_bytes)
    {
        let why = format!(
            "rows were taken away as too many, but those that stayed weigh {} bytes and {max_bytes} \
             may be kept",
            seen.kept_bytes
        );
        return Err(fault(seen.sequence, why));
    }
    Ok(())
}

fn unaccounted(first: u64, last: u64) -> ChainFault {
    let which = match first == last {
        true => format!("row {first} is"),
        false => format!("rows {first} to {last} are"),
    };
    fault(first, format!("{which} missing, and no record says that anybody took them away"))
}

/// What the head says of the age of rows leaves it possible.
fn fits(seen: &SeenPruning, head: &KeptHead) -> Result<(), ChainFault> {
    let Some(HeadTimes { at, first, first_at }) = head.times else { return Ok(()) };
    if seen.sequence <= head.place.0 {
        // It was there when the head was kept.
        return Ok(());
    }
    match seen.said.rule {
        PruningRule::Unrecorded => {
            let why = "it says that rows went before prunings were recorded; your head is later";
            Err(fault(seen.sequence, why))
        }
        PruningRule::Age { max_age_ms } => {
            let keep_since = seen.at.saturating_sub(max_age_ms);
            let too_young = |(row, at): &(u64, u64)| {
                // What went earlier went by a clock that may have been set back since.
                let slack = if seen.said.first > *row { SKEW_MS } else { 0 };
                *row <= seen.said.last.0 && *at >= keep_since.saturating_add(slack)
            };
            match [(first, first_at), (head.place.0, at)].iter().find(|row| too_young(row)) {
                Some((row, _)) => {
                    let why = format!("row {row} was too young to be taken away, by your head");
                    Err(fault(seen.sequence, why))
                }
                None => Ok(()),
            }
        }
        PruningRule::Size { .. } => Ok(()),
    }
}

/// What a head cannot show though nothing speaks against it.
fn unshown(prunings: &[SeenPruning], gone: Option<AuditHead>, head: &KeptHead) -> Option<String> {
    let (sequence, _) = head.place;
    if sequence > 0 && gone.is_some_and(|(gone, _)| sequence < gone) {
        return Some(format!(
            "row {sequence} was taken away, so the head you gave cannot be compared"
        ));
    }
    let later = prunings.iter().find(|seen| seen.sequence > sequence && head.times.is_none())?;
    let AuditPruning { first, last: (last, _), .. } = later.said;
    Some(format!(
        "rows {first} to {last} were taken away after the head you gave was kept; it does not say \
         how old they were, so that they were allowed to go is the log's own word"
    ))
}
