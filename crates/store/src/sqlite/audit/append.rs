//! New rows at the end of the chain.

use rusqlite::{Connection, Statement, Transaction, TransactionBehavior, params};

use super::row::{self, ChainPlace};
use crate::audit::chain::link;
use crate::{AuditEntry, time};

/// By number and not by name: this is the one statement that every call waits for.
const INSERT: &str = "
    INSERT INTO audit (sequence, at, kind, correlation, round, principal, client, role, session,
                       workspace, server, tool, outcome, code, duration_us, hash, bytes, body)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";

pub(super) fn append(connection: &mut Connection, entries: &[AuditEntry]) -> rusqlite::Result<u64> {
    // Immediate: of two processes that append, the second must read the end that the first made.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut last = row::end(&transaction)?;
    {
        let mut insert = transaction.prepare_cached(INSERT)?;
        for entry in entries {
            last = follow(&mut insert, last, entry)?;
        }
    }
    transaction.commit()?;
    Ok(last.head.0)
}

/// One row after this place, in a transaction that does more; answers its number.
pub(super) fn one(
    transaction: &Transaction<'_>,
    end: ChainPlace,
    entry: &AuditEntry,
) -> rusqlite::Result<u64> {
    let mut insert = transaction.prepare_cached(INSERT)?;
    Ok(follow(&mut insert, end, entry)?.head.0)
}

fn follow(
    insert: &mut Statement<'_>,
    last: ChainPlace,
    entry: &AuditEntry,
) -> rusqlite::Result<ChainPlace> {
    let at = time::kept(entry.at);
    let sequence = last.head.0 + 1;
    let hash = link(last.head.1, sequence, entry);
    let bytes = last.bytes.saturating_add(entry.weight());
    insert.execute(params![
        sequence.cast_signed(),
        at.cast_signed(),
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
    ])?;
    Ok(ChainPlace { head: (sequence, hash), bytes })
}
