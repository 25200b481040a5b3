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
    AuditEntry {
        at,
        kind: AuditKind::Torn,
        correlation: format!("journal-{journal}"),
        round: 0,
        principal: "toolgate".into(),
        client: None,
        role: None,
        session: None,
        workspace: None,
        server: None,
        tool: None,
        outcome: Some("torn".into()),
        code: None,
        duration_us: None,
        // Texts and numbers: nothing here can fail to be written.
        body: serde_json::to_string(&body).unwrap_or_default(),
    }
}
