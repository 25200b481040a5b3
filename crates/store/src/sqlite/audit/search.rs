//! Finding rows: a statement of just the conditions that are given, so that an index can serve it.

use rusqlite::{Connection, ToSql};

use super::row;
use crate::{AuditQuery, AuditRow, time};

/// Rows lie in the order they came, which is nearly that of their times but not quite: several
/// processes write, and clocks are set. So the times only say between which rows to look, off an
/// index that holds nothing else, and each row is still asked for its own.
const BETWEEN: &str = "
    sequence BETWEEN (SELECT min(sequence) FROM audit WHERE at BETWEEN :since AND :until)
                 AND (SELECT max(sequence) FROM audit WHERE at BETWEEN :since AND :until)
    AND +at BETWEEN :since AND :until";

/// In all that was written; which part of it is looked at afterwards.
const CONTAINS: &str = "instr(written, CAST(:grep AS BLOB)) > 0";

pub(super) fn search(
    connection: &Connection,
    query: &AuditQuery,
) -> rusqlite::Result<Vec<AuditRow>> {
    let times = times(query);
    let after = query.after_sequence.map(signed);
    let mut conditions = vec!["true"];
    let mut values: Vec<(&str, &dyn ToSql)> = Vec::new();
    if let Some((since, until)) = &times {
        conditions.push(BETWEEN);
        values.extend([(":since", since as &dyn ToSql), (":until", until)]);
    }
    if let Some(after) = &after {
        conditions.push("sequence > :after");
        values.push((":after", after));
    }
    for (name, condition, wanted) in [
        (":correlation", "correlation = :correlation", &query.correlation),
        (":server", "server = :server", &query.server),
        (":tool", "tool = :tool", &query.tool),
        (":outcome", "outcome = :outcome", &query.outcome),
        (":session", "session = :session", &query.session),
        (":grep", CONTAINS, &query.grep),
    ] {
        if let Some(wanted) = wanted {
            conditions.push(condition);
            values.push((name, wanted));
        }
    }
    let mut statement = connection.prepare(&statement(&conditions, query.newest_first))?;
    let mut rows = statement.query(values.as_slice())?;
    let mut found = Vec::new();
    while found.len() < query.limit
        && let Some(row) = rows.next()?
    {
        let row = row::read(row)?;
        if query.grep.is_none() || query.finds(&row) {
            found.push(row);
        }
    }
    Ok(found)
}

fn statement(conditions: &[&str], newest_first: bool) -> String {
    let order = if newest_first { "DESC" } else { "ASC" };
    let conditions = conditions.join(" AND ");
    format!("SELECT * FROM audit WHERE {conditions} ORDER BY sequence {order}")
}

/// From when to when; `None` where the times do not matter.
fn times(query: &AuditQuery) -> Option<(i64, i64)> {
    if query.since.is_none() && query.until.is_none() {
        return None;
    }
    Some((signed(query.since.unwrap_or(0)), signed(query.until.unwrap_or(u64::MAX))))
}

fn signed(number: u64) -> i64 {
    time::kept(number).cast_signed()
}

#[cfg(test)]
mod tests;
