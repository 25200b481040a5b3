//! What is new in one journal, as rows: entry by entry as they are read, so that no more is held than a
//! portion of the file and the beginnings whose ends are still to come.

use std::fs::File;

use super::super::failure::IndexFailure;
use crate::audit::entry_bytes::WrittenEntry;
use crate::audit::fold::OpenCalls;
use crate::journal::{
    JournalContent, JournalEnd, JournalPlace, KeptFrames, ReadFrame, read_journal,
};
use crate::{AuditKind, StoreError};

/// A row that is to be.
pub(super) struct JournalledRow<'a> {
    /// What it says: what the last of its frames does.
    pub(super) entry: WrittenEntry<'a>,
    /// What all entries in it count for.
    pub(super) weight: u64,
    pub(super) frames: &'a KeptFrames,
}

impl JournalledRow<'_> {
    /// Whether it has the end of a call and its beginning.
    pub(super) fn was_opened(&self) -> bool {
        self.frames.heads().count() > 1
    }
}

/// Hands over the rows of what is behind this place, which is behind them then.
pub(super) fn make_rows(
    file: &File,
    place: &mut JournalPlace,
    most: u64,
    keep: impl FnMut(&JournalledRow<'_>) -> rusqlite::Result<()>,
) -> Result<JournalEnd, IndexFailure> {
    let (open, frames) = (OpenCalls::default(), KeptFrames::default());
    let mut pairing = RowPairing { keep, open, frames, is_kept: Ok(()) };
    let read = read_journal(file, *place, most, |frame| pairing.see(&frame));
    let (reached, end) = read.map_err(|error| StoreError::of_io(&error))?;
    pairing.finish()?;
    *place = reached;
    Ok(end)
}

struct RowPairing<K> {
    keep: K,
    open: OpenCalls<Beginning>,
    /// Of the row that is made; the same room for all.
    frames: KeptFrames,
    /// What went wrong first: nothing is kept after it.
    is_kept: rusqlite::Result<()>,
}

/// The beginning of a call, out of the portion that it was read in.
struct Beginning {
    frames: KeptFrames,
    weight: u64,
}

impl<K: FnMut(&JournalledRow<'_>) -> rusqlite::Result<()>> RowPairing<K> {
    fn see(&mut self, frame: &ReadFrame<'_>) {
        if let JournalContent::Record(entry) = frame.content
            && self.is_kept.is_ok()
        {
            self.is_kept = self.pair(frame, entry);
        }
    }

    fn pair(&mut self, frame: &ReadFrame<'_>, entry: WrittenEntry<'_>) -> rusqlite::Result<()> {
        let weight = entry.weight();
        self.frames.clear();
        let begun = match entry.kind {
            AuditKind::Open => {
                let mut frames = KeptFrames::default();
                frames.push(frame);
                let beginning = Beginning { frames, weight };
                let before = self.open.begin(entry.correlation, entry.round, beginning);
                return before.map_or(Ok(()), |before| self.keep_alone(&before));
            }
            AuditKind::End => self.open.end(entry.correlation, entry.round),
            AuditKind::Decision | AuditKind::Network | AuditKind::Pruning | AuditKind::Torn => None,
        };
        if let Some(begun) = &begun {
            self.frames.append(&begun.frames);
        }
        self.frames.push(frame);
        let weight = weight.saturating_add(begun.map_or(0, |begun| begun.weight));
        (self.keep)(&JournalledRow { entry, weight, frames: &self.frames })
    }

    fn keep_alone(&mut self, begun: &Beginning) -> rusqlite::Result<()> {
        let Beginning { frames, weight } = begun;
        let said = frames.entries().and_then(|entries| entries.into_iter().next());
        // It was read a moment ago.
        let Some(entry) = said else { return Ok(()) };
        (self.keep)(&JournalledRow { entry, weight: *weight, frames })
    }

    /// What has not ended has a row for its beginning.
    fn finish(mut self) -> rusqlite::Result<()> {
        std::mem::replace(&mut self.is_kept, Ok(()))?;
        for begun in std::mem::take(&mut self.open).rest() {
            self.keep_alone(&begun)?;
        }
        Ok(())
    }
}
