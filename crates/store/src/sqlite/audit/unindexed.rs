//! Searching while nothing can be written: the rows that are there, and behind them those that journals
//! would become, with the numbers that they would have.

use rusqlite::Connection;

use super::super::failure::IndexFailure;
use super::index::read_rows;
use super::journals;
use super::row;
use super::search;
use crate::journal::JournalFolder;
use crate::{AuditQuery, AuditRow};

pub(super) fn search_all(
    connection: &mut Connection,
    folder: &JournalFolder,
    query: &AuditQuery,
) -> Result<Vec<AuditRow>, IndexFailure> {
    let transaction = connection.transaction()?;
    let mut found = search::search(&transaction, query)?;
    let mut end = row::end(&transaction)?.head;
    let mut late = Vec::new();
    for mut journal in journals::all(&transaction)? {
        let Some(file) = folder.open(&journal.id)?.filter(|_| !journal.is_closed) else { continue };
        for (row, content) in read_rows(&file, &mut journal, u64::MAX)?.rows {
            let hash = content.link(end.1, end.0 + 1);
            end = (end.0 + 1, hash);
            let row = AuditRow {
                sequence: end.0,
                entry: row.entry,
                hash,
                was_opened: row.parts.len() > 1,
                weight: row.weight,
            };
            late.extend(Some(row).filter(|row| query.finds(row)));
        }
    }
    if query.newest_first {
        late.reverse();
        late.append(&mut found);
        found = late;
    } else {
        found.append(&mut late);
    }
    found.truncate(query.limit);
    Ok(found)
}
