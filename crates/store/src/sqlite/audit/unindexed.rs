//! Searching while nothing can be written: the rows that are there, and behind them those that journals
//! would become, with the numbers that they would have.

use rusqlite::Connection;

use super::super::failure::IndexFailure;
use super::journals;
use super::pairing::{JournalledRow, make_rows};
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
        let id = journal.id;
        let keep = |row: &JournalledRow<'_>| {
            end = (end.0 + 1, row.frames.link(&id, end.1, end.0 + 1));
            let row = AuditRow {
                sequence: end.0,
                entry: row.entry.to_entry(),
                hash: end.1,
                was_opened: row.was_opened(),
                weight: row.weight,
            };
            late.extend(Some(row).filter(|row| query.finds(row)));
            Ok(())
        };
        make_rows(&file, &mut journal.place, u64::MAX, keep)?;
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
