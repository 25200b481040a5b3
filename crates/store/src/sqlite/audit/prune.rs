//! Taking the beginning of the chain away, with a row at its end that stands for it.

use rusqlite::{
    Connection, OptionalExtension as _, Transaction, TransactionBehavior, named_params,
};

use super::blocks::forget_up_to;
use super::insert::RowInsert;
use super::row::{self, ChainPlace, Checkpoint, StoredRow};
use super::verify::is_no_value_of_ours;
use crate::audit::chain::ChainWalk;
use crate::audit::stands_for;
use crate::{AuditPruning, AuditRetention, AuditRow, PruningRule, time};

/// How many rows go at a time: a few milliseconds of writing.
const PORTION: u16 = 2000;

/// Row by row from the oldest, so that it costs as much as there is to take away.
const FIRST_YOUNG: &str = "SELECT sequence FROM audit WHERE at >= :value ORDER BY sequence LIMIT 1";
const FIRST_ENOUGH: &str =
    "SELECT sequence FROM audit WHERE bytes >= :value ORDER BY sequence LIMIT 1";

/// Rows about prunings alone are not worth another one: there would be no end of it.
const LAST_OF_CALLS: &str = "
    SELECT sequence FROM audit WHERE sequence <= :value AND kind <> 'pruning'
    ORDER BY sequence DESC LIMIT 1";

const PORTION_OF_ROWS: &str =
    "SELECT * FROM audit WHERE sequence <= :last ORDER BY sequence LIMIT :portion";

/// What is to go, and by which rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct PruneTarget {
    last: u64,
    is_by_size: bool,
    now: u64,
    retention: AuditRetention,
}

/// Up to the last row that is too old or one too many.
pub(super) fn target(
    connection: &mut Connection,
    now: u64,
    retention: AuditRetention,
) -> rusqlite::Result<Option<PruneTarget>> {
    let transaction = connection.transaction()?;
    let end = row::end(&transaction)?;
    let first = |sql, value: u64| {
        let mut select = transaction.prepare_cached(sql)?;
        let value = named_params! { ":value": value.cast_signed() };
        select.query_row(value, |row| row::unsigned(row, "sequence")).optional()
    };
    let keep_since = time::kept(now).saturating_sub(retention.max_age_ms);
    let young = first(FIRST_YOUNG, keep_since)?;
    let too_old = young.map_or(end.head.0, |young| young.saturating_sub(1));
    // What goes must weigh this much, counted from the very first row there ever was.
    let must_go = end.bytes.saturating_sub(retention.max_bytes);
    let gone = row::checkpoint(&transaction)?.map_or(0, |checkpoint| checkpoint.place.bytes);
    let too_many = if must_go > gone { first(FIRST_ENOUGH, must_go)? } else { None };
    let too_many = too_many.unwrap_or(0);
    let last = first(LAST_OF_CALLS, too_old.max(too_many))?;
    let target = |last| PruneTarget { last, is_by_size: too_many > too_old, now, retention };
    Ok(last.map(target))
}

/// Takes the next rows up to the target away; 0 when none is left, or none that may go.
pub(super) fn cut(connection: &mut Connection, target: PruneTarget) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let checkpoint = row::checkpoint(&transaction)?;
    if let Some(checkpoint) = &checkpoint
        && !is_recorded(&transaction, checkpoint)?
    {
        return Ok(0);
    }
    let before = checkpoint.map(|checkpoint| checkpoint.place.head);
    let Some((last, rows)) = whole_beginning(&transaction, target, before)? else { return Ok(0) };
    let bytes = transaction.query_row(
        "SELECT bytes FROM audit WHERE sequence = ?1",
        [last.sequence.cast_signed()],
        |row| row::unsigned(row, "bytes"),
    )?;
    let AuditRetention { max_age_ms, max_bytes } = target.retention;
    let rule = match target.is_by_size {
        true => PruningRule::Size { max_bytes, last_bytes: last.weight },
        false => PruningRule::Age { max_age_ms },
    };
    let head = (last.sequence, last.hash);
    let first = before.map_or(0, |(sequence, _)| sequence) + 1;
    let pruning = AuditPruning { first, last: head, rows, until: last.entry.at, rule };
    let record = RowInsert::begin(&transaction)?.own(pruning.entry(target.now))?;
    let at = last.entry.at;
    row::keep_checkpoint(&transaction, ChainPlace { head, bytes }, at, record)?;
    let gone = transaction.execute(
        "DELETE FROM audit WHERE sequence <= :sequence",
        named_params! { ":sequence": last.sequence.cast_signed() },
    )?;
    forget_up_to(&transaction, last.sequence)?;
    transaction.commit()?;
    Ok(gone as u64)
}

/// Whether what is gone already is accounted for.
fn is_recorded(transaction: &Transaction<'_>, checkpoint: &Checkpoint) -> rusqlite::Result<bool> {
    let Some(record) = checkpoint.record else { return Ok(false) };
    let mut select = transaction.prepare_cached("SELECT * FROM audit WHERE sequence = ?1")?;
    match select.query_row([record.cast_signed()], row::read).optional() {
        Ok(row) => Ok(row.is_some_and(|row| stands_for(&row, checkpoint.place.head))),
        Err(error) if is_no_value_of_ours(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The last row of the next portion and how many there are, if all follow one another from the
/// checkpoint on.
fn whole_beginning(
    transaction: &Transaction<'_>,
    target: PruneTarget,
    before: Option<crate::AuditHead>,
) -> rusqlite::Result<Option<(AuditRow, u64)>> {
    let mut walk = ChainWalk::begin(before, None);
    let mut select = transaction.prepare_cached(PORTION_OF_ROWS)?;
    let portion = named_params! { ":last": target.last.cast_signed(), ":portion": PORTION };
    let mut found = select.query(portion)?;
    let (mut last, mut rows) = (None, 0);
    while let Some(row) = found.next()? {
        match row::read_stored(row) {
            Ok(StoredRow { row, content, is_found_by_what_it_says: true, .. })
                if walk.step(row.sequence, row.hash, &content).is_ok() =>
            {
                last = Some(row);
            }
            Ok(_) => return Ok(None),
            Err(error) if is_no_value_of_ours(&error) => return Ok(None),
            Err(error) => return Err(error),
        }
        rows += 1;
    }
    Ok(last.map(|last| (last, rows)))
}
