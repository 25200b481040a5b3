//! The journal that this process writes, begun with the first record.

use std::fs::File;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rusqlite::Connection;

use super::super::artifact::ArtifactFiles;
use super::super::failure::IndexFailure;
use super::super::worker::DatabaseWorker;
use super::super::writer::DatabaseWriter;
use super::index::begin_journal;
use crate::journal::{JournalFolder, OwnedJournal};
use crate::{JournalId, StoreError, WrittenEntry};

/// A longer one is left for a new one, so that what is in rows can go.
const LONGEST: u64 = 16 << 20;

#[derive(Debug)]
pub(in crate::sqlite) struct OwnJournal {
    folder: JournalFolder,
    open: Mutex<Option<OwnedJournal>>,
    /// The first one, by which the index knows whose the others are.
    first: OnceLock<JournalId>,
    /// Held by whoever begins one.
    beginning: tokio::sync::Mutex<()>,
    /// How many entries were appended by this process, and how many of them are on the disk.
    appended: AtomicU64,
    synced: AtomicU64,
    /// Files that were left for a new one, and may not be on the disk.
    left: Mutex<Vec<File>>,
    /// Held by whoever has them put there, for all who wait meanwhile.
    syncing: tokio::sync::Mutex<()>,
}

impl OwnJournal {
    pub(super) fn in_folder(folder: JournalFolder) -> Self {
        Self {
            folder,
            open: Mutex::new(None),
            first: OnceLock::new(),
            beginning: tokio::sync::Mutex::new(()),
            appended: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            left: Mutex::new(Vec::new()),
            syncing: tokio::sync::Mutex::new(()),
        }
    }

    pub(super) fn folder(&self) -> &JournalFolder {
        &self.folder
    }

    pub(super) fn appended(&self) -> u64 {
        self.appended.load(Ordering::Relaxed)
    }

    pub(super) async fn append(
        &self,
        writer: &DatabaseWriter,
        entries: &[WrittenEntry<'_>],
    ) -> Result<(), StoreError> {
        if let Some(done) = self.append_to_open(entries) {
            return done;
        }
        let _beginning = self.beginning.lock().await;
        if let Some(done) = self.append_to_open(entries) {
            return done;
        }
        let begun = writer.run_with_files(self.begin()).await?;
        self.go_on_with(begun);
        self.append_to_open(entries).unwrap_or(Ok(()))
    }

    fn begin(
        &self,
    ) -> impl FnOnce(&mut Connection) -> Result<OwnedJournal, IndexFailure> + Send + 'static + use<>
    {
        let (folder, first) = (self.folder.clone(), self.first.get().cloned());
        move |connection| begin_journal(connection, &folder, first.as_ref(), now())
    }

    /// Only now the one before it is let go: who holds none is taken for gone.
    fn go_on_with(&self, begun: OwnedJournal) {
        let _known_already = self.first.set(begun.id().clone());
        let before = self.open.lock().replace(begun);
        self.leave(before);
    }

    /// In the calling thread: it is one small write. Nothing where no journal is open that can be written:
    /// what follows a torn end is written elsewhere, and what is whole before it is read from there.
    pub(super) fn append_to_open(
        &self,
        entries: &[WrittenEntry<'_>],
    ) -> Option<Result<(), StoreError>> {
        let mut open = self.open.lock();
        let journal = open.as_mut().filter(|journal| !journal.is_torn())?;
        let done = journal.append(entries);
        if done.is_ok() {
            self.appended.fetch_add(entries.len() as u64, Ordering::AcqRel);
        }
        Some(done)
    }

    /// Everything that was appended before is on the disk when this returns. Whoever comes while others
    /// wait for the disk shares the next turn with all who came meanwhile.
    pub(super) async fn sync(
        &self,
        files: &DatabaseWorker<ArtifactFiles>,
    ) -> Result<(), StoreError> {
        let wanted = self.appended.load(Ordering::Acquire);
        if self.synced.load(Ordering::Acquire) >= wanted {
            return Ok(());
        }
        let _turn = self.syncing.lock().await;
        if self.synced.load(Ordering::Acquire) >= wanted {
            return Ok(());
        }
        let (reached, unsynced) = self.unsynced().map_err(|error| StoreError::of_io(&error))?;
        let sync = move || unsynced.iter().try_for_each(File::sync_data);
        files.run(move |_| sync().map_err(|error| StoreError::of_io(&error))).await?;
        self.synced.fetch_max(reached, Ordering::AcqRel);
        Ok(())
    }

    /// What was appended so far, and the files that it is in.
    fn unsynced(&self) -> io::Result<(u64, Vec<File>)> {
        let open = self.open.lock();
        let mut files = std::mem::take(&mut *self.left.lock());
        if let Some(open) = &*open {
            files.push(open.duplicate()?);
        }
        Ok((self.appended.load(Ordering::Acquire), files))
    }

    /// Goes on with a new one where this one has become long. For a thread that may wait.
    pub(super) fn turn_over(&self, writer: &DatabaseWriter) -> Result<(), StoreError> {
        let is_long = |open: &OwnedJournal| open.end().offset > LONGEST;
        if !self.open.lock().as_ref().is_some_and(is_long) {
            return Ok(());
        }
        let _beginning = self.beginning.blocking_lock();
        self.go_on_with(writer.run_with_files_waiting(self.begin())?);
        Ok(())
    }

    /// Opened anew where anybody wants it on the disk: a duplicate would hold its lock.
    fn leave(&self, journal: Option<OwnedJournal>) {
        let Some(journal) = journal.filter(|_| self.synced.load(Ordering::Acquire) > 0) else {
            return;
        };
        match self.folder.open(journal.id()) {
            Ok(file) => self.left.lock().extend(file),
            Err(error) => tracing::warn!(%error, "a journal may not be on the disk"),
        }
    }

    /// Nobody appends any more: its lock is let go, and whoever comes reads it to its end.
    pub(super) fn let_go(&self) {
        *self.open.lock() = None;
    }
}

/// When a journal began, for the order in which they are read.
pub(super) fn now() -> u64 {
    toolgate_types::since_1970(std::time::SystemTime::now())
}
