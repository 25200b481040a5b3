//! Whether the log is whole: every row in its place, and every row that is missing allowed to be.
//!
//! The store walks along the chain and says whether one row follows another. Whether the beginning
//! was allowed to go is judged here, from the rows that say it went, from the retention that is
//! configured, and from a head that somebody kept elsewhere. Nothing here knows how rows are kept.

mod head;
mod rules;

use parking_lot::Mutex;
use std::sync::Arc;

use toolgate_store::{
    AuditEntry, AuditHead, AuditLog, AuditPruning, AuditRetention, AuditRow, AuditVerdict,
    JournalId, JournalTail, StoreError,
};
use toolgate_types::Digest;
use toolgate_types::config::AuditSection;

pub use head::{HeadTimes, KeptHead};
use rules::ChainFault;

/// What can be said of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogVerdict {
    Whole(WholeLog),
    Broken {
        /// The first row that is not, or not there, as it was, or that says what cannot be.
        sequence: u64,
        why: String,
    },
}

/// A log of which nothing is missing but what was allowed to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeLog {
    pub rows: u64,
    /// Its end, to be kept elsewhere.
    pub head: Option<KeptHead>,
    /// What was taken away, as the rows that are there say it, the oldest first.
    pub prunings: Vec<SeenPruning>,
    /// What the head that was given cannot show.
    pub unshown: Option<String>,
    /// What is in journals and not in rows yet.
    pub tails: Vec<JournalTail>,
}

/// A row that says that others went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPruning {
    pub sequence: u64,
    pub at: u64,
    pub said: AuditPruning,
    /// What all rows weigh that were there when it was written, as far as they still are.
    kept_bytes: u64,
}

/// How long and how much is kept, as the settings say it.
pub fn retention(settings: &AuditSection) -> AuditRetention {
    let max_age_ms = u64::from(settings.retention_days) * 24 * 60 * 60 * 1000;
    AuditRetention { max_age_ms, max_bytes: settings.retention_bytes }
}

/// Walks along the whole log. `retention` is the rule that holds: what went by a stricter one was
/// not allowed to go.
pub async fn verify(
    log: &dyn AuditLog,
    expected: Option<KeptHead>,
    retention: AuditRetention,
    now: u64,
) -> Result<LogVerdict, StoreError> {
    let seen = Arc::new(Mutex::new(SeenRows::default()));
    let visitor = Arc::clone(&seen);
    let visit = move |row: &AuditRow| {
        visitor.lock().add(row);
    };
    let wanted = expected.clone().map(KeptHead::expected);
    let verdict = log.walk_audit(wanted, Box::new(visit)).await?;
    let seen = std::mem::take(&mut *seen.lock());
    Ok(match verdict {
        AuditVerdict::Broken { sequence, why } => LogVerdict::Broken { sequence, why },
        AuditVerdict::Whole { rows, head, from, tails, unshown: gone } => {
            let judged = seen.judge(from, expected.as_ref(), retention, now);
            match judged {
                Err(ChainFault { sequence, why }) => LogVerdict::Broken { sequence, why },
                Ok((prunings, unshown)) => {
                    let head = kept_head(head, seen.times, &tails);
                    let unshown = unshown.or_else(|| gone.first().map(gone_with_rows));
                    LogVerdict::Whole(WholeLog { rows, head, prunings, unshown, tails })
                }
            }
        }
    })
}

/// Nothing where nothing was ever recorded.
fn kept_head(
    place: Option<AuditHead>,
    times: Option<HeadTimes>,
    tails: &[JournalTail],
) -> Option<KeptHead> {
    let journals: Vec<_> = tails.iter().map(|tail| tail.head.clone()).collect();
    if place.is_none() && journals.is_empty() {
        return None;
    }
    Some(KeptHead { place: place.unwrap_or((0, Digest([0; 32]))), times, journals })
}

fn gone_with_rows(journal: &JournalId) -> String {
    format!(
        "what the journal {journal} had may have been taken away with old rows, so that part of the head \
         you gave cannot be compared"
    )
}

/// What the rules want to know of the rows.
#[derive(Debug, Default)]
struct SeenRows {
    /// In their order; those that make no sense by what is wrong with them.
    prunings: Vec<Result<SeenPruning, ChainFault>>,
    times: Option<HeadTimes>,
    bytes: u64,
    /// A pruning that is followed by a row from long before it.
    ahead: Option<u64>,
}

impl SeenRows {
    fn add(&mut self, row: &AuditRow) {
        let AuditEntry { at, .. } = row.entry;
        let times = HeadTimes { at, first: row.sequence, first_at: at };
        self.times = Some(self.times.map_or(times, |known| HeadTimes { at, ..known }));
        self.notice_clock(row);
        if let Some(read) = AuditPruning::of(row) {
            let (sequence, kept_bytes) = (row.sequence, self.bytes);
            let seen = read.map(|said| SeenPruning { sequence, at, said, kept_bytes });
            self.prunings.push(seen.map_err(|why| ChainFault {
                sequence,
                why: format!("it says that rows were taken away, but not which: {why}"),
            }));
        }
        self.bytes = self.bytes.saturating_add(row.weight);
    }

    fn notice_clock(&mut self, row: &AuditRow) {
        let is_before = |seen: &&SeenPruning| row.entry.at.saturating_add(rules::SKEW_MS) < seen.at;
        if let Some(Ok(seen)) = self.prunings.last()
            && self.ahead.is_none()
            && Some(seen).filter(is_before).is_some()
        {
            self.ahead = Some(seen.sequence);
        }
    }
}

#[cfg(test)]
mod tests;
