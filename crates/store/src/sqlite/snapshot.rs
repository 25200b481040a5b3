//! The rows of the snapshots: one per key, the newest of them, and no more than there is room for.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, named_params};
use toolgate_types::Digest;

use crate::Snapshot;
use crate::snapshot::MOST;

/// The one just kept stays whatever its time: after a clock was set back it would otherwise be
/// the oldest, and nothing new could be kept any more. What is negative here is a time too large
/// for a signed integer, so it is the newest.
const PRUNE: &str = "
    DELETE FROM snapshot WHERE key IN (
        SELECT key FROM snapshot WHERE key <> :just_kept
        ORDER BY taken_at < 0 DESC, taken_at DESC, key DESC
        LIMIT -1 OFFSET :others)";

pub(super) fn find(connection: &Connection, key: Digest) -> rusqlite::Result<Option<Snapshot>> {
    connection
        .query_row(
            "SELECT body, taken_at FROM snapshot WHERE key = :key",
            named_params! { ":key": key.0 },
            |row| {
                Ok(Snapshot {
                    body: row.get("body")?,
                    taken_at: row.get::<_, i64>("taken_at")?.cast_unsigned(),
                })
            },
        )
        .optional()
}

pub(super) fn keep(
    connection: &mut Connection,
    key: Digest,
    snapshot: &Snapshot,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "INSERT INTO snapshot (key, taken_at, body) VALUES (:key, :at, :body)
         ON CONFLICT (key) DO UPDATE SET taken_at = excluded.taken_at, body = excluded.body",
        named_params! {
            ":key": key.0,
            // SQLite has no unsigned integers; the bits come back as they went.
            ":at": snapshot.taken_at.cast_signed(),
            ":body": snapshot.body,
        },
    )?;
    prune(&transaction, key)?;
    transaction.commit()
}

pub(super) fn forget(connection: &Connection, key: Digest) -> rusqlite::Result<bool> {
    let removed = connection
        .execute("DELETE FROM snapshot WHERE key = :key", named_params! { ":key": key.0 })?;
    Ok(removed > 0)
}

fn prune(connection: &Connection, just_kept: Digest) -> rusqlite::Result<()> {
    let params = named_params! { ":just_kept": just_kept.0, ":others": MOST - 1 };
    connection.execute(PRUNE, params).map(|_| ())
}

#[cfg(test)]
mod tests;
