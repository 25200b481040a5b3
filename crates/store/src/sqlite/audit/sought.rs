//! The entries of journals that somebody expects, looked for in rows and in journals.

use crate::{JournalHead, JournalId};

#[derive(Debug, Clone, Default)]
pub(super) struct SoughtEntries(Vec<JournalHead>);

impl SoughtEntries {
    pub(super) fn of(wanted: Vec<JournalHead>) -> Self {
        Self(wanted)
    }

    /// An entry that is there; what is wrong, if it is another than the one that was.
    pub(super) fn see(&mut self, found: &JournalHead) -> Result<(), String> {
        let is_meant =
            |wanted: &JournalHead| (&wanted.journal, wanted.entry) == (&found.journal, found.entry);
        let Some(place) = self.0.iter().position(is_meant) else { return Ok(()) };
        if self.0.swap_remove(place).hash == found.hash {
            return Ok(());
        }
        let JournalHead { journal, entry, .. } = found;
        Err(format!(
            "entry {entry} of the journal {journal} is another than the one that was there"
        ))
    }

    /// What was not found of a journal that is there: its end.
    pub(super) fn missing_of(&self, journal: &JournalId) -> Option<u64> {
        self.0.iter().filter(|wanted| wanted.journal == *journal).map(|wanted| wanted.entry).max()
    }

    /// What was found nowhere.
    pub(super) fn left(self) -> Vec<JournalHead> {
        self.0
    }
}
