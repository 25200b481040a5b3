//! Records that wait: those from where nobody can wait for the log, and those that it did not take.
//!
//! A log that takes nothing, as on a full disk, is tried again until it does; what waits keeps its order. New
//! calls are refused while half of the room is taken: the other half is for the ends of calls that run and
//! for calls that are refused.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc, oneshot};
use tokio::time::{sleep, timeout};
use toolgate_store::{AuditEntry, AuditKind, WrittenEntry};
use toolgate_types::CallEnding;
use tracing::{debug, error, warn};

use super::now;
use super::record_log::RecordLog;
use crate::approval_answer::ApprovalRecord;
use crate::draft::RecordDraft;
use crate::verify::retention;

/// How many records may wait, and how many may wait while calls begin.
const ROOM: usize = 4096;
const CROWDED: usize = ROOM / 2;

/// How many are written at once.
const BATCH: usize = 256;

/// How long the end of a call waits for room before its record is given up, and whoever wants all written.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often old records are looked for.
const PRUNING: Duration = Duration::from_secs(600);

/// Work for the task that writes.
pub(super) enum JournalJob {
    Keep(Box<RecordDraft>, CallEnding, u64),
    Answer(Box<(RecordDraft, ApprovalRecord)>),
    /// One that is made already.
    Row(Box<AuditEntry>),
    /// Answers once everything before it is written.
    Settle(oneshot::Sender<()>),
}

#[derive(Debug)]
pub(super) struct RecordBacklog {
    jobs: mpsc::Sender<JournalJob>,
    state: Arc<BacklogState>,
}

/// What the task that writes lets others know.
#[derive(Debug, Default)]
struct BacklogState {
    /// Records that were added and are not written yet.
    waiting: AtomicUsize,
    /// The log takes nothing at the moment.
    is_stuck: AtomicBool,
    /// Held while old records are taken away.
    pruning: Arc<Mutex<()>>,
}

impl RecordBacklog {
    pub(super) fn start(log: Arc<RecordLog>) -> Self {
        let (jobs, waiting) = mpsc::channel(ROOM);
        let state = Arc::new(BacklogState::default());
        // It may take long, and nobody's record waits for it. Nobody else has its turn yet.
        if let Ok(turn) = Arc::clone(&state.pruning).try_lock_owned() {
            tokio::spawn(prune_now_and_then(Arc::downgrade(&log), turn));
        }
        tokio::spawn(write(log, Arc::clone(&state), waiting));
        Self { jobs, state }
    }

    pub(super) fn waiting(&self) -> usize {
        self.state.waiting.load(Ordering::Acquire)
    }

    /// Whether the log takes nothing, so that whoever has a record leaves it here.
    pub(super) fn is_stuck(&self) -> bool {
        self.state.is_stuck.load(Ordering::Acquire)
    }

    /// Whether what room is left is kept for what is under way.
    pub(super) fn is_crowded(&self) -> bool {
        self.waiting() >= CROWDED
    }

    /// Waits for room, though not for ever.
    pub(super) async fn add(&self, job: JournalJob) {
        self.state.waiting.fetch_add(1, Ordering::AcqRel);
        if self.jobs.send_timeout(job, PATIENCE).await.is_err() {
            self.state.waiting.fetch_sub(1, Ordering::AcqRel);
            error!("a record is lost: too many wait for a log that takes none");
        }
    }

    /// The same from where nobody can wait; the job again where there is no room.
    pub(super) fn try_add(&self, job: JournalJob) -> Option<JournalJob> {
        self.state.waiting.fetch_add(1, Ordering::AcqRel);
        let Err(refused) = self.jobs.try_send(job) else { return None };
        self.state.waiting.fetch_sub(1, Ordering::AcqRel);
        match refused {
            TrySendError::Full(job) => Some(job),
            TrySendError::Closed(_) => None,
        }
    }

    /// Until everything before is written and what is too old is gone, though not for ever.
    pub(super) async fn settle(&self) {
        self.catch_up().await;
        let _the_log_is_long = timeout(PATIENCE, self.state.pruning.lock()).await;
    }

    /// Until everything before is written, though not for ever.
    pub(super) async fn catch_up(&self) {
        let (done, is_done) = oneshot::channel();
        let settled = async {
            if self.jobs.send(JournalJob::Settle(done)).await.is_ok() {
                let _ = is_done.await;
            }
        };
        let _the_log_takes_nothing = timeout(PATIENCE, settled).await;
    }
}

/// Until nobody records any more, and nothing waits.
async fn write(
    log: Arc<RecordLog>,
    state: Arc<BacklogState>,
    mut jobs: mpsc::Receiver<JournalJob>,
) {
    let mut batch = Vec::with_capacity(BATCH);
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        let (mut rows, mut settled) = (Vec::new(), Vec::new());
        for job in batch.drain(..) {
            match job {
                JournalJob::Keep(draft, ending, micros) => {
                    let ending = Some((ending, micros));
                    let row = log.row(&draft, AuditKind::End, ending, None).await;
                    rows.push(row.written().to_entry());
                }
                JournalJob::Answer(answer) => {
                    let (draft, answered) = &*answer;
                    let row = log.row(draft, AuditKind::Decision, None, Some(answered)).await;
                    rows.push(row.written().to_entry());
                }
                JournalJob::Row(row) => rows.push(*row),
                JournalJob::Settle(done) => settled.push(done),
            }
        }
        append(&log, &state, &rows).await;
        state.waiting.fetch_sub(rows.len(), Ordering::AcqRel);
        for done in settled {
            let _nobody_waits = done.send(());
        }
    }
}

/// Takes away what is too old or too much, for as long as there is a log.
async fn prune_now_and_then(log: Weak<RecordLog>, mut turn: OwnedMutexGuard<()>) {
    while let Some(log) = log.upgrade() {
        if let Err(error) = log.log().prune_audit(now(), retention(log.settings())).await {
            debug!(%error, "old records stay for now");
        }
        drop(log);
        let pruning = Arc::clone(OwnedMutexGuard::mutex(&turn));
        drop(turn);
        sleep(PRUNING).await;
        turn = pruning.lock_owned().await;
    }
}

/// A log that is full or busy does not cost the records: it is tried until it takes them.
async fn append(log: &RecordLog, state: &BacklogState, rows: &[AuditEntry]) {
    if rows.is_empty() {
        return;
    }
    let mut wait = Duration::from_millis(50);
    let written: Vec<WrittenEntry<'_>> = rows.iter().map(WrittenEntry::from).collect();
    while let Err(error) = log.append(&written).await {
        state.is_stuck.store(true, Ordering::Release);
        debug!(%error, records = rows.len(), ?wait, "records not written yet");
        if wait > Duration::from_secs(1) {
            warn!(%error, records = rows.len(), "records cannot be written, and wait");
        }
        sleep(wait).await;
        wait = (wait * 4).min(Duration::from_secs(5));
    }
    state.is_stuck.store(false, Ordering::Release);
}
