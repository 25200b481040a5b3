//! The connection that writes, and the way to it.
//!
//! Short reads go through it too: what was accepted and what servers offered is read once per load.
//! What may search for long has the connection in `reader`.

use std::path::PathBuf;

use rusqlite::Connection;

use super::failure::{IndexFailure, failure};
use super::worker::DatabaseWorker;
use crate::StoreError;

#[derive(Debug)]
pub(super) struct DatabaseWriter {
    path: PathBuf,
    worker: DatabaseWorker<Connection>,
}

impl DatabaseWriter {
    pub(super) fn start(connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        Ok(Self { path, worker: DatabaseWorker::start("toolgate-store", connection)? })
    }

    /// Runs one job on the thread; each is short, or ends with the busy timeout.
    pub(super) async fn run<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.worker.run(self.named(job)).await
    }

    /// The same for a thread that may wait; never called where async code runs.
    pub(super) fn run_waiting<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.worker.run_waiting(self.named(job))
    }

    /// How many jobs somebody waited for.
    pub(super) fn awaited(&self) -> u64 {
        self.worker.awaited()
    }

    /// A job that also reads or makes files beside the database.
    pub(super) async fn run_with_files<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> Result<T, IndexFailure> + Send + 'static,
    {
        self.worker.run(self.named_with_files(job)).await
    }

    /// The same for a thread that may wait.
    pub(super) fn run_with_files_waiting<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> Result<T, IndexFailure> + Send + 'static,
    {
        self.worker.run_waiting(self.named_with_files(job))
    }

    /// The same where nobody waits: it is done before the connection is closed.
    pub(super) fn leave(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<(), IndexFailure> + Send + 'static,
    ) {
        self.worker.leave(self.named_with_files(job));
    }

    fn named_with_files<T, J>(
        &self,
        job: J,
    ) -> impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static + use<T, J>
    where
        J: FnOnce(&mut Connection) -> Result<T, IndexFailure> + Send + 'static,
    {
        let path = self.path.clone();
        move |connection| job(connection).map_err(|error| error.at(&path))
    }

    fn named<T, J>(
        &self,
        job: J,
    ) -> impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static + use<T, J>
    where
        J: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let path = self.path.clone();
        move |connection| job(connection).map_err(|error| failure(&path, &error))
    }
}

#[cfg(test)]
mod tests;
