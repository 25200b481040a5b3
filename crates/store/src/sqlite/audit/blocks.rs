//! Summaries of rows, a block of them each, and the way of a search through them: what cannot have what is
//! looked for is passed over.
//!
//! They are made after rows are, of whole blocks alone, by whoever makes rows; what has none yet is looked
//! through. So they can be missing, and only then: `verify` holds them against the rows.

use std::ops::{ControlFlow, RangeInclusive};

use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior};

use super::super::word::unreadable;
use super::row::unsigned;
use crate::AuditEntry;
use crate::audit::block_summary::{BlockSum, BlockSummary, SearchedParts, SoughtInBlocks};
use crate::audit::entry_bytes::body_of;
use crate::journal::KeptFrames;

/// How many rows are a block: the first has those from 1 on.
const ROWS: u64 = 256;

/// How many summaries are made in one transaction: whoever else writes comes in between.
const PORTION: u64 = 256;

const LAST: &str = "SELECT max(number) FROM audit_block";
/// One at a time: asked for both at once, SQLite reads every row.
const ENDS: &str = "SELECT (SELECT min(sequence) FROM audit), (SELECT max(sequence) FROM audit)";
const SEARCHED: &str = "
    SELECT at, correlation, session, server, tool, outcome, journal, written FROM audit
    WHERE sequence BETWEEN ?1 AND ?2";
const KEEP: &str = "
    INSERT OR REPLACE INTO audit_block (number, since, until, names, calls, trios, texts)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const ONE: &str =
    "SELECT number, since, until, names, calls, trios, texts FROM audit_block WHERE number = ?1";
/// Rows in which something may be, from the first number to the last.
pub(super) type RowNumbers = RangeInclusive<u64>;

/// The block of a row.
fn block_of(sequence: u64) -> u64 {
    sequence.saturating_sub(1) / ROWS
}

fn rows_of(block: u64) -> RowNumbers {
    let before = block.saturating_mul(ROWS);
    before.saturating_add(1)..=before.saturating_add(ROWS)
}

/// Sums up the next blocks that are whole and have no summary.
pub(super) fn summarise(connection: &mut Connection) -> rusqlite::Result<()> {
    if lacking(connection)?.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for block in lacking(&transaction)?.take(PORTION as usize) {
        let summary = sum_of(&transaction, rows_of(block))?.summary();
        let BlockSummary { since, until, names, calls, trios, texts } = summary;
        transaction.prepare_cached(KEEP)?.execute((
            block.cast_signed(),
            since.cast_signed(),
            until.cast_signed(),
            names,
            calls,
            trios,
            texts,
        ))?;
    }
    transaction.commit()
}

/// Behind the last summary: which blocks have none and will get no more rows.
fn lacking(connection: &Connection) -> rusqlite::Result<std::ops::Range<u64>> {
    let Some((first, last)) = ends(connection)? else { return Ok(0..0) };
    let last_known: Option<i64> =
        connection.prepare_cached(LAST)?.query_row([], |row| row.get(0))?;
    let next = last_known.map_or(0, |known| known.cast_unsigned().saturating_add(1));
    Ok(next.max(block_of(first))..last / ROWS)
}

fn ends(connection: &Connection) -> rusqlite::Result<Option<(u64, u64)>> {
    connection.prepare_cached(ENDS)?.query_row([], |row| {
        let ends: (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
        let number = |end: i64| end.max(0).cast_unsigned();
        Ok(ends.0.zip(ends.1).map(|(first, last)| (number(first), number(last))))
    })
}

fn sum_of(connection: &Connection, rows: RowNumbers) -> rusqlite::Result<BlockSum> {
    let mut sum = BlockSum::default();
    let mut select = connection.prepare_cached(SEARCHED)?;
    let mut rows = select.query([rows.start().cast_signed(), rows.end().cast_signed()])?;
    while let Some(row) = rows.next()? {
        let text = |column: usize| -> rusqlite::Result<Option<&str>> {
            Ok(row.get_ref(column)?.as_str_or_null()?)
        };
        let written = row.get_ref(7)?.as_blob().unwrap_or_default();
        let entry = match row.get_ref(6)? {
            rusqlite::types::ValueRef::Null => Some(written),
            _ => KeptFrames::last_entry(written),
        };
        sum.add(SearchedParts {
            at: row.get::<_, i64>(0)?.cast_unsigned(),
            correlation: text(1)?.unwrap_or_default(),
            session: text(2)?,
            server: text(3)?,
            tool: text(4)?,
            outcome: text(5)?,
            // What cannot be read is found by nobody, and is for whoever verifies.
            body: entry.and_then(body_of).unwrap_or_default(),
        });
    }
    Ok(sum)
}

/// Visits the rows that a search has to look through, in its order, until it has enough.
pub(super) fn visit_candidates(
    connection: &Connection,
    sought: Option<&SoughtInBlocks>,
    after: u64,
    newest_first: bool,
    mut visit: impl FnMut(RowNumbers) -> rusqlite::Result<ControlFlow<()>>,
) -> rusqlite::Result<()> {
    let Some((first, last)) = ends(connection)? else { return Ok(()) };
    let mut left = first.max(after.saturating_add(1))..=last;
    if let (Some(sought), false) = (sought, left.is_empty()) {
        let mut select = connection.prepare_cached(&summaries(sought, newest_first))?;
        let blocks = [block_of(*left.start()), block_of(*left.end())].map(u64::cast_signed);
        let mut blocks = select.query(blocks)?;
        while let Some(block) = blocks.next()? {
            let rows = rows_of(unsigned(block, "number")?);
            let (start, end) = (*left.start().max(rows.start()), *left.end().min(rows.end()));
            // What has no summary lies between the one before and this one.
            let unknown = match newest_first {
                true => rows.end().saturating_add(1)..=*left.end(),
                false => *left.start()..=rows.start().saturating_sub(1),
            };
            if !unknown.is_empty() && visit(unknown)?.is_break() {
                return Ok(());
            }
            if may_have(block, sought)? && start <= end && visit(start..=end)?.is_break() {
                return Ok(());
            }
            left = match newest_first {
                true => *left.start()..=rows.start().saturating_sub(1),
                false => rows.end().saturating_add(1)..=*left.end(),
            };
        }
    }
    if !left.is_empty() {
        let _all_was_visited = visit(left)?;
    }
    Ok(())
}

/// The summaries, each with no more of it than this search goes by: SQLite reads whatever is named, and texts
/// are most of it.
fn summaries(sought: &SoughtInBlocks, newest_first: bool) -> String {
    let part = |is_wanted, name: &'static str| if is_wanted { name } else { "x''" };
    format!(
        "SELECT number, since, until, {} AS names, {} AS calls, {} AS trios, {} AS texts FROM audit_block
         WHERE number BETWEEN ?1 AND ?2 ORDER BY number {}",
        part(sought.has_names(), "names"),
        part(sought.has_calls(), "calls"),
        part(sought.has_trios(), "trios"),
        part(sought.has_text(), "texts"),
        if newest_first { "DESC" } else { "ASC" },
    )
}

fn may_have(block: &Row<'_>, sought: &SoughtInBlocks) -> rusqlite::Result<bool> {
    let bytes = |column: &'static str| {
        let value = block.get_ref(column)?;
        value.as_blob().map_err(|_| unreadable(block, column, "it is no summary"))
    };
    Ok(sought.may_be_at(unsigned(block, "since")?, unsigned(block, "until")?)
        && sought.may_be_named(bytes("names")?)
        && (!sought.has_calls() || sought.may_be_called(bytes("calls")?))
        && (!sought.has_trios() || sought.may_be_made_of(bytes("trios")?))
        && (!sought.has_text() || sought.may_be_said(bytes("texts")?)))
}

/// Rows on their way past, each block held against its summary.
#[derive(Default)]
pub(super) struct BlockCheck {
    current: Option<(u64, BlockSum)>,
}

impl BlockCheck {
    /// The next row; the number of the first row of a block whose summary hides something.
    pub(super) fn see(
        &mut self,
        connection: &Connection,
        sequence: u64,
        entry: &AuditEntry,
    ) -> rusqlite::Result<Option<u64>> {
        let block = block_of(sequence);
        if self.current.as_ref().is_none_or(|(current, _)| *current != block) {
            self.current = Some((block, BlockSum::default()));
        }
        let Some((_, sum)) = &mut self.current else { return Ok(None) };
        let AuditEntry { at, correlation, session, server, tool, outcome, body, .. } = entry;
        sum.add(SearchedParts {
            at: *at,
            correlation,
            session: session.as_deref(),
            server: server.as_deref(),
            tool: tool.as_deref(),
            outcome: outcome.as_deref(),
            body,
        });
        if sequence != *rows_of(block).end() {
            return Ok(None);
        }
        let kept =
            connection.prepare_cached(ONE)?.query_row([block.cast_signed()], read).optional()?;
        let is_whole = kept.is_none_or(|kept| sum.is_covered_by(&kept));
        Ok((!is_whole).then(|| *rows_of(block).start()))
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<BlockSummary> {
    Ok(BlockSummary {
        since: unsigned(row, "since")?,
        until: unsigned(row, "until")?,
        names: row.get("names")?,
        calls: row.get("calls")?,
        trios: row.get("trios")?,
        texts: row.get("texts")?,
    })
}

/// Rows up to this one are gone, and so is what was said of them.
pub(super) fn forget_up_to(connection: &Connection, sequence: u64) -> rusqlite::Result<()> {
    let gone = block_of(sequence.saturating_add(1));
    connection.execute("DELETE FROM audit_block WHERE number < ?1", [gone.cast_signed()])?;
    Ok(())
}
