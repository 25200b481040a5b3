//! The audit in `journal/` and `state.db`: what is done where, and on which connection. Its SQL is in a file
//! per step.

mod blocks;
mod first_table;
mod index;
mod indexer;
mod indexing_pace;
mod insert;
mod journals;
mod own_journal;
mod pairing;
mod prune;
mod row;
mod search;
mod sought;
mod tails;
mod unended;
mod unindexed;
mod verify;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use rusqlite::Connection;

use super::patience::PATIENCE;
use super::writer::DatabaseWriter;
use super::{DatabaseState, SqliteStore};
use crate::audit::chain::ChainWalk;
use crate::journal::JournalFolder;
use crate::{
    AuditLog, AuditQuery, AuditRetention, AuditRow, AuditVerdict, AuditVisitor, LogHead,
    StoreError, WrittenEntry,
};
pub(super) use first_table::{record_what_went_before, take_over};
use index::fill;
use indexer::Indexer;
use own_journal::{OwnJournal, now};

/// How long a search waits for others who write, before it goes on without new rows.
const A_MOMENT: Duration = Duration::from_millis(200);

/// How many passes a store makes at its end; whoever comes next does the rest.
const LAST_PASSES: usize = 5;

/// The journals of a state, and the one that this process writes.
#[derive(Debug)]
pub(super) struct AuditJournals {
    own: Arc<OwnJournal>,
    /// From the first record on.
    indexer: Mutex<Option<Indexer>>,
}

impl AuditJournals {
    pub(super) fn below(state: &std::path::Path) -> Self {
        let own = Arc::new(OwnJournal::in_folder(JournalFolder::below(state)));
        Self { own, indexer: Mutex::new(None) }
    }

    fn folder(&self) -> &JournalFolder {
        self.own.folder()
    }

    fn notice(&self, writer: &Arc<DatabaseWriter>) -> Result<(), StoreError> {
        let mut indexer = self.indexer.lock();
        if indexer.is_none() {
            *indexer = Some(Indexer::start(Arc::clone(&self.own), Arc::clone(writer))?);
        }
        if let Some(indexer) = &*indexer {
            indexer.notice();
        }
        Ok(())
    }

    /// Before the connection goes: what this process wrote becomes rows.
    pub(super) fn close(&self, writer: &DatabaseWriter) {
        if self.indexer.lock().take().is_none() {
            return;
        }
        self.own.let_go();
        let folder = self.folder().clone();
        writer.leave(move |connection| {
            for _ in 0..LAST_PASSES {
                if !fill(connection, &folder, now())?.is_more {
                    break;
                }
            }
            Ok(())
        });
    }
}

impl DatabaseState {
    /// Makes rows of everything that was appended, unless others write for longer than a moment.
    async fn index(&self) -> Result<(), StoreError> {
        loop {
            let folder = self.journals.folder().clone();
            let pass = move |connection: &mut Connection| {
                connection.busy_timeout(A_MOMENT)?;
                let done = fill(connection, &folder, now());
                connection.busy_timeout(PATIENCE)?;
                done
            };
            if !self.writer.run_with_files(pass).await?.is_more {
                return Ok(());
            }
        }
    }
}

#[async_trait]
impl AuditLog for SqliteStore {
    async fn append_written(&self, entries: &[WrittenEntry<'_>]) -> Result<(), StoreError> {
        let state = self.writing()?;
        if entries.is_empty() {
            return Ok(());
        }
        state.journals.own.append(&state.writer, entries).await?;
        state.journals.notice(&state.writer)
    }

    fn append_at_once(&self, entries: &[WrittenEntry<'_>]) -> Option<Result<(), StoreError>> {
        let state = self.writing().ok()?;
        let appended = state.journals.own.append_to_open(entries)?;
        Some(appended.and_then(|()| state.journals.notice(&state.writer)))
    }

    async fn sync_audit(&self) -> Result<(), StoreError> {
        let state = self.writing()?;
        state.journals.own.sync(&state.files).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        match state.index().await {
            Ok(()) => {
                let search = move |connection: &mut Connection| {
                    // One state of it, however many statements that takes.
                    search::search(&*connection.transaction()?, &query)
                };
                state.reader.run(search).await
            }
            // Nothing can be written, and everything can be read.
            Err(StoreError::Busy | StoreError::Full) => {
                let folder = state.journals.folder().clone();
                let search =
                    move |connection: &mut _| unindexed::search_all(connection, &folder, &query);
                state.reader.run_with_files(search).await
            }
            Err(error) => Err(error),
        }
    }

    async fn verify_audit(&self, expected: Option<LogHead>) -> Result<AuditVerdict, StoreError> {
        self.walk_audit(expected, Box::new(|_| {})).await
    }

    async fn walk_audit(
        &self,
        expected: Option<LogHead>,
        visit: AuditVisitor,
    ) -> Result<AuditVerdict, StoreError> {
        let Some(state) = self.reading() else {
            let expected = expected.and_then(|head| head.row);
            return Ok(ChainWalk::begin(None, expected).end());
        };
        let folder = state.journals.folder().clone();
        let walk = move |connection: &mut _| verify::verify(connection, &folder, expected, visit);
        state.reader.run_with_files(walk).await
    }

    async fn prune_audit(&self, now: u64, retention: AuditRetention) -> Result<u64, StoreError> {
        let state = self.writing()?;
        let find = move |connection: &mut _| prune::target(connection, now, retention);
        let Some(target) = state.reader.run(find).await? else { return Ok(0) };
        // In portions: whoever wants to append comes in between.
        let mut gone = 0;
        loop {
            let more = state.writer.run(move |connection| prune::cut(connection, target)).await?;
            if more == 0 {
                return Ok(gone);
            }
            gone += more;
        }
    }
}
