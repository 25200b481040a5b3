//! A second connection that only reads, for what may take long: to search the audit or to verify
//! it must hold up nobody who appends.
//!
//! It is opened when it is first needed; most commands never do. While one read lasts, the log of
//! the database is not begun anew and grows by what is written meanwhile.

use std::path::PathBuf;

use rusqlite::Connection;

use super::failure::IndexFailure;
use super::file;
use super::worker::DatabaseWorker;
use crate::StoreError;

#[derive(Debug)]
pub(super) struct DatabaseReader {
    path: PathBuf,
    worker: DatabaseWorker<Option<Connection>>,
}

impl DatabaseReader {
    pub(super) fn start(path: PathBuf) -> Result<Self, StoreError> {
        Ok(Self { path, worker: DatabaseWorker::start("toolgate-reader", None)? })
    }

    pub(super) async fn run<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.run_with_files(|connection| job(connection).map_err(IndexFailure::from)).await
    }

    /// How many jobs somebody waited for.
    pub(super) fn awaited(&self) -> u64 {
        self.worker.awaited()
    }

    /// A job that also reads files beside the database.
    pub(super) async fn run_with_files<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> Result<T, IndexFailure> + Send + 'static,
    {
        let path = self.path.clone();
        let work = move |open: &mut Option<Connection>| {
            let read = || match open {
                Some(connection) => job(connection),
                None => job(open.insert(file::connect_to_read(&path)?)),
            };
            read().map_err(|error| error.at(&path))
        };
        self.worker.run(work).await
    }
}
