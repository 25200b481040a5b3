//! The rows of what servers say of how to use them: one per server.

use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, named_params};
use toolgate_types::PinnedBy;

use super::super::word::word;
use super::root;
use crate::{ObservedInstructions, PinKey, PinnedInstructions};

pub(super) fn find(
    connection: &Connection,
    key: &PinKey,
) -> rusqlite::Result<Option<PinnedInstructions>> {
    let mut query = connection.prepare_cached(
        "SELECT accepted, accepted_at, pinned_by, live, seen_at FROM pin_instructions
         WHERE root = :root AND server = :server",
    )?;
    let params = named_params! { ":root": root(key), ":server": key.server.as_str() };
    query.query_row(params, read).optional()
}

pub(super) fn keep(
    connection: &Connection,
    key: &PinKey,
    pin: &PinnedInstructions,
) -> rusqlite::Result<()> {
    let PinnedInstructions { accepted, accepted_at, by, live, seen_at } = pin;
    connection.execute(
        "INSERT INTO pin_instructions
             (root, server, accepted_at, pinned_by, seen_at, accepted, live)
         VALUES (:root, :server, :accepted_at, :by, :seen_at, :accepted, :live)
         ON CONFLICT (root, server) DO UPDATE SET
             accepted_at = excluded.accepted_at, pinned_by = excluded.pinned_by,
             seen_at = excluded.seen_at, accepted = excluded.accepted, live = excluded.live",
        named_params! {
            ":root": root(key),
            ":server": key.server.as_str(),
            ":accepted_at": accepted_at.cast_signed(),
            ":by": by.as_str(),
            ":seen_at": seen_at.map(u64::cast_signed),
            ":accepted": accepted,
            ":live": live,
        },
    )?;
    Ok(())
}

pub(super) fn observe(
    connection: &mut Connection,
    key: &PinKey,
    said: &str,
    at: u64,
) -> rusqlite::Result<ObservedInstructions> {
    // Mostly nothing is new, and then nobody is waited for.
    let observed = ObservedInstructions::of(find(connection, key)?, said, at);
    if !observed.is_changed {
        return Ok(observed);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let observed = ObservedInstructions::of(find(&transaction, key)?, said, at);
    keep(&transaction, key, &observed.pin)?;
    transaction.commit()?;
    Ok(observed)
}

pub(super) fn forget(connection: &Connection, key: &PinKey) -> rusqlite::Result<usize> {
    connection.execute(
        "DELETE FROM pin_instructions WHERE root = :root AND server = :server",
        named_params! { ":root": root(key), ":server": key.server.as_str() },
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<PinnedInstructions> {
    let (accepted_at, seen_at): (i64, Option<i64>) = (row.get("accepted_at")?, row.get("seen_at")?);
    Ok(PinnedInstructions {
        accepted: row.get("accepted")?,
        accepted_at: accepted_at.cast_unsigned(),
        by: word(row, "pinned_by", PinnedBy::parse)?,
        live: row.get("live")?,
        seen_at: seen_at.map(i64::cast_unsigned),
    })
}
