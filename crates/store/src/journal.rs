//! The journal: where records are written first, and once.
//!
//! A file of one process, which holds its lock for as long as it lives. Entries are only ever added at its
//! end, each bound to the one before it; the first says which journal it is and how far the index was when
//! it began. What is in it is put into the index later, by whoever comes to it, and a journal that is
//! wholly there is taken away. What is no whole entry at the end was being written when its process died.
//! Nothing here knows the index.

mod append;
mod frame;
mod heads;
mod kept_frames;
mod reserve;
mod walk;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

pub(crate) use append::OwnedJournal;
pub(crate) use frame::{FirstEntry, JournalContent};
pub use heads::{JournalHead, JournalId};
pub(crate) use kept_frames::KeptFrames;
pub(crate) use walk::{JournalEnd, JournalPlace, ReadFrame, read_journal};

use crate::StoreError;

const FOLDER: &str = "journal";
const ENDING: &str = "journal";

/// Where all journals of a state are.
#[derive(Debug, Clone)]
pub(crate) struct JournalFolder(PathBuf);

impl JournalFolder {
    pub(crate) fn below(state: &Path) -> Self {
        Self(state.join(FOLDER))
    }

    pub(crate) fn path_of(&self, journal: &JournalId) -> PathBuf {
        self.0.join(format!("{journal}.{ENDING}"))
    }

    /// A file that nobody else has, with its lock.
    fn make(&self, journal: &JournalId) -> Result<(File, PathBuf), StoreError> {
        match fs::DirBuilder::new().mode(0o700).create(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(StoreError::io(&self.0, &error));
            }
            _ => {}
        }
        let path = self.path_of(journal);
        let file = OpenOptions::new()
            .append(true)
            .read(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| StoreError::io(&path, &error))?;
        file.try_lock().map_err(|error| StoreError::folder(&path, error.to_string()))?;
        Ok((file, path))
    }

    /// To read; nothing where there is none.
    pub(crate) fn open(&self, journal: &JournalId) -> Result<Option<File>, StoreError> {
        let path = self.path_of(journal);
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io(&path, &error)),
        }
    }

    /// All that are there, whatever is known of them.
    pub(crate) fn all(&self) -> Vec<JournalId> {
        let Ok(files) = fs::read_dir(&self.0) else { return Vec::new() };
        let names = files.flatten().map(|file| PathBuf::from(file.file_name()));
        let names = names.filter(|name| name.extension().is_some_and(|end| end == ENDING));
        names.filter_map(|name| JournalId::parse(name.file_stem()?.to_str()?)).collect()
    }

    /// Everything in it is elsewhere.
    pub(crate) fn remove(&self, journal: &JournalId) {
        if let Err(error) = fs::remove_file(self.path_of(journal))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, %journal, "a journal that is not needed any more stays");
        }
    }
}

#[cfg(test)]
mod tests;
