//! A thread that owns something and does one job after the other with it.
//!
//! The queue has no bound of its own: whoever hands over a job waits for its answer. A job once
//! handed over is done even if nobody waits any more: a call that was given up must not leave its
//! record to chance.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot::{self, Receiver};

use crate::StoreError;

type WorkerJob<T> = Box<dyn FnOnce(&mut T) + Send>;

pub(super) struct DatabaseWorker<T> {
    /// `None` only while dropping: the thread ends when its jobs are done and no more can come.
    jobs: Option<Sender<WorkerJob<T>>>,
    thread: Option<JoinHandle<()>>,
    /// How many jobs somebody waited for whose thread may not.
    awaited: AtomicU64,
}

impl<T: Send + 'static> DatabaseWorker<T> {
    pub(super) fn start(name: &str, mut owned: T) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<WorkerJob<T>>();
        let work = move || {
            for job in queue {
                job(&mut owned);
            }
        };
        let thread = thread::Builder::new().name(name.into()).spawn(work);
        let thread = thread.map_err(|error| StoreError::Other { what: error.to_string() })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread), awaited: AtomicU64::new(0) })
    }

    pub(super) async fn run<R, J>(&self, job: J) -> Result<R, StoreError>
    where
        R: Send + 'static,
        J: FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    {
        self.awaited.fetch_add(1, Ordering::Relaxed);
        self.hand_over(job)?.await.map_err(|_| gone())?
    }

    pub(super) fn awaited(&self) -> u64 {
        self.awaited.load(Ordering::Relaxed)
    }

    /// The same for a thread that may wait; never called where async code runs.
    pub(super) fn run_waiting<R, J>(&self, job: J) -> Result<R, StoreError>
    where
        R: Send + 'static,
        J: FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    {
        self.hand_over(job)?.blocking_recv().map_err(|_| gone())?
    }

    /// The same where nobody waits for the answer.
    pub(super) fn leave<J>(&self, job: J)
    where
        J: FnOnce(&mut T) -> Result<(), StoreError> + Send + 'static,
    {
        let _nobody_waits = self.hand_over(job);
    }

    fn hand_over<R, J>(&self, job: J) -> Result<Receiver<Result<R, StoreError>>, StoreError>
    where
        R: Send + 'static,
        J: FnOnce(&mut T) -> Result<R, StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: WorkerJob<T> = Box::new(move |owned| {
            let _nobody_waits = answer.send(job(owned));
        });
        self.jobs.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        Ok(answered)
    }
}

fn gone() -> StoreError {
    StoreError::Other { what: "the thread that keeps it has ended".into() }
}

impl<T> Drop for DatabaseWorker<T> {
    /// Waits for what was handed over and for what is owned to be closed.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _panicked_and_was_reported = thread.join();
        }
    }
}

impl<T> fmt::Debug for DatabaseWorker<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseWorker").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
