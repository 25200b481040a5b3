//! From journals to rows: what was written since the last time, in one transaction with how far that is.
//!
//! Any process does this for all journals, and of two that do it at once the second finds nothing left. A
//! journal that nobody holds any more is read to its end and closed; then its file goes.

use std::fs::File;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::super::failure::IndexFailure;
use super::blocks::summarise;
use super::insert::RowInsert;
use super::journals::{self, KeptJournal};
use super::pairing::{JournalledRow, make_rows};
use super::row;
use super::tails::is_held;
use super::unended::{self, UnendedCalls};
use crate::audit::torn_journal;
use crate::journal::{
    JournalContent, JournalEnd, JournalFolder, JournalPlace, OwnedJournal, ReadFrame, read_journal,
};
use crate::{AuditKind, JournalId, StoreError};

/// How many entries become rows in one transaction: whoever else writes comes in between.
const PORTION: u64 = 20_000;

/// What one pass did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct IndexedEntries {
    pub(super) entries: u64,
    /// Whether there was more than one pass takes.
    pub(super) is_more: bool,
}

/// One pass over all journals.
pub(super) fn fill(
    connection: &mut Connection,
    folder: &JournalFolder,
    now: u64,
) -> Result<IndexedEntries, IndexFailure> {
    if !is_behind(connection, folder)? {
        // Nobody who only looks waits for one who writes, where there is nothing to write.
        summarise(connection)?;
        return Ok(IndexedEntries::default());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut done = IndexedEntries::default();
    let (mut behind, mut has_changed) = (Vec::new(), false);
    let mut known = journals::all(&transaction)?;
    for journal in known.iter_mut().filter(|journal| !journal.is_closed) {
        // What a process wrote is read in its order, also across its journals.
        if behind.contains(&journal.writer) {
            continue;
        }
        // One that is missing is for whoever verifies.
        let Some(file) = folder.open(&journal.id)? else { continue };
        let before = journal.clone();
        if read_into(&transaction, &file, journal, now)? {
            done.is_more = true;
            behind.push(journal.writer.clone());
        }
        done.entries += journal.place.entries - before.place.entries;
        if *journal != before {
            journals::keep_place(&transaction, journal)?;
            has_changed = true;
        }
    }
    has_changed |= unended::conclude(&transaction, &known)?;
    let closed = known.into_iter().filter(|journal| journal.is_closed).map(|journal| journal.id);
    let closed: Vec<JournalId> = closed.collect();
    if has_changed {
        transaction.commit()?;
    } else {
        drop(transaction);
    }
    if !closed.is_empty() {
        // What is in rows is there for good only when it is on the disk, as a journal may have been.
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    }
    for journal in closed {
        folder.remove(&journal);
        journals::forget(connection, &journal)?;
    }
    summarise(connection)?;
    Ok(done)
}

fn is_behind(connection: &Connection, folder: &JournalFolder) -> Result<bool, IndexFailure> {
    for journal in journals::all(connection)? {
        let Some(file) = folder.open(&journal.id)? else {
            if journal.is_closed {
                return Ok(true);
            }
            continue;
        };
        let length = file.metadata().map_err(|error| StoreError::of_io(&error))?.len();
        if journal.is_closed || length > journal.place.offset || !is_held(&file) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rows of what is new in one journal; whether there is more.
fn read_into(
    transaction: &Transaction<'_>,
    file: &File,
    journal: &mut KeptJournal,
    now: u64,
) -> Result<bool, IndexFailure> {
    // Asked before it is read: what a process wrote before it let go is all there then.
    let is_abandoned = file.try_lock().is_ok();
    let mut insert = RowInsert::begin(transaction)?;
    let mut unended = UnendedCalls::read(transaction)?;
    let KeptJournal { id, writer, .. } = journal.clone();
    let keep = |row: &JournalledRow<'_>| {
        let sequence = insert.journalled(&id, row)?;
        match row.entry.kind {
            AuditKind::Open => unended.begun(&row.entry, &writer, sequence),
            AuditKind::End if !row.was_opened() => unended.ended(&row.entry),
            _ => Ok(()),
        }
    };
    match make_rows(file, &mut journal.place, PORTION, keep)? {
        JournalEnd::More => return Ok(true),
        // What is not as it was written stays for whoever verifies, and so does what follows it.
        JournalEnd::Damaged { .. } => {}
        JournalEnd::Whole => journal.is_closed = is_abandoned,
        JournalEnd::Torn { bytes } if is_abandoned => {
            insert.own(torn_journal(&journal.id, journal.place.entries, bytes, now))?;
            journal.is_closed = true;
        }
        JournalEnd::Torn { .. } => {}
    }
    Ok(false)
}

/// A journal for this process, whose first is named: known to the index before anything is written to it.
pub(super) fn begin_journal(
    connection: &mut Connection,
    folder: &JournalFolder,
    writer: Option<&JournalId>,
    now: u64,
) -> Result<OwnedJournal, IndexFailure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Under the same lock as everybody who makes one.
    remove_stillborn(&transaction, folder)?;
    let end = row::end(&transaction)?;
    let journal = OwnedJournal::begin(folder, end.head)?;
    let writer = writer.unwrap_or(journal.id());
    let registered = journals::register(&transaction, journal.id(), writer, now);
    if let Err(error) = registered.and_then(|()| transaction.commit()) {
        folder.remove(journal.id());
        return Err(error.into());
    }
    Ok(journal)
}

/// Files that never became journals, as a process leaves them that dies while it makes one.
fn remove_stillborn(connection: &Connection, folder: &JournalFolder) -> Result<(), IndexFailure> {
    let there = folder.all();
    if there.is_empty() {
        return Ok(());
    }
    let known: Vec<JournalId> = journals::all(connection)?.into_iter().map(|one| one.id).collect();
    for journal in there.into_iter().filter(|one| !known.contains(one)) {
        if let Some(file) = folder.open(&journal)?
            && file.try_lock().is_ok()
            && has_no_record(&file)
        {
            folder.remove(&journal);
        }
    }
    Ok(())
}

fn has_no_record(file: &File) -> bool {
    let mut has_record = false;
    let see = |frame: ReadFrame<'_>| {
        has_record |= matches!(frame.content, JournalContent::Record(_));
    };
    let read = read_journal(file, JournalPlace::START, 2, see);
    read.is_ok_and(|(_, end)| !matches!(end, JournalEnd::Damaged { .. })) && !has_record
}
