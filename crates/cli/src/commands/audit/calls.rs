//! From rows to calls: one line each, whether it has ended or not.

use std::collections::HashMap;

use serde::Serialize;
use toolgate_store::{AuditKind, AuditLog as _, AuditQuery, AuditRow, SqliteStore};
use toolgate_types::visible;

use crate::failure::CliFailure;
use crate::surroundings::wait;
use toolgate_terminal::moment::written;

/// Said of a call whose end was never recorded: it runs, or its host died.
const UNENDED: &str = "running or lost";

/// A call as the list shows it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedCall {
    /// The number of its last row.
    pub(super) sequence: u64,
    at: String,
    /// None while it runs, and for ever where the host died.
    outcome: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    duration_us: Option<u64>,
    principal: String,
    session: Option<String>,
    correlation_id: String,
    code: Option<String>,
}

impl From<AuditRow> for ListedCall {
    fn from(AuditRow { sequence, entry, .. }: AuditRow) -> Self {
        Self {
            sequence,
            at: written(entry.at),
            outcome: entry.outcome,
            server: entry.server,
            tool: entry.tool,
            duration_us: entry.duration_us,
            principal: entry.principal,
            session: entry.session,
            correlation_id: entry.correlation,
            code: entry.code,
        }
    }
}

impl ListedCall {
    pub(super) fn cells(&self) -> Vec<String> {
        let what: Vec<&str> =
            [&self.server, &self.tool].into_iter().flatten().map(|s| &**s).collect();
        vec![
            self.at.clone(),
            visible(self.outcome.as_deref().unwrap_or(UNENDED)),
            visible(&what.join("/")),
            self.duration_us.map(took).unwrap_or_default(),
            visible(&self.principal),
            visible(&self.correlation_id),
            visible(self.code.as_deref().unwrap_or_default()),
        ]
    }
}

/// `740us`, `12ms`, `3.2s`.
fn took(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros}us"),
        1_000..1_000_000 => format!("{}ms", micros / 1_000),
        _ => format!("{}.{}s", micros / 1_000_000, micros / 100_000 % 10),
    }
}

/// The newest calls that a query finds, the newest last.
pub(super) fn newest(
    store: &SqliteStore,
    query: &AuditQuery,
    most: usize,
) -> Result<Vec<ListedCall>, CliFailure> {
    // A call has an end, and often a beginning too; where it has more rows, more are read.
    let mut limit = most.saturating_mul(2);
    let rows = loop {
        let query = AuditQuery { limit, newest_first: true, ..query.clone() };
        let rows = wait(store.audit(query))?;
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
        calls.push(ListedCall::from(ended(store, row)?));
    }
    calls.sort_by_key(|call| call.sequence);
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
fn ended(store: &SqliteStore, row: AuditRow) -> Result<AuditRow, CliFailure> {
    if row.entry.kind == AuditKind::End {
        return Ok(row);
    }
    let correlation = Some(row.entry.correlation.clone());
    let query = AuditQuery { correlation, newest_first: true, ..AuditQuery::default() };
    let mut rows = wait(store.audit(query))?.into_iter();
    Ok(rows.find(|row| row.entry.kind == AuditKind::End).unwrap_or(row))
}
