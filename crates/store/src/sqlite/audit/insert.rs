//! New rows at the end of the chain, in a transaction of whoever has them.

use rusqlite::{Statement, Transaction, params};

use super::row::{self, ChainPlace};
use crate::audit::chain::RowContent;
use crate::audit::entry_bytes::write_entry;
use crate::{AuditEntry, time};

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

    /// What a journal had of one call, whose row says this.
    pub(super) fn journalled(
        &mut self,
        entry: &AuditEntry,
        weight: u64,
        content: &RowContent,
    ) -> rusqlite::Result<u64> {
        self.end = follow(&mut self.statement, self.end, entry, weight, content)?;
        Ok(self.end.head.0)
    }

    /// An entry that is in no journal; answers its number.
    pub(super) fn own(&mut self, entry: AuditEntry) -> rusqlite::Result<u64> {
        let entry = AuditEntry { at: time::kept(entry.at), ..entry };
        let (said, weight) = (entry.clone(), entry.weight());
        self.journalled(&said, weight, &RowContent::Own(Box::new(entry)))
    }
}

fn follow(
    insert: &mut Statement<'_>,
    last: ChainPlace,
    entry: &AuditEntry,
    weight: u64,
    content: &RowContent,
) -> rusqlite::Result<ChainPlace> {
    let sequence = last.head.0 + 1;
    let hash = content.link(last.head.1, sequence);
    let bytes = last.bytes.saturating_add(weight);
    let mut own = Vec::new();
    let (journal, written) = match content {
        RowContent::Own(entry) => {
            write_entry(entry, &mut own);
            (None, &own)
        }
        RowContent::Journalled(journal, frames) => (Some(journal.as_str()), &frames.0),
    };
    insert.execute(params![
        sequence.cast_signed(),
        time::kept(entry.at).cast_signed(),
        entry.kind.as_str(),
        entry.correlation,
        entry.session,
        entry.server,
        entry.tool,
        entry.outcome,
        hash.0,
        bytes.cast_signed(),
        journal,
        written,
    ])?;
    Ok(ChainPlace { head: (sequence, hash), bytes })
}
