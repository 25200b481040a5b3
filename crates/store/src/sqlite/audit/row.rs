//! One row of the audit, and the places in the chain that are read without its bodies.

use rusqlite::{Connection, OptionalExtension as _, Row, named_params};
use toolgate_types::Digest;

use super::super::word::{optional_word, unreadable, word};
use crate::audit::chain::{GENESIS, RowContent};
use crate::audit::entry_bytes::WrittenEntry;
use crate::journal::KeptFrames;
use crate::{AuditEntry, AuditHead, AuditKind, AuditRow, JournalHead, JournalId};

/// A place in the chain and what all rows up to it weigh together, those long gone included.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChainPlace {
    pub(super) head: AuditHead,
    pub(super) bytes: u64,
}

/// The last row that was taken away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checkpoint {
    pub(super) place: ChainPlace,
    /// Its time.
    pub(super) at: u64,
    /// The number of the row that says so; none in a file from before there were such rows.
    pub(super) record: Option<u64>,
}

/// What the first row follows, if rows were ever taken away.
pub(super) fn checkpoint(connection: &Connection) -> rusqlite::Result<Option<Checkpoint>> {
    let sql = "SELECT sequence, hash, bytes, at, record FROM audit_checkpoint";
    let read = |row: &Row<'_>| {
        let record: Option<i64> = row.get("record")?;
        let (place, at) = (place(row)?, unsigned(row, "at")?);
        Ok(Checkpoint { place, at, record: record.map(i64::cast_unsigned) })
    };
    connection.prepare_cached(sql)?.query_row([], read).optional()
}

pub(super) fn keep_checkpoint(
    connection: &Connection,
    ChainPlace { head: (sequence, hash), bytes }: ChainPlace,
    at: u64,
    record: u64,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO audit_checkpoint (id, sequence, hash, bytes, at, record)
         VALUES (1, :sequence, :hash, :bytes, :at, :record)
         ON CONFLICT (id) DO UPDATE SET
             sequence = excluded.sequence, hash = excluded.hash,
             bytes = excluded.bytes, at = excluded.at, record = excluded.record",
        named_params! {
            ":sequence": sequence.cast_signed(),
            ":hash": hash.0,
            ":bytes": bytes.cast_signed(),
            ":at": at.cast_signed(),
            ":record": record.cast_signed(),
        },
    )?;
    Ok(())
}

/// What the next row follows.
pub(super) fn end(connection: &Connection) -> rusqlite::Result<ChainPlace> {
    let sql = "SELECT sequence, hash, bytes FROM audit ORDER BY sequence DESC LIMIT 1";
    let last = connection.prepare_cached(sql)?.query_row([], place).optional()?;
    let last = match last {
        Some(last) => Some(last),
        None => checkpoint(connection)?.map(|checkpoint| checkpoint.place),
    };
    Ok(last.unwrap_or(ChainPlace { head: GENESIS, bytes: 0 }))
}

pub(super) fn place(row: &Row<'_>) -> rusqlite::Result<ChainPlace> {
    Ok(ChainPlace {
        head: (unsigned(row, "sequence")?, Digest(row.get("hash")?)),
        bytes: unsigned(row, "bytes")?,
    })
}

/// A row with everything that its hash is over.
pub(super) struct StoredRow {
    pub(super) row: AuditRow,
    pub(super) content: RowContent,
    /// The entries of a journal that it was made of.
    pub(super) made_of: Vec<JournalHead>,
    /// Whether the columns that are searched say what was written.
    pub(super) is_found_by_what_it_says: bool,
}

pub(super) fn read_stored(row: &Row<'_>) -> rusqlite::Result<StoredRow> {
    let journal = optional_word(row, "journal", JournalId::parse)?;
    let written: Vec<u8> = row.get("written")?;
    let no_entry = || unreadable(row, "written", "it is no record");
    let (content, entry, weight, made_of) = match journal {
        None => {
            let entry = WrittenEntry::read(&written).ok_or_else(no_entry)?.to_entry();
            let weight = entry.weight();
            (RowContent::Own(Box::new(entry.clone())), entry, weight, Vec::new())
        }
        Some(journal) => {
            let frames = KeptFrames::read(written).ok_or_else(no_entry)?;
            let said = frames.entries().ok_or_else(no_entry)?;
            let weight = said.iter().map(WrittenEntry::weight).sum();
            let entry = said.last().ok_or_else(no_entry)?.to_entry();
            let head = |(entry, hash)| JournalHead { journal: journal.clone(), entry, hash };
            let made_of = frames.heads().map(head).collect();
            (RowContent::Journalled(journal, frames), entry, weight, made_of)
        }
    };
    let is_found_by_what_it_says = is_found_by(row, &entry)?;
    let (sequence, hash) = (unsigned(row, "sequence")?, Digest(row.get("hash")?));
    let was_opened = made_of.len() > 1;
    let row = AuditRow { sequence, entry, hash, was_opened, weight };
    Ok(StoredRow { row, content, made_of, is_found_by_what_it_says })
}

/// For whoever searches: a row that lies about what is in it is none of ours.
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let stored = read_stored(row)?;
    if !stored.is_found_by_what_it_says {
        return Err(unreadable(row, "written", "it is not what the row is found by"));
    }
    Ok(stored.row)
}

fn is_found_by(row: &Row<'_>, entry: &AuditEntry) -> rusqlite::Result<bool> {
    let is = |column: &str, said: &Option<String>| {
        Ok::<_, rusqlite::Error>(row.get::<_, Option<String>>(column)? == *said)
    };
    Ok(unsigned(row, "at")? == entry.at
        && word(row, "kind", AuditKind::parse)? == entry.kind
        && row.get::<_, String>("correlation")? == entry.correlation
        && is("session", &entry.session)?
        && is("server", &entry.server)?
        && is("tool", &entry.tool)?
        && is("outcome", &entry.outcome)?)
}

pub(super) fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}
