//! Records that wait: those from where nobody can wait for the log, and those that it did not take.
//!
//! A log that takes nothing, as on a full disk, is tried again until it does; what waits keeps its order. New
//! calls are refused while half of the room is taken: the other half is for the ends of calls that run and
//! for calls that are refused. The same task takes old records away.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use toolgate_store::{AuditEntry, AuditKind};
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
}

impl RecordBacklog {
    pub(super) fn start(log: Arc<RecordLog>) -> Self {
        let (jobs, waiting) = mpsc::channel(ROOM);
        tokio::spawn(write(log, waiting));
        Self { jobs }
    }

    pub(super) fn waiting(&self) -> usize {
        self.jobs.max_capacity().saturating_sub(self.jobs.capacity())
    }

    /// Whether what room is left is kept for what is under way.
    pub(super) fn is_crowded(&self) -> bool {
        self.waiting() >= CROWDED
    }

    /// Waits for room, though not for ever.
    pub(super) async fn add(&self, job: JournalJob) {
        if self.jobs.send_timeout(job, PATIENCE).await.is_err() {
            error!("a record is lost: too many wait for a log that takes none");
        }
    }

    /// The same from where nobody can wait; the job again where there is no room.
    pub(super) fn try_add(&self, job: JournalJob) -> Option<JournalJob> {
        match self.jobs.try_send(job) {
            Err(TrySendError::Full(job)) => Some(job),
            Err(TrySendError::Closed(_)) | Ok(()) => None,
        }
    }

    /// Until everything before is written, though not for ever.
    pub(super) async fn settle(&self) {
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
async fn write(log: Arc<RecordLog>, mut jobs: mpsc::Receiver<JournalJob>) {
    let mut batch = Vec::with_capacity(BATCH);
    let mut pruned = prune(&log).await;
    loop {
        match timeout_at(pruned + PRUNING, jobs.recv_many(&mut batch, BATCH)).await {
            Ok(0) => return,
            Ok(_) => {}
            Err(_) => {
                pruned = prune(&log).await;
                continue;
            }
        }
        let (mut rows, mut settled) = (Vec::new(), Vec::new());
        for job in batch.drain(..) {
            match job {
                JournalJob::Keep(draft, ending, micros) => {
                    let ending = Some((ending, micros));
                    rows.push(log.row(&draft, AuditKind::End, ending, None).await);
                }
                JournalJob::Answer(answer) => {
                    let (draft, answered) = &*answer;
                    rows.push(log.row(draft, AuditKind::Decision, None, Some(answered)).await);
                }
                JournalJob::Row(row) => rows.push(*row),
                JournalJob::Settle(done) => settled.push(done),
            }
        }
        append(&log, &rows).await;
        for done in settled {
            let _nobody_waits = done.send(());
        }
    }
}

/// Takes away what is too old or too much; answers when that was.
async fn prune(log: &RecordLog) -> Instant {
    if let Err(error) = log.log().prune_audit(now(), retention(log.settings())).await {
        debug!(%error, "old records stay for now");
    }
    Instant::now()
}

/// A log that is full or busy does not cost the records: it is tried until it takes them.
async fn append(log: &RecordLog, rows: &[AuditEntry]) {
    if rows.is_empty() {
        return;
    }
    let mut wait = Duration::from_millis(50);
    while let Err(error) = log.append(rows).await {
        debug!(%error, records = rows.len(), ?wait, "records not written yet");
        if wait > Duration::from_secs(1) {
            warn!(%error, records = rows.len(), "records cannot be written, and wait");
        }
        sleep(wait).await;
        wait = (wait * 4).min(Duration::from_secs(5));
    }
}
