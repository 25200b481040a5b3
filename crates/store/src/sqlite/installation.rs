//! The row of the installation's key: written once, by whoever comes first, and never again.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, named_params};

use crate::InstallationKey;

const SELECT: &str = "SELECT key FROM installation WHERE id = 1";

pub(super) fn find(connection: &Connection) -> rusqlite::Result<Option<InstallationKey>> {
    let found = connection.query_row(SELECT, [], |row| row.get(0)).optional()?;
    Ok(found.map(InstallationKey::recorded))
}

/// The key that is kept from now on: `fresh`, unless another process was faster.
pub(super) fn keep_first(
    connection: &mut Connection,
    fresh: &InstallationKey,
) -> rusqlite::Result<InstallationKey> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "INSERT INTO installation (id, key) VALUES (1, :key) ON CONFLICT (id) DO NOTHING",
        named_params! { ":key": fresh.as_bytes() },
    )?;
    let kept = transaction.query_row(SELECT, [], |row| row.get(0))?;
    transaction.commit()?;
    Ok(InstallationKey::recorded(kept))
}
