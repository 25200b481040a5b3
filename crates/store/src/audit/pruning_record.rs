//! The row that stands for rows that were taken away: which, until when, and by which rule.
//!
//! It is a row of the chain like any other, so it cannot be changed without a trace before a head
//! that somebody kept. What it says is judged in `toolgate-audit`.

use serde::{Deserialize, Serialize};
use toolgate_types::Digest;

use super::{AuditEntry, AuditHead, AuditKind, AuditRow};

/// What such a row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditPruning {
    /// The numbers of the first and the last row that went, and the hash of the last.
    pub first: u64,
    pub last: AuditHead,
    /// How many were there to go.
    pub rows: u64,
    /// The time of the last one.
    pub until: u64,
    pub rule: PruningRule,
}

/// Why rows were allowed to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum PruningRule {
    /// They were older than this.
    Age { max_age_ms: u64 },
    /// With the last of them, which weighs this much, all that stayed weighed more than allowed.
    Size { max_bytes: u64, last_bytes: u64 },
    /// They went before prunings were recorded; nobody knows why.
    Unrecorded,
}

/// As it is written.
#[derive(Serialize, Deserialize)]
struct PruningRecord {
    first: u64,
    last: u64,
    hash: String,
    rows: u64,
    until: u64,
    #[serde(flatten)]
    rule: PruningRule,
}

impl AuditPruning {
    /// What all these rows have in the place of a call's id.
    pub const CORRELATION: &'static str = "pruning";

    /// The row, to be appended at this time.
    pub fn entry(&self, at: u64) -> AuditEntry {
        let Self { first, last: (last, hash), rows, until, rule } = *self;
        let body = PruningRecord { first, last, hash: hash.to_hex(), rows, until, rule };
        // Numbers and texts: nothing here can fail to be written.
        let body = serde_json::to_string(&body).unwrap_or_default();
        let call = Self::CORRELATION.to_owned();
        AuditEntry::of_the_log(at, AuditKind::Pruning, call, "pruned", body)
    }

    /// What a row says, if it is one of these; `Err` where it is one that makes no sense.
    pub fn of(row: &AuditRow) -> Option<Result<Self, String>> {
        (row.entry.kind == AuditKind::Pruning).then(|| Self::read(&row.entry.body))
    }

    fn read(body: &str) -> Result<Self, String> {
        let body: PruningRecord = serde_json::from_str(body).map_err(|error| error.to_string())?;
        let PruningRecord { first, last, hash, rows, until, rule } = body;
        let hash = Digest::from_hex(&hash).ok_or("its hash is none")?;
        Ok(Self { first, last: (last, hash), rows, until, rule })
    }
}

/// Whether the row that a checkpoint names says what the checkpoint does.
pub(crate) fn stands_for(row: &AuditRow, checkpoint: AuditHead) -> bool {
    matches!(AuditPruning::of(row), Some(Ok(pruning)) if pruning.last == checkpoint)
}

#[cfg(test)]
mod tests;
