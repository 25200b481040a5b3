//! The one thread that owns the connection, and the way to it.
//!
//! Reads go through it too: what was accepted and what servers offered is read once per load, and
//! a second connection would buy nothing yet. The trait hides it, so readers can be added when the audit
//! needs them. The queue has no bound of its own: whoever hands over a job waits for its answer.

use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::failure::failure;
use crate::StoreError;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

pub(super) struct Writer {
    path: PathBuf,
    /// `None` only while dropping: the thread ends when its jobs are done and no more can come.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(mut connection: Connection, path: PathBuf) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let work = move || {
            for job in queue {
                job(&mut connection);
            }
        };
        let thread = thread::Builder::new().name("toolgate-store".into()).spawn(work);
        let thread = thread.map_err(|error| StoreError::Other { what: error.to_string() })?;
        Ok(Self { path, jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs one job on the thread. A job once handed over is done even if nobody waits any more:
    /// a call that was given up must not leave its record to chance.
    pub(super) async fn run<T, J>(&self, job: J) -> Result<T, StoreError>
    where
        T: Send + 'static,
        J: FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let _nobody_waits = answer.send(job(connection));
        });
        let gone = || StoreError::Other { what: "the thread that keeps it has ended".into() };
        self.jobs.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        let result = answered.await.map_err(|_| gone())?;
        result.map_err(|error| failure(&self.path, &error))
    }
}

impl Drop for Writer {
    /// Waits for what was handed over and for the file to be closed; each job is short, or ends
    /// with the busy timeout.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _panicked_and_was_reported = thread.join();
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
