//! `toolgate audit export`: the rows as lines of JSON, and the head of the chain as the last.

use serde::Serialize;
use toolgate_audit::{HeadTimes, KeptHead};
use toolgate_store::{AuditLog as _, AuditQuery, SqliteStore};
use toolgate_terminal::CommandOutput;

use super::row::AuditRowJson;
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::surroundings::{Surroundings, wait};
use toolgate_terminal::moment::SinceMoment;

/// How many rows are read at once.
const PAGE: usize = 1_000;

/// The last line.
#[derive(Serialize)]
struct ExportEnd {
    rows: u64,
    /// The end of the log when the export began; nothing where nothing is kept.
    head: Option<String>,
}

pub(super) fn run(
    since: Option<SinceMoment>,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let store = surroundings.store_to_read()?;
    let head = head(&store)?;
    // What comes while we write belongs to the next export.
    let last = head.as_ref().map_or(0, |head| head.place.0);
    let since = since.map(SinceMoment::as_millis);
    let (mut rows, mut after) = (0, 0);
    while after < last {
        let query =
            AuditQuery { since, after_sequence: Some(after), limit: PAGE, ..AuditQuery::default() };
        let page = wait(store.audit(query))?;
        let is_last = page.len() < PAGE;
        for row in page.iter().filter(|row| row.sequence <= last) {
            output.json_line(&AuditRowJson::from(row));
            rows += 1;
        }
        after = match page.last() {
            Some(row) if !is_last => row.sequence,
            _ => last,
        };
        if !output.is_read() {
            return Ok(Exit::Ok);
        }
    }
    output.document_line(&ExportEnd { rows, head: head.map(|head| head.to_string()) });
    Ok(Exit::Ok)
}

/// The end of the log, as it is kept elsewhere.
fn head(store: &SqliteStore) -> Result<Option<KeptHead>, CliFailure> {
    let one = |newest_first| {
        let query = AuditQuery { limit: 1, newest_first, ..AuditQuery::default() };
        Ok::<_, CliFailure>(wait(store.audit(query))?.pop())
    };
    let (Some(first), Some(last)) = (one(false)?, one(true)?) else { return Ok(None) };
    let (at, first_at) = (last.entry.at, first.entry.at);
    let times = Some(HeadTimes { at, first: first.sequence, first_at });
    Ok(Some(KeptHead { place: (last.sequence, last.hash), times, journals: Vec::new() }))
}
