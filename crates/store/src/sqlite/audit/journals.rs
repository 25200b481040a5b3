//! Which journals there are, and how far each is in the index.

use rusqlite::{Connection, Row, named_params};
use toolgate_types::Digest;

use super::super::word::word;
use super::row::unsigned;
use crate::JournalId;
use crate::journal::JournalPlace;

/// A journal as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptJournal {
    pub(super) id: JournalId,
    /// The first journal of the process that writes it, which may have others.
    pub(super) writer: JournalId,
    /// What is before it is in rows.
    pub(super) place: JournalPlace,
    /// All of it is in rows, and its file may go.
    pub(super) is_closed: bool,
}

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<KeptJournal>> {
    let sql = "SELECT id, coalesce(writer, id) AS writer, read_to, entries, hash, is_closed
               FROM journal ORDER BY begun_at, id";
    connection.prepare_cached(sql)?.query_map([], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<KeptJournal> {
    let hash = Digest(row.get("hash")?);
    let place = JournalPlace {
        offset: unsigned(row, "read_to")?,
        entries: unsigned(row, "entries")?,
        hash,
    };
    let journal = |column| word(row, column, JournalId::parse);
    let (id, writer, is_closed) = (journal("id")?, journal("writer")?, row.get("is_closed")?);
    Ok(KeptJournal { id, writer, place, is_closed })
}

/// One that begins now, after all that are there whatever clocks say: in this order they are read. Until it
/// is known here, nothing is written to it.
pub(super) fn register(
    connection: &Connection,
    id: &JournalId,
    writer: &JournalId,
    at: u64,
) -> rusqlite::Result<()> {
    let JournalPlace { offset, entries, hash } = JournalPlace::START;
    connection.execute(
        "INSERT INTO journal (id, begun_at, read_to, entries, hash, is_closed, writer)
         SELECT :id, max(:at, coalesce(max(begun_at) + 1, 0)), :read_to, :entries, :hash, false, :writer
         FROM journal",
        named_params! {
            ":id": id.as_str(),
            ":writer": writer.as_str(),
            ":at": at.cast_signed(),
            ":read_to": offset.cast_signed(),
            ":entries": entries.cast_signed(),
            ":hash": hash.0,
        },
    )?;
    Ok(())
}

/// What is before this place is in rows now; all there will ever be of it, where it is closed.
pub(super) fn keep_place(connection: &Connection, journal: &KeptJournal) -> rusqlite::Result<()> {
    let KeptJournal { id, writer: _, place, is_closed } = journal;
    let sql = "UPDATE journal SET read_to = :read_to, entries = :entries, hash = :hash,
                      is_closed = :is_closed WHERE id = :id";
    connection.prepare_cached(sql)?.execute(named_params! {
        ":id": id.as_str(),
        ":read_to": place.offset.cast_signed(),
        ":entries": place.entries.cast_signed(),
        ":hash": place.hash.0,
        ":is_closed": is_closed,
    })?;
    Ok(())
}

/// Its file is gone, as it should be.
pub(super) fn forget(connection: &Connection, id: &JournalId) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM journal WHERE id = ?1", [id.as_str()])?;
    Ok(())
}
