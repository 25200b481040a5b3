//! The thread that makes rows of what this process appends, when there is time.
//!
//! It sleeps until something is appended. While much is, it gives way, for up to a minute, and then takes half of
//! the time until it has what was there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::super::writer::DatabaseWriter;
use super::index::{IndexedEntries, fill};
use super::indexing_pace::IndexingPace;
use super::own_journal::{OwnJournal, now};
use crate::StoreError;

/// How often it looks while there is something to do.
const TICK: Duration = Duration::from_millis(500);

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
            let mut pace = IndexingPace::begin(Instant::now());
            while matches!(calls.recv(), Ok(IndexerCall::Wake)) {
                if !index_until_idle(&calls, &journal, &writer, (&mut pace, &asleep)) {
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
    (pace, is_asleep): (&mut IndexingPace, &AtomicBool),
) -> bool {
    pace.wake(Instant::now());
    loop {
        if is_stopped_within(calls, TICK) {
            return false;
        }
        let appended = journal.appended();
        if !pace.is_due(appended, Instant::now()) {
            continue;
        }
        let is_more = loop {
            let (began, before) = (Instant::now(), journal.appended());
            let folder = journal.folder().clone();
            let pass = move |connection: &mut _| fill(connection, &folder, now());
            let done = writer.run_with_files_waiting(pass).unwrap_or_else(|error| {
                // It stays in the journal, and is tried again with what comes next.
                tracing::debug!(%error, "records are not in the index yet");
                IndexedEntries::default()
            });
            pace.make(done.entries);
            if !done.is_more || pace.made() >= appended {
                break done.is_more;
            }
            // Who calls meanwhile has as much of the time as this has.
            if journal.appended() > before && is_stopped_within(calls, began.elapsed()) {
                return false;
            }
        };
        if let Err(error) = journal.turn_over(writer) {
            tracing::debug!(%error, "the journal goes on though it is long");
        }
        pace.catch_up(appended, Instant::now());
        is_asleep.store(true, Ordering::Release);
        if !is_more && journal.appended() == appended {
            return true;
        }
        // Between the last look and going to sleep.
        is_asleep.store(false, Ordering::Release);
    }
}

fn is_stopped_within(calls: &Receiver<IndexerCall>, time: Duration) -> bool {
    match calls.recv_timeout(time) {
        Ok(IndexerCall::Wake) | Err(RecvTimeoutError::Timeout) => false,
        Ok(IndexerCall::Stop) | Err(RecvTimeoutError::Disconnected) => true,
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
