//! `toolgate audit export`: the rows as lines of JSON, and the head of the chain as the last.

use serde::Serialize;
use toolgate_store::{AuditLog as _, AuditQuery};

use super::row::{Row, shown_head};
use crate::failure::{Done, Exit};
use crate::moment::Since;
use crate::output::Output;
use crate::surroundings::{Surroundings, wait};

/// How many rows are read at once.
const PAGE: usize = 1_000;

/// The last line.
#[derive(Serialize)]
struct End {
    rows: u64,
    /// The end of the log when the export began; nothing where nothing is kept.
    head: Option<String>,
}

pub(super) fn run(since: Option<Since>, surroundings: &Surroundings, output: &mut Output) -> Done {
    let store = surroundings.store_to_read()?;
    let newest = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
    let head = wait(store.audit(newest))?.pop().map(|row| (row.sequence, row.hash));
    // What comes while we write belongs to the next export.
    let last = head.map_or(0, |(sequence, _)| sequence);
    let since = since.map(Since::as_millis);
    let (mut rows, mut after) = (0, 0);
    while after < last {
        let query =
            AuditQuery { since, after_sequence: Some(after), limit: PAGE, ..AuditQuery::default() };
        let page = wait(store.audit(query))?;
        let is_last = page.len() < PAGE;
        for row in page.iter().filter(|row| row.sequence <= last) {
            output.json_line(&Row::from(row));
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
    output.document_line(&End { rows, head: head.map(shown_head) });
    Ok(Exit::Ok)
}
