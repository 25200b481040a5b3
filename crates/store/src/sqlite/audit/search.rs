//! Finding rows: those that may have what is looked for are looked through, in the order that is wanted and
//! only until there are enough.

use std::ops::ControlFlow;

use rusqlite::{Connection, ToSql};

use super::blocks::{RowNumbers, visit_candidates};
use super::row;
use crate::audit::block_summary::SoughtInBlocks;
use crate::{AuditQuery, AuditRow, time};

/// In all that was written; which part of it is looked at afterwards.
const CONTAINS: &str = "instr(written, CAST(:grep AS BLOB)) > 0";

pub(super) fn search(
    connection: &Connection,
    query: &AuditQuery,
) -> rusqlite::Result<Vec<AuditRow>> {
    let times = times(query);
    let mut conditions = vec!["sequence BETWEEN :first AND :last"];
    let mut values: Vec<(&str, &dyn ToSql)> = Vec::new();
    if let Some((since, until)) = &times {
        conditions.push("at BETWEEN :since AND :until");
        values.extend([(":since", since as &dyn ToSql), (":until", until)]);
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
    let mut found = Vec::new();
    if query.limit == 0 {
        return Ok(found);
    }
    let mut statement = connection.prepare(&statement(&conditions, query.newest_first))?;
    let look_through = |rows: RowNumbers| {
        let (first, last) = (signed(*rows.start()), signed(*rows.end()));
        let bounds: [(&str, &dyn ToSql); 2] = [(":first", &first), (":last", &last)];
        let mut rows =
            statement.query([bounds.as_slice(), values.as_slice()].concat().as_slice())?;
        while let Some(row) = rows.next()? {
            let row = row::read(row)?;
            if query.grep.is_none() || query.finds(&row) {
                found.push(row);
            }
            if found.len() >= query.limit {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    };
    let (sought, after) = (SoughtInBlocks::of(query), query.after_sequence.unwrap_or(0));
    visit_candidates(connection, sought.as_ref(), after, query.newest_first, look_through)?;
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
