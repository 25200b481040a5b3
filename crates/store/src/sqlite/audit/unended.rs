//! Calls that have a row for their beginning and none for their end, until one comes or nobody can write it any
//! more: then they are concluded, and read "aborted".
//!
//! A process writes several journals one after the other, and holds the lock of one from its first record to
//! its end. So it is gone when all that it wrote are closed, and never before.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, named_params};

use super::super::word::word;
use super::insert::RowInsert;
use super::journals::KeptJournal;
use super::row::{self, unsigned};
use super::verify::is_no_value_of_ours;
use crate::audit::aborted_call;
use crate::audit::entry_bytes::WrittenEntry;
use crate::{AuditEntry, JournalId};

/// Those that are known, while rows are made.
pub(super) struct UnendedCalls<'a> {
    connection: &'a Connection,
    /// Most ends are of calls whose beginning is in the same row: those ask nobody.
    known: HashSet<String>,
}

impl<'a> UnendedCalls<'a> {
    pub(super) fn read(connection: &'a Connection) -> rusqlite::Result<Self> {
        let mut select = connection.prepare_cached("SELECT correlation FROM unended_call")?;
        let known = select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(Self { connection, known })
    }

    /// A row has the beginning of a call alone.
    pub(super) fn begun(
        &mut self,
        call: &WrittenEntry<'_>,
        writer: &JournalId,
        sequence: u64,
    ) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO unended_call (correlation, round, writer, sequence)
                   VALUES (:correlation, :round, :writer, :sequence)";
        self.connection.prepare_cached(sql)?.execute(named_params! {
            ":correlation": call.correlation,
            ":round": call.round,
            ":writer": writer.as_str(),
            ":sequence": sequence.cast_signed(),
        })?;
        self.known.insert(call.correlation.to_owned());
        Ok(())
    }

    /// A row has the end of a call alone.
    pub(super) fn ended(&mut self, call: &WrittenEntry<'_>) -> rusqlite::Result<()> {
        if self.known.contains(call.correlation) {
            let sql =
                "DELETE FROM unended_call WHERE correlation = :correlation AND round = :round";
            let call = named_params! { ":correlation": call.correlation, ":round": call.round };
            self.connection.prepare_cached(sql)?.execute(call)?;
        }
        Ok(())
    }
}

/// A call whose process is gone.
struct LostCall {
    correlation: String,
    round: u32,
    writer: JournalId,
    sequence: u64,
}

/// Ends, for those whom nobody can end any more; whether there were any.
pub(super) fn conclude(
    transaction: &Transaction<'_>,
    journals: &[KeptJournal],
) -> rusqlite::Result<bool> {
    let sql = "SELECT correlation, round, writer, sequence FROM unended_call ORDER BY sequence";
    let mut select = transaction.prepare_cached(sql)?;
    let lost: Vec<LostCall> = select.query_map([], read)?.collect::<Result<_, _>>()?;
    let is_gone = |writer: &JournalId| {
        !journals.iter().any(|journal| !journal.is_closed && journal.writer == *writer)
    };
    let lost: Vec<_> = lost.into_iter().filter(|call| is_gone(&call.writer)).collect();
    for LostCall { correlation, round, sequence, .. } in &lost {
        // Where its row went with old ones, nobody asks for its end.
        if let Some(begun) = beginning(transaction, *sequence)? {
            RowInsert::begin(transaction)?.own(aborted_call(begun))?;
        }
        transaction.execute(
            "DELETE FROM unended_call WHERE correlation = :correlation AND round = :round",
            named_params! { ":correlation": correlation, ":round": round },
        )?;
    }
    Ok(!lost.is_empty())
}

fn read(row: &Row<'_>) -> rusqlite::Result<LostCall> {
    Ok(LostCall {
        correlation: row.get("correlation")?,
        round: row.get("round")?,
        writer: word(row, "writer", JournalId::parse)?,
        sequence: unsigned(row, "sequence")?,
    })
}

fn beginning(connection: &Connection, sequence: u64) -> rusqlite::Result<Option<AuditEntry>> {
    let mut select = connection.prepare_cached("SELECT * FROM audit WHERE sequence = ?1")?;
    match select.query_row([sequence.cast_signed()], row::read).optional() {
        Ok(row) => Ok(row.map(|row| row.entry)),
        // For whoever verifies.
        Err(error) if is_no_value_of_ours(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
