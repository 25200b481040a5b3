//! The audit as its first table had it, before there were journals: what an upgrade reads and writes.
//!
//! Nothing here changes any more: a released step of the schema uses it.

use rusqlite::types::Value;
use rusqlite::{Row, Transaction, params};

use super::super::word::word;
use super::insert::RowInsert;
use super::row::{self, ChainPlace, Checkpoint, unsigned};
use crate::audit::chain::link;
use crate::audit::entry_bytes::WrittenEntry;
use crate::{AuditEntry, AuditKind, AuditPruning, PruningRule, time};

const INSERT: &str = "
    INSERT INTO audit (sequence, at, kind, correlation, round, principal, client, role, session,
                       workspace, server, tool, outcome, code, duration_us, hash, bytes, body)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

/// Says of a file from before prunings were recorded what can be said: that rows are gone.
pub(in crate::sqlite) fn record_what_went_before(
    transaction: &Transaction<'_>,
    now: u64,
) -> rusqlite::Result<()> {
    let Some(Checkpoint { place, at, record: None }) = row::checkpoint(transaction)? else {
        return Ok(());
    };
    let rows = place.head.0;
    let rule = PruningRule::Unrecorded;
    let pruning = AuditPruning { first: 1, last: place.head, rows, until: at, rule };
    let record = append(transaction, row::end(transaction)?, &pruning.entry(now))?;
    row::keep_checkpoint(transaction, place, at, record)
}

/// One row after this place; answers its number.
fn append(
    transaction: &Transaction<'_>,
    last: ChainPlace,
    entry: &AuditEntry,
) -> rusqlite::Result<u64> {
    let sequence = last.head.0 + 1;
    let hash = link(last.head.1, sequence, entry);
    let bytes = last.bytes.saturating_add(entry.weight());
    transaction.execute(
        INSERT,
        params![
            sequence.cast_signed(),
            time::kept(entry.at).cast_signed(),
            entry.kind.as_str(),
            entry.correlation,
            entry.round,
            entry.principal,
            entry.client,
            entry.role,
            entry.session,
            entry.workspace,
            entry.server,
            entry.tool,
            entry.outcome,
            entry.code,
            entry.duration_us.map(u64::cast_signed),
            hash.0,
            bytes.cast_signed(),
            entry.body,
        ],
    )?;
    Ok(sequence)
}

/// Every row of the table `audit_before` into the one that is there now, with its number, its hash and what
/// it says. What cannot be read stays what it is: a row that says nothing, where whoever verifies stops.
pub(in crate::sqlite) fn take_over(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut select = transaction.prepare("SELECT * FROM audit_before ORDER BY sequence")?;
    let mut rows = select.query([])?;
    let mut insert = transaction.prepare(RowInsert::SQL)?;
    while let Some(row) = rows.next()? {
        let mut written = Vec::new();
        if let Ok(entry) = read(row) {
            WrittenEntry::from(&entry).write(&mut written);
        }
        let kept = |column| row.get::<_, Value>(column);
        insert.execute(params![
            kept("sequence")?,
            kept("at")?,
            kept("kind")?,
            kept("correlation")?,
            kept("session")?,
            kept("server")?,
            kept("tool")?,
            kept("outcome")?,
            kept("hash")?,
            kept("bytes")?,
            None::<&str>,
            written,
        ])?;
    }
    drop(rows);
    transaction.execute_batch("DROP TABLE audit_before")
}

fn read(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    let duration_us: Option<i64> = row.get("duration_us")?;
    Ok(AuditEntry {
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
    })
}
