//! The rows that say which revision an entry spoke: a hint that saves a question, never a promise.

use rusqlite::{Connection, OptionalExtension as _, named_params};
use toolgate_types::Digest;

pub(super) fn find(connection: &Connection, entry: Digest) -> rusqlite::Result<Option<String>> {
    connection
        .query_row(
            "SELECT revision FROM spoken WHERE entry = :entry",
            named_params! { ":entry": entry.0 },
            |row| row.get(0),
        )
        .optional()
}

pub(super) fn keep(connection: &Connection, entry: Digest, revision: &str) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO spoken (entry, revision) VALUES (:entry, :revision)
         ON CONFLICT (entry) DO UPDATE SET revision = excluded.revision",
        named_params! { ":entry": entry.0, ":revision": revision },
    )?;
    Ok(())
}
