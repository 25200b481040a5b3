//! From rows to calls: one row for each, whether it has ended or not.

use std::collections::HashMap;

use toolgate_store::{AuditKind, AuditLog, AuditQuery, AuditRow, StoreError};

/// The newest calls that a query finds, the newest last: the end of each, or where it has none the
/// last row of it.
pub async fn newest_calls(
    log: &dyn AuditLog,
    query: &AuditQuery,
    most: usize,
) -> Result<Vec<AuditRow>, StoreError> {
    // A call has an end, and often a beginning too; where it has more rows, more are read.
    let mut limit = most.saturating_mul(2);
    let rows = loop {
        let query = AuditQuery { limit, newest_first: true, ..query.clone() };
        let rows = log.audit(query).await?;
        let is_all = rows.len() < limit;
        let mut last = last_of_each(rows);
        if is_all || last.len() >= most {
            last.truncate(most);
            break last;
        }
        limit = limit.saturating_mul(2);
    };
    let mut calls = Vec::with_capacity(rows.len());
    for row in rows.into_iter().rev() {
        calls.push(ended(log, row).await?);
    }
    calls.sort_by_key(|row| row.sequence);
    Ok(calls)
}

/// One row for each call, its end where it is among them, in the order they came.
fn last_of_each(rows: Vec<AuditRow>) -> Vec<AuditRow> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut last: Vec<AuditRow> = Vec::new();
    // What is about no call is for `verify`, `export` and `show`.
    for row in rows.into_iter().filter(|row| row.entry.kind != AuditKind::Pruning) {
        match places.get(&row.entry.correlation) {
            Some(place) if row.entry.kind == AuditKind::End => {
                let known = &mut last[*place];
                if known.entry.kind != AuditKind::End {
                    *known = row;
                }
            }
            Some(_) => {}
            None => {
                places.insert(row.entry.correlation.clone(), last.len());
                last.push(row);
            }
        }
    }
    last
}

/// The end of a call, where it has one: the words that were searched may be in its beginning alone.
async fn ended(log: &dyn AuditLog, row: AuditRow) -> Result<AuditRow, StoreError> {
    if row.entry.kind == AuditKind::End {
        return Ok(row);
    }
    let correlation = Some(row.entry.correlation.clone());
    // Nothing ends before it: what is older need not be looked through.
    let after_sequence = Some(row.sequence);
    let query =
        AuditQuery { correlation, after_sequence, newest_first: true, ..AuditQuery::default() };
    let mut rows = log.audit(query).await?.into_iter();
    Ok(rows.find(|row| row.entry.kind == AuditKind::End).unwrap_or(row))
}
