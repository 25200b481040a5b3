//! The chain from its checkpoint to its end, one row in memory at a time, and every journal from there.

use std::collections::HashMap;
use std::fs::File;

use rusqlite::{Connection, Error, OptionalExtension as _, Transaction};
use toolgate_types::Digest;

use super::super::failure::IndexFailure;
use super::blocks::BlockCheck;
use super::journals::{self, KeptJournal};
use super::row::{self, StoredRow};
use super::sought::SoughtEntries;
use super::tails::{WalkedJournals, walk_journal};
use crate::audit::chain::{BrokenRow, ChainWalk, GENESIS, broken};
use crate::journal::{FirstEntry, JournalFolder};
use crate::{
    AuditHead, AuditRow, AuditVerdict, AuditVisitor, JournalHead, JournalId, LogHead, StoreError,
};

pub(super) fn verify(
    connection: &mut Connection,
    folder: &JournalFolder,
    expected: Option<LogHead>,
    mut visit: AuditVisitor,
) -> Result<AuditVerdict, IndexFailure> {
    let (expected, wanted) = expected.map_or((None, Vec::new()), |head| (head.row, head.journals));
    // Before the rows: whoever puts a journal into rows meanwhile takes its name away, and not the file.
    let mut files = open_journals(connection, folder)?;
    // One transaction: a checkpoint from before a pruning would not fit the rows from after it, nor a
    // journal's place the rows that were made of it since.
    let transaction = connection.transaction()?;
    let known = journals::all(&transaction)?;
    let mut sought = SoughtEntries::of(wanted);
    let (due, verdict) = walk_rows(&transaction, expected, &mut sought, &mut visit)?;
    let AuditVerdict::Whole { rows, head, from, .. } = verdict else { return Ok(verdict) };
    let mut walked = WalkedJournals::seeking(sought);
    let (mut missing, mut wrong) = (Vec::new(), None);
    for journal in known.iter().filter(|journal| !journal.is_closed) {
        let file = match files.remove(&journal.id) {
            Some(file) => Some(file),
            None => folder.open(&journal.id)?,
        };
        match file {
            Some(file) => {
                let failed = |error| StoreError::io(&folder.path_of(&journal.id), &error);
                wrong = walk_journal(&file, journal, &mut walked).map_err(failed)?.err();
            }
            None => missing.push(&journal.id),
        }
        if let Some(why) = wrong {
            return Ok(broken(due, why).into());
        }
    }
    let WalkedJournals { tails, first, sought } = walked;
    for FirstEntry { journal, follows } in first {
        if !was_the_end(&transaction, from, follows)? {
            let why = format!("the journal {journal} began behind a row that was never there");
            return Ok(broken(due, why).into());
        }
    }
    drop(transaction);
    for journal in missing {
        if is_open(connection, journal)? {
            let why = format!("the journal {journal} is not there, and it was never closed");
            return Ok(broken(due, why).into());
        }
    }
    match unshown(sought.left(), &known, from) {
        Ok(unshown) => Ok(AuditVerdict::Whole { rows, head, from, tails, unshown }),
        Err(why) => Ok(broken(due, why).into()),
    }
}

fn open_journals(
    connection: &Connection,
    folder: &JournalFolder,
) -> Result<HashMap<JournalId, File>, IndexFailure> {
    let mut files = HashMap::new();
    for journal in journals::all(connection)? {
        if let Some(file) = folder.open(&journal.id)? {
            files.insert(journal.id, file);
        }
    }
    Ok(files)
}

/// What the rows are, and the number of the next one.
fn walk_rows(
    transaction: &Transaction<'_>,
    expected: Option<AuditHead>,
    sought: &mut SoughtEntries,
    visit: &mut AuditVisitor,
) -> rusqlite::Result<(u64, AuditVerdict)> {
    let checkpoint = row::checkpoint(transaction)?;
    let mut walk = ChainWalk::begin(checkpoint.map(|checkpoint| checkpoint.place.head), expected);
    let mut blocks = BlockCheck::default();
    let mut select = transaction.prepare_cached("SELECT * FROM audit ORDER BY sequence")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let stored = match row::read_stored(row) {
            Ok(stored) => stored,
            Err(error) if is_no_value_of_ours(&error) => {
                let broken = broken(walk.due(), format!("it cannot be read: {error}"));
                return Ok((walk.due(), broken.into()));
            }
            Err(error) => return Err(error),
        };
        if let Err(broken) = step(&mut walk, sought, &stored) {
            return Ok((walk.due(), broken.into()));
        }
        let AuditRow { sequence, entry, .. } = &stored.row;
        if let Some(first) = blocks.see(transaction, *sequence, entry)? {
            let why = "a search would not find all that was written in these rows";
            return Ok((walk.due(), broken(first, why).into()));
        }
        visit(&stored.row);
    }
    Ok((walk.due(), walk.end()))
}

fn step(
    walk: &mut ChainWalk,
    sought: &mut SoughtEntries,
    stored: &StoredRow,
) -> Result<(), BrokenRow> {
    let StoredRow { row, content, made_of, is_found_by_what_it_says } = stored;
    walk.step(row.sequence, row.hash, content)?;
    if !is_found_by_what_it_says {
        return Err(broken(row.sequence, "what it is found by is not what was written"));
    }
    for entry in made_of {
        sought.see(entry).map_err(|why| broken(row.sequence, why))?;
    }
    Ok(())
}

/// Whether the rows ended there once, as far as those that are there can say.
fn was_the_end(
    transaction: &Transaction<'_>,
    from: Option<AuditHead>,
    (sequence, hash): AuditHead,
) -> rusqlite::Result<bool> {
    let gone = from.unwrap_or(GENESIS);
    if sequence <= gone.0 {
        return Ok(sequence < gone.0 || hash == gone.1);
    }
    let mut select = transaction.prepare_cached("SELECT hash FROM audit WHERE sequence = ?1")?;
    let found = select.query_row([sequence.cast_signed()], |row| row.get(0)).optional()?;
    Ok(found.map(Digest) == Some(hash))
}

fn is_open(connection: &Connection, journal: &JournalId) -> rusqlite::Result<bool> {
    let known = journals::all(connection)?;
    Ok(known.iter().any(|known| known.id == *journal && !known.is_closed))
}

/// What was expected and found nowhere: it may have gone with old rows, or it may not.
fn unshown(
    left: Vec<JournalHead>,
    known: &[KeptJournal],
    from: Option<AuditHead>,
) -> Result<Vec<JournalId>, String> {
    let mut unshown = Vec::new();
    for JournalHead { journal, entry, .. } in left {
        if from.is_none() || known.iter().any(|known| known.id == journal && !known.is_closed) {
            return Err(format!("entry {entry} of the journal {journal} is not there"));
        }
        unshown.push(journal);
    }
    Ok(unshown)
}

/// Somebody wrote what we never do; a page that cannot be read is another matter.
pub(super) fn is_no_value_of_ours(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
    )
}
