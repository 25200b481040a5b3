//! One row of the audit, and the places in the chain that are read without its bodies.

use rusqlite::{Connection, OptionalExtension as _, Row, named_params};
use toolgate_types::Digest;

use super::super::word::word;
use crate::audit::chain::GENESIS;
use crate::{AuditEntry, AuditHead, AuditKind, AuditRow};

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

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let duration_us: Option<i64> = row.get("duration_us")?;
    let entry = AuditEntry {
        at: unsigned(row, "at")?,
        kind: word(row, "kind", AuditKind::parse)?,
        correlation: row.get("correlation")?,
        round: row.get("round")?,
        principal: row.get("principal")?,
        client: row.get("client")?,
        role: row.get("role")?,
        session: row.get("session")?,
        workspace: row.get("workspace")?,
        server: row.get("server")?,
        tool: row.get("tool")?,
        outcome: row.get("outcome")?,
        code: row.get("code")?,
        duration_us: duration_us.map(i64::cast_unsigned),
        body: row.get("body")?,
    };
    Ok(AuditRow { sequence: unsigned(row, "sequence")?, entry, hash: Digest(row.get("hash")?) })
}

pub(super) fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}
