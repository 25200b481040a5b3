//! Taking the beginning of the chain away, with a checkpoint that stands for it.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, named_params};

use super::row::{self, Place};
use crate::time;

/// How many rows go at a time: a few milliseconds of writing.
const PORTION: u16 = 2000;

/// Row by row from the oldest, so that it costs as much as there is to take away; by their index
/// it would cost as much as there is to keep.
const FIRST_YOUNG: &str =
    "SELECT sequence FROM audit NOT INDEXED WHERE at >= :since ORDER BY sequence LIMIT 1";
const FIRST_ENOUGH: &str =
    "SELECT sequence FROM audit NOT INDEXED WHERE bytes >= :bytes ORDER BY sequence LIMIT 1";

const LAST_OF_PORTION: &str = "
    SELECT sequence, hash, bytes, at FROM
        (SELECT sequence, hash, bytes, at FROM audit WHERE sequence <= :last
         ORDER BY sequence LIMIT :portion)
    ORDER BY sequence DESC LIMIT 1";

/// The number of the last row that is too old or one too many.
pub(super) fn last_to_go(
    connection: &mut Connection,
    keep_since: u64,
    keep_bytes: u64,
) -> rusqlite::Result<u64> {
    let transaction = connection.transaction()?;
    let end = row::end(&transaction)?;
    let first = |sql, name, value: u64| {
        let params: &[(&str, &dyn rusqlite::ToSql)] = &[(name, &value.cast_signed())];
        let mut select = transaction.prepare_cached(sql)?;
        select.query_row(params, |row| row::unsigned(row, "sequence")).optional()
    };
    let young = first(FIRST_YOUNG, ":since", time::kept(keep_since))?;
    let too_old = young.map_or(end.head.0, |young| young.saturating_sub(1));
    // What goes must weigh this much, counted from the very first row there ever was.
    let must_go = end.bytes.saturating_sub(keep_bytes);
    let gone = row::checkpoint(&transaction)?.map_or(0, |place| place.bytes);
    let too_many = if must_go > gone { first(FIRST_ENOUGH, ":bytes", must_go)? } else { None };
    Ok(too_old.max(too_many.unwrap_or(0)))
}

/// Takes the next rows up to this number away; 0 when none is left.
pub(super) fn remove(connection: &mut Connection, last: u64) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = transaction
        .query_row(
            LAST_OF_PORTION,
            named_params! { ":last": last.cast_signed(), ":portion": PORTION },
            |row| Ok((row::place(row)?, row::unsigned(row, "at")?)),
        )
        .optional()?;
    let Some((Place { head: (sequence, hash), bytes }, at)) = found else { return Ok(0) };
    transaction.execute(
        "INSERT INTO audit_checkpoint (id, sequence, hash, bytes, at)
         VALUES (1, :sequence, :hash, :bytes, :at)
         ON CONFLICT (id) DO UPDATE SET
             sequence = excluded.sequence, hash = excluded.hash,
             bytes = excluded.bytes, at = excluded.at",
        named_params! {
            ":sequence": sequence.cast_signed(),
            ":hash": hash.0,
            ":bytes": bytes.cast_signed(),
            ":at": at.cast_signed(),
        },
    )?;
    let gone = transaction.execute(
        "DELETE FROM audit WHERE sequence <= :sequence",
        named_params! { ":sequence": sequence.cast_signed() },
    )?;
    transaction.commit()?;
    Ok(gone as u64)
}
