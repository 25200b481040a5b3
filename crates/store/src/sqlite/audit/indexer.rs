//! The thread that makes rows of what this process appends, when there is time.
//!
//! It sleeps until something is appended. While much is, it gives way, for up to a minute.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::super::writer::DatabaseWriter;
use super::index::fill;
use super::own_journal::{OwnJournal, now};
use crate::StoreError;

/// How often it looks while there is something to do.
const TICK: Duration = Duration::from_millis(500);

/// So many entries in one tick are a load that it gives way to.
const BUSY: u64 = 100;

/// How far behind it stays at most, in time and in entries.
const PATIENCE: Duration = Duration::from_secs(60);
const MOST_BEHIND: u64 = 1_000_000;

#[derive(Debug)]
pub(in crate::sqlite) struct Indexer {
    wake: SyncSender<IndexerCall>,
    is_asleep: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, PartialEq, Eq)]
enum IndexerCall {
    Wake,
    Stop,
}

impl Indexer {
    pub(super) fn start(
        journal: Arc<OwnJournal>,
        writer: Arc<DatabaseWriter>,
    ) -> Result<Self, StoreError> {
        let (wake, calls) = sync_channel(1);
        let is_asleep = Arc::new(AtomicBool::new(true));
        let asleep = Arc::clone(&is_asleep);
        let work = move || {
            while matches!(calls.recv(), Ok(IndexerCall::Wake)) {
                if !index_until_idle(&calls, &journal, &writer, &asleep) {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("toolgate-index".into()).spawn(work);
        let thread = thread.map_err(|error| StoreError::Other { what: error.to_string() })?;
        Ok(Self { wake, is_asleep, thread: Some(thread) })
    }

    /// Something was appended.
    pub(super) fn notice(&self) {
        if self.is_asleep.load(Ordering::Relaxed) && self.is_asleep.swap(false, Ordering::AcqRel) {
            let _it_is_awake_already = self.wake.try_send(IndexerCall::Wake);
        }
    }
}

/// Whether it goes on; not where it was told to stop.
fn index_until_idle(
    calls: &Receiver<IndexerCall>,
    journal: &OwnJournal,
    writer: &DatabaseWriter,
    is_asleep: &AtomicBool,
) -> bool {
    let (mut seen, mut indexed, mut since) = (0, 0, Instant::now());
    loop {
        match calls.recv_timeout(TICK) {
            Ok(IndexerCall::Wake) | Err(RecvTimeoutError::Timeout) => {}
            Ok(IndexerCall::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
        }
        let appended = journal.appended();
        let is_busy = appended - std::mem::replace(&mut seen, appended) > BUSY;
        let is_late = since.elapsed() > PATIENCE || appended - indexed > MOST_BEHIND;
        if is_busy && !is_late {
            continue;
        }
        loop {
            let folder = journal.folder().clone();
            let pass = move |connection: &mut _| fill(connection, &folder, now());
            match writer.run_with_files_waiting(pass) {
                // Under load a part in each tick is enough.
                Ok(done) if done.is_more && !is_busy => {}
                Ok(_) => break,
                // It stays in the journal, and is tried again with what comes next.
                Err(error) => {
                    tracing::debug!(%error, "records are not in the index yet");
                    break;
                }
            }
        }
        if let Err(error) = journal.turn_over(writer) {
            tracing::debug!(%error, "the journal goes on though it is long");
        }
        (indexed, since) = (appended, Instant::now());
        is_asleep.store(true, Ordering::Release);
        if journal.appended() == appended {
            return true;
        }
        // Between the last look and going to sleep.
        is_asleep.store(false, Ordering::Release);
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        let stop = || match self.wake.try_send(IndexerCall::Stop) {
            Err(TrySendError::Full(_)) => self.wake.send(IndexerCall::Stop).is_ok(),
            other => other.is_ok(),
        };
        stop();
        if let Some(thread) = self.thread.take() {
            let _panicked_and_was_reported = thread.join();
        }
    }
}
