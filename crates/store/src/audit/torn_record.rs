//! The row that says that a process died while it wrote.

use serde::Serialize;

use super::{AuditEntry, AuditKind};
use crate::JournalId;

#[derive(Serialize)]
struct TornRecord<'a> {
    journal: &'a str,
    /// The last entry that is whole.
    entries: u64,
    /// How many bytes behind it were no entry, and went with the journal.
    bytes: u64,
}

/// Of a journal whose last bytes are no entry.
pub(crate) fn torn_journal(journal: &JournalId, entries: u64, bytes: u64, at: u64) -> AuditEntry {
    let body = TornRecord { journal: journal.as_str(), entries, bytes };
    // Texts and numbers: nothing here can fail to be written.
    let body = serde_json::to_string(&body).unwrap_or_default();
    AuditEntry::of_the_log(at, AuditKind::Torn, format!("journal-{journal}"), "torn", body)
}
