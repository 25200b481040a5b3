//! The store on disk: `state.db` in a folder of the person's own, shared by every process.
//!
//! Opening is blocking and happens once, at a start; everything after it goes to the thread that
//! owns the connection. This file puts the steps in order and holds no SQL: the folder is
//! `folder`, the file `file`, its tables `schema`, its thread `writer`, and its rows have
//! a file per table.

mod failure;
mod file;
mod folder;
mod installation;
mod schema;
mod snapshot;
mod spoken;
mod trust;
mod writer;

use std::path::Path;

use async_trait::async_trait;
use toolgate_types::{Acceptances, AcceptedEntry, Digest, EntryKind};

use crate::{InstallationKey, ProjectRoot, Snapshot, Store, StoreError};
use writer::Writer;

#[derive(Debug)]
pub struct SqliteStore(Kept);

#[derive(Debug)]
enum Kept {
    /// Opened to look, where nothing was ever recorded.
    Nothing,
    ToLook(Writer),
    ToWrite(Writer),
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
        Ok(Self(Kept::ToWrite(Writer::start(connection, path)?)))
    }

    /// Opens the state for a command that only looks: where there is none, none is made, and it
    /// reads as empty for as long as this value lives. Changing it is an error.
    ///
    /// Where there is one it is opened as ever, an old one brought up to date included: reading
    /// every old shape for ever would be the worse bargain.
    pub fn open_read_only(folder: &Path) -> Result<Self, StoreError> {
        if !folder::exists(folder)? {
            return Ok(Self(Kept::Nothing));
        }
        let folder = folder::check(folder)?;
        let Some(path) = file::find(&folder)? else {
            return Ok(Self(Kept::Nothing));
        };
        let _opening = file::lock_opening(&folder)?;
        let connection = file::open(&path)?;
        Ok(Self(Kept::ToLook(Writer::start(connection, path)?)))
    }

    fn reading(&self) -> Option<&Writer> {
        match &self.0 {
            Kept::Nothing => None,
            Kept::ToLook(writer) | Kept::ToWrite(writer) => Some(writer),
        }
    }

    fn writing(&self) -> Result<&Writer, StoreError> {
        match &self.0 {
            Kept::ToWrite(writer) => Ok(writer),
            Kept::Nothing | Kept::ToLook(_) => Err(StoreError::ReadOnly),
        }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn acceptances(&self, root: &ProjectRoot) -> Result<Acceptances, StoreError> {
        let Some(state) = self.reading() else { return Ok(Acceptances::default()) };
        let root = root.clone();
        let found = state.run(move |connection| trust::at(connection, &root)).await?;
        Ok(Acceptances::new(found.into_iter().map(|(_, entry)| entry).collect()))
    }

    async fn all_acceptances(&self) -> Result<Vec<(ProjectRoot, AcceptedEntry)>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.run(|connection| trust::everywhere(connection)).await
    }

    async fn accept(&self, root: &ProjectRoot, entry: AcceptedEntry) -> Result<(), StoreError> {
        let root = root.clone();
        self.writing()?.run(move |connection| trust::accept(connection, &root, &entry)).await
    }

    async fn revoke(
        &self,
        root: &ProjectRoot,
        kind: EntryKind,
        id: &str,
    ) -> Result<bool, StoreError> {
        let (root, id) = (root.clone(), id.to_owned());
        self.writing()?.run(move |connection| trust::revoke(connection, &root, kind, &id)).await
    }

    async fn revision_of(&self, entry: Digest) -> Result<Option<String>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        state.run(move |connection| spoken::find(connection, entry)).await
    }

    async fn keep_revision(&self, entry: Digest, revision: &str) -> Result<(), StoreError> {
        let revision = revision.to_owned();
        self.writing()?.run(move |connection| spoken::keep(connection, entry, &revision)).await
    }

    async fn snapshot(&self, key: Digest) -> Result<Option<Snapshot>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        state.run(move |connection| snapshot::find(connection, key)).await
    }

    async fn keep_snapshot(&self, key: Digest, snapshot: Snapshot) -> Result<(), StoreError> {
        self.writing()?.run(move |connection| snapshot::keep(connection, key, &snapshot)).await
    }

    async fn forget_snapshot(&self, key: Digest) -> Result<bool, StoreError> {
        self.writing()?.run(move |connection| snapshot::forget(connection, key)).await
    }

    async fn installation_key(&self) -> Result<InstallationKey, StoreError> {
        // Only the very first time is a write: nobody who wants the key waits for one who writes.
        if let Some(state) = self.reading()
            && let Some(key) = state.run(|connection| installation::find(connection)).await?
        {
            return Ok(key);
        }
        let state = self.writing()?;
        let fresh = InstallationKey::random()?;
        state.run(move |connection| installation::keep_first(connection, &fresh)).await
    }
}
