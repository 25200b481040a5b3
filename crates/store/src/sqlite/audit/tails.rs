//! The journals themselves: each from its first entry on, through the place that the index knows, to its end.

use std::fs::File;
use std::io;

use super::journals::KeptJournal;
use super::sought::SoughtEntries;
use crate::journal::{
    FirstEntry, JournalContent, JournalEnd, JournalPlace, ReadFrame, read_journal,
};
use crate::{JournalHead, JournalTail};

/// What the journals say, if nothing in them is wrong.
pub(super) struct WalkedJournals {
    pub(super) tails: Vec<JournalTail>,
    /// Where each says that it began.
    pub(super) first: Vec<FirstEntry>,
    pub(super) sought: SoughtEntries,
}

impl WalkedJournals {
    pub(super) fn seeking(sought: SoughtEntries) -> Self {
        Self { tails: Vec::new(), first: Vec::new(), sought }
    }
}

/// Whether a process still writes there.
pub(super) fn is_held(file: &File) -> bool {
    let is_free = file.try_lock_shared().is_ok();
    if is_free {
        let _it_goes_with_the_file = file.unlock();
    }
    !is_free
}

/// One of them, from its beginning; what is wrong, if anything is.
pub(super) fn walk_journal(
    file: &File,
    known: &KeptJournal,
    walked: &mut WalkedJournals,
) -> io::Result<Result<(), String>> {
    let is_written = is_held(file);
    let KeptJournal { id: journal, place: indexed, .. } = known;
    let (mut wrong, mut passed) = (None, *indexed == JournalPlace::START);
    let see = |frame: ReadFrame<'_>| {
        let ReadFrame { number: entry, content, hash, .. } = frame;
        passed |= (entry, hash) == (indexed.entries, indexed.hash);
        match content {
            JournalContent::First(first) if entry == 1 && first.journal == *journal => {
                walked.first.push(first);
            }
            JournalContent::Record(_) if entry > 1 => {}
            _ => {
                let why = format!("entry {entry} of the journal {journal} is not its");
                wrong = wrong.take().or(Some(why));
            }
        }
        if let Err(why) = walked.sought.see(&JournalHead { journal: journal.clone(), entry, hash })
        {
            wrong = wrong.take().or(Some(why));
        }
    };
    let (place, end) = read_journal(file, JournalPlace::START, u64::MAX, see)?;
    let torn_bytes = match end {
        // Of one that is being written, the last entry may be there in part.
        JournalEnd::Torn { .. } if is_written => 0,
        JournalEnd::Torn { bytes } => bytes,
        JournalEnd::Whole | JournalEnd::More => 0,
        JournalEnd::Damaged { why } => {
            let entry = place.entries + 1;
            wrong = wrong.take().or(Some(format!("entry {entry} of the journal {journal}: {why}")));
            0
        }
    };
    if let Some(why) = wrong {
        return Ok(Err(why));
    }
    if !passed {
        let (there, known) = (place.entries, indexed.entries);
        let why = match there < known {
            true => format!(
                "of the journal {journal} {known} entries are in rows, and {there} are there"
            ),
            false => {
                format!("entry {known} of the journal {journal} is not the one that is in a row")
            }
        };
        return Ok(Err(why));
    }
    if let Some(entry) = walked.sought.missing_of(journal) {
        let there = place.entries;
        return Ok(Err(format!(
            "the end of the journal {journal} is missing: there were entries up to {entry}, and {there} \
             are there"
        )));
    }
    let entries = place.entries - indexed.entries.max(1).min(place.entries);
    if entries > 0 || torn_bytes > 0 {
        let head = JournalHead { journal: journal.clone(), entry: place.entries, hash: place.hash };
        walked.tails.push(JournalTail { journal: journal.clone(), entries, head, torn_bytes });
    }
    Ok(Ok(()))
}
