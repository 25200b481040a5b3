//! Work on threads of its own: so many at once, each until its time is up or nobody waits any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Nobody waits for the work any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the call was stopped")]
pub(crate) struct WorkStopped;

/// When to stop: at a deadline with what there is, at once when nobody waits any more.
#[derive(Debug)]
pub(crate) struct StopSignal {
    dropped: CancellationToken,
    deadline: Instant,
}

impl StopSignal {
    /// Whether time is up; an error when the call was dropped.
    pub(crate) fn is_due(&self) -> Result<bool, WorkStopped> {
        if self.dropped.is_cancelled() {
            return Err(WorkStopped);
        }
        Ok(Instant::now() >= self.deadline)
    }
}

/// The turns that the calls of one server take; each holds a thread and some descriptors.
#[derive(Debug, Clone)]
pub(crate) struct WorkTurns(Arc<Semaphore>);

impl WorkTurns {
    pub(crate) fn new(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once)))
    }

    /// Dropping the future stops the work soon.
    pub(crate) async fn run<O: Send + 'static>(
        &self,
        time: Duration,
        work: impl FnOnce(&StopSignal) -> O + Send + 'static,
    ) -> Result<O, WorkStopped> {
        let turn = Arc::clone(&self.0).acquire_owned().await.map_err(|_| WorkStopped)?;
        let dropped = CancellationToken::new();
        let _guard = dropped.clone().drop_guard();
        let work = tokio::task::spawn_blocking(move || {
            // Held by the work, not by who waits for it: a dropped call still uses its thread.
            let _turn = turn;
            work(&StopSignal { dropped, deadline: Instant::now() + time })
        });
        work.await.map_err(|_| WorkStopped)
    }
}
