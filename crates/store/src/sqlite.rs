//! The store on disk: `state.db` in a folder of the person's own, shared by every process, and the
//! artifacts beside it.
//!
//! Opening is blocking and happens once, at a start; everything after it goes to the thread that
//! owns what it needs. This file puts the steps in order and holds no SQL: the folder is `folder`,
//! the file `file`, its tables `schema`, its threads `writer` and `reader`, and its rows have a
//! file per table. Records go to a journal first (`audit`).

mod artifact;
mod audit;
mod failure;
pub(crate) mod file;
pub(crate) mod folder;
mod installation;
mod package_lock;
mod patience;
mod pin;
mod reader;
mod schema;
mod snapshot;
mod spoken;
mod switches;
mod token;
mod trust;
mod word;
mod work_book;
mod worker;
mod workspace;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::Connection;
use toolgate_types::{Acceptances, AcceptedEntry, Digest, EntryKind};

use crate::{InstallationKey, PackageLock, PinKey, ProjectRoot, Snapshot, Store, StoreError};
use artifact::ArtifactFiles;
use audit::AuditJournals;
use reader::DatabaseReader;
use worker::DatabaseWorker;
use writer::DatabaseWriter;

#[derive(Debug)]
pub struct SqliteStore(OpenDatabase);

#[derive(Debug)]
enum OpenDatabase {
    /// Opened to look, where nothing was ever recorded.
    Nothing,
    ToLook(DatabaseState),
    ToWrite(DatabaseState),
}

/// Closed from top to bottom: who still needs another comes before it, and the connection that
/// writes is the last to go, so that it takes the log of the database away.
#[derive(Debug)]
struct DatabaseState {
    journals: AuditJournals,
    files: DatabaseWorker<ArtifactFiles>,
    reader: DatabaseReader,
    writer: Arc<DatabaseWriter>,
}

impl DatabaseState {
    fn start(folder: &Path, path: PathBuf, connection: Connection) -> Result<Self, StoreError> {
        Ok(Self {
            journals: AuditJournals::below(folder),
            files: DatabaseWorker::start("toolgate-files", ArtifactFiles::below(folder))?,
            reader: DatabaseReader::start(path.clone())?,
            writer: Arc::new(DatabaseWriter::start(connection, path)?),
        })
    }
}

impl Drop for DatabaseState {
    fn drop(&mut self) {
        self.journals.close(&self.writer);
    }
}

impl SqliteStore {
    /// Opens the state in `folder`, makes folder and file if there are none, and brings an older
    /// file up to date.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        folder::make(folder)?;
        let folder = folder::check(folder)?;
        let _opening = file::lock_opening(&folder)?;
        let path = file::make(&folder)?;
        let connection = file::open(&path)?;
        Ok(Self(OpenDatabase::ToWrite(DatabaseState::start(&folder, path, connection)?)))
    }

    /// Opens the state for a command that only looks: where there is none, none is made, and it
    /// reads as empty for as long as this value lives. Changing it is an error.
    ///
    /// Where there is one it is opened as ever, an old one brought up to date included: reading
    /// every old shape for ever would be the worse bargain.
    pub fn open_read_only(folder: &Path) -> Result<Self, StoreError> {
        if !folder::exists(folder)? {
            return Ok(Self(OpenDatabase::Nothing));
        }
        let folder = folder::check(folder)?;
        let Some(path) = file::find(&folder)? else {
            return Ok(Self(OpenDatabase::Nothing));
        };
        let _opening = file::lock_opening(&folder)?;
        let connection = file::open(&path)?;
        Ok(Self(OpenDatabase::ToLook(DatabaseState::start(&folder, path, connection)?)))
    }

    /// How often the database was asked while somebody waited: a call in its steady state never does that, and
    /// this is how it is seen. Making rows is not counted.
    pub fn times_asked(&self) -> u64 {
        let Some(state) = self.reading() else { return 0 };
        state.writer.awaited() + state.reader.awaited()
    }

    fn reading(&self) -> Option<&DatabaseState> {
        match &self.0 {
            OpenDatabase::Nothing => None,
            OpenDatabase::ToLook(state) | OpenDatabase::ToWrite(state) => Some(state),
        }
    }

    fn writing(&self) -> Result<&DatabaseState, StoreError> {
        match &self.0 {
            OpenDatabase::ToWrite(state) => Ok(state),
            OpenDatabase::Nothing | OpenDatabase::ToLook(_) => Err(StoreError::ReadOnly),
        }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn acceptances(&self, root: &ProjectRoot) -> Result<Acceptances, StoreError> {
        let Some(state) = self.reading() else { return Ok(Acceptances::default()) };
        let root = root.clone();
        let found = state.writer.run(move |connection| trust::at(connection, &root)).await?;
        Ok(Acceptances::new(found.into_iter().map(|(_, entry)| entry).collect()))
    }

    async fn all_acceptances(&self) -> Result<Vec<(ProjectRoot, AcceptedEntry)>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.writer.run(|connection| trust::everywhere(connection)).await
    }

    async fn accept(&self, root: &ProjectRoot, entry: AcceptedEntry) -> Result<(), StoreError> {
        let root = root.clone();
        self.writing()?.writer.run(move |connection| trust::accept(connection, &root, &entry)).await
    }

    async fn revoke(
        &self,
        root: &ProjectRoot,
        kind: EntryKind,
        id: &str,
    ) -> Result<bool, StoreError> {
        let (root, id) = (root.clone(), id.to_owned());
        self.writing()?
            .writer
            .run(move |connection| trust::revoke(connection, &root, kind, &id))
            .await
    }

    async fn revision_of(&self, entry: Digest) -> Result<Option<String>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        state.writer.run(move |connection| spoken::find(connection, entry)).await
    }

    async fn keep_revision(&self, entry: Digest, revision: &str) -> Result<(), StoreError> {
        let revision = revision.to_owned();
        self.writing()?
            .writer
            .run(move |connection| spoken::keep(connection, entry, &revision))
            .await
    }

    async fn package_lock(&self, key: &PinKey) -> Result<Option<PackageLock>, StoreError> {
        let (Some(state), key) = (self.reading(), key.clone()) else { return Ok(None) };
        state.writer.run(move |connection| package_lock::find(connection, &key)).await
    }

    async fn keep_package_lock(&self, key: &PinKey, lock: PackageLock) -> Result<(), StoreError> {
        let key = key.clone();
        let writer = &self.writing()?.writer;
        writer.run(move |connection| package_lock::keep(connection, &key, &lock)).await
    }

    async fn forget_package_lock(&self, key: &PinKey) -> Result<bool, StoreError> {
        let key = key.clone();
        let writer = &self.writing()?.writer;
        writer.run(move |connection| package_lock::forget(connection, &key)).await
    }

    async fn snapshot(&self, key: Digest) -> Result<Option<Snapshot>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        state.writer.run(move |connection| snapshot::find(connection, key)).await
    }

    async fn keep_snapshot(&self, key: Digest, snapshot: Snapshot) -> Result<(), StoreError> {
        self.writing()?
            .writer
            .run(move |connection| snapshot::keep(connection, key, &snapshot))
            .await
    }

    async fn forget_snapshot(&self, key: Digest) -> Result<bool, StoreError> {
        self.writing()?.writer.run(move |connection| snapshot::forget(connection, key)).await
    }

    async fn installation_key(&self) -> Result<InstallationKey, StoreError> {
        // Only the very first time is a write: nobody who wants the key waits for one who writes.
        if let Some(state) = self.reading()
            && let Some(key) = state.writer.run(|connection| installation::find(connection)).await?
        {
            return Ok(key);
        }
        let state = self.writing()?;
        let fresh = InstallationKey::random()?;
        state.writer.run(move |connection| installation::keep_first(connection, &fresh)).await
    }
}
