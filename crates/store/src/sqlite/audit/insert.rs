//! New rows at the end of the chain, in a transaction of whoever has them.

use rusqlite::{Transaction, params};
use toolgate_types::Digest;

use super::pairing::JournalledRow;
use super::row::{self, ChainPlace};
use crate::audit::chain::link;
use crate::audit::entry_bytes::WrittenEntry;
use crate::{AuditEntry, AuditHead, JournalId, time};

/// Adds rows, one after the other.
pub(super) struct RowInsert<'a> {
    statement: rusqlite::CachedStatement<'a>,
    end: ChainPlace,
}

impl<'a> RowInsert<'a> {
    /// By number and not by name: this is done for every call.
    pub(super) const SQL: &'static str = "
        INSERT INTO audit (sequence, at, kind, correlation, session, server, tool, outcome, hash, bytes,
                           journal, written)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

    pub(super) fn begin(transaction: &'a Transaction<'_>) -> rusqlite::Result<Self> {
        let end = row::end(transaction)?;
        Ok(Self { statement: transaction.prepare_cached(Self::SQL)?, end })
    }

    /// What a journal had of one call; answers its number.
    pub(super) fn journalled(
        &mut self,
        journal: &JournalId,
        row: &JournalledRow<'_>,
    ) -> rusqlite::Result<u64> {
        let head = self.next(|previous, sequence| row.frames.link(journal, previous, sequence));
        self.add(head, &row.entry, row.weight, Some(journal), row.frames.bytes())
    }

    /// An entry that is in no journal; answers its number.
    pub(super) fn own(&mut self, entry: AuditEntry) -> rusqlite::Result<u64> {
        let entry = AuditEntry { at: time::kept(entry.at), ..entry };
        let head = self.next(|previous, sequence| link(previous, sequence, &entry));
        let (said, mut written) = (WrittenEntry::from(&entry), Vec::new());
        said.write(&mut written);
        self.add(head, &said, said.weight(), None, &written)
    }

    fn next(&self, link: impl FnOnce(Digest, u64) -> Digest) -> AuditHead {
        let (last, previous) = self.end.head;
        (last + 1, link(previous, last + 1))
    }

    fn add(
        &mut self,
        head: AuditHead,
        said: &WrittenEntry<'_>,
        weight: u64,
        journal: Option<&JournalId>,
        written: &[u8],
    ) -> rusqlite::Result<u64> {
        let bytes = self.end.bytes.saturating_add(weight);
        self.statement.execute(params![
            head.0.cast_signed(),
            said.at.cast_signed(),
            said.kind.as_str(),
            said.correlation,
            said.session,
            said.server,
            said.tool,
            said.outcome,
            head.1.0,
            bytes.cast_signed(),
            journal.map(JournalId::as_str),
            written,
        ])?;
        self.end = ChainPlace { head, bytes };
        Ok(head.0)
    }
}
