//! The rows of packages as they were fixed: one per server.

use rusqlite::{Connection, OptionalExtension as _, named_params};
use toolgate_types::Digest;

use super::pin::root;
use crate::{PackageLock, PinKey};

pub(super) fn find(connection: &Connection, key: &PinKey) -> rusqlite::Result<Option<PackageLock>> {
    let read = |row: &rusqlite::Row<'_>| {
        Ok(PackageLock { wanted: Digest(row.get(0)?), lock: row.get(1)? })
    };
    connection
        .query_row(
            "SELECT wanted, lock FROM package_lock WHERE root = :root AND server = :server",
            named_params! { ":root": root(key), ":server": key.server.as_str() },
            read,
        )
        .optional()
}

pub(super) fn keep(
    connection: &Connection,
    key: &PinKey,
    PackageLock { wanted, lock }: &PackageLock,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO package_lock (root, server, wanted, lock)
         VALUES (:root, :server, :wanted, :lock)
         ON CONFLICT (root, server) DO UPDATE SET
             wanted = excluded.wanted, lock = excluded.lock",
        named_params! {
            ":root": root(key),
            ":server": key.server.as_str(),
            ":wanted": wanted.0,
            ":lock": lock,
        },
    )?;
    Ok(())
}

pub(super) fn forget(connection: &Connection, key: &PinKey) -> rusqlite::Result<bool> {
    let gone = connection.execute(
        "DELETE FROM package_lock WHERE root = :root AND server = :server",
        named_params! { ":root": root(key), ":server": key.server.as_str() },
    )?;
    Ok(gone > 0)
}
