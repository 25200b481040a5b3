//! The threads that connections are served on: each stays on one from its first byte to its last.
//!
//! A call that is handed from thread to thread wakes one that sleeps, which costs a good part of what the gate
//! does with it. So each thread has a runtime of its own, and whoever connects goes to the one with the
//! fewest. What takes long on one of them holds up its other connections: that is done elsewhere
//! (`toolgate_types::step_aside`).

use std::future::Future;
use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};
use toolgate_types::{BoxedWork, MovableWork, WorkMover, share_thread};

/// Where connections are served.
#[derive(Debug, Default)]
pub struct ConnectionThreads {
    /// None where they stay on the runtime that took them.
    threads: Vec<ConnectionThread>,
}

#[derive(Debug)]
struct ConnectionThread {
    runtime: Handle,
    open: Arc<AtomicUsize>,
    /// The thread ends with this.
    _stop: DropGuard,
}

/// Counts for its thread as long as it is there.
struct ServedConnection(Arc<AtomicUsize>);

impl Drop for ServedConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ConnectionThreads {
    /// So many, each waiting for connections until this is dropped. What has a long message before it goes on
    /// in the runtime that this is called in.
    pub fn start(count: NonZeroUsize) -> io::Result<Self> {
        let elsewhere = Handle::current();
        let mover: WorkMover = Arc::new(move |work| go_on(&elsewhere, work));
        let threads = (0..count.get()).map(|_| ConnectionThread::start(&mover));
        Ok(Self { threads: threads.collect::<io::Result<_>>()? })
    }

    /// Serves a connection on the thread that has the fewest.
    pub(crate) fn serve(
        &self,
        open: &mut JoinSet<()>,
        serving: impl Future<Output = ()> + Send + 'static,
    ) {
        let fewest = self.threads.iter().min_by_key(|one| one.open.load(Ordering::Relaxed));
        let Some(thread) = fewest else {
            open.spawn(serving);
            return;
        };
        thread.open.fetch_add(1, Ordering::Relaxed);
        let served = ServedConnection(Arc::clone(&thread.open));
        let serving = MovableWork::new(async move {
            let _served = served;
            serving.await;
        });
        open.spawn_on(serving, &thread.runtime);
    }
}

impl ConnectionThread {
    fn start(mover: &WorkMover) -> io::Result<Self> {
        let mover = Arc::clone(mover);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (handle, stop) = (runtime.handle().clone(), CancellationToken::new());
        let stopped = stop.clone().cancelled_owned();
        thread::Builder::new().name("toolgate-calls".into()).spawn(move || {
            share_thread(mover);
            runtime.block_on(stopped);
            // What is left waits for nothing that could still come.
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, open: Arc::default(), _stop: stop.drop_guard() })
    }
}

/// In another runtime, until what is returned is dropped.
fn go_on(elsewhere: &Handle, work: BoxedWork) -> BoxedWork {
    let moved = MovedWork(elsewhere.spawn(work));
    Box::pin(async move {
        let mut moved = moved;
        // Otherwise it ended, or its runtime did.
        if let Err(Ok(panic)) = (&mut moved.0).await.map_err(JoinError::try_into_panic) {
            resume_unwind(panic);
        }
    })
}

struct MovedWork(JoinHandle<()>);

impl Drop for MovedWork {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests;
