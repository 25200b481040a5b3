//! Where records go: to the listener at once, to the store by one task, in order and in batches.
//!
//! Two promises, chosen per call. *Soon*: the record goes into a bounded queue, and a caller waits
//! when it is full. *Before the call*: the opening record is in the store before the call runs, and
//! where it cannot be, the call does not run.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OnceCell, mpsc, oneshot};
use toolgate_mask::Masker;
use toolgate_store::{AuditEntry, AuditKind, AuditLog, InstallationKey, KeyedHash, Store};
use toolgate_types::config::AuditSection;
use toolgate_types::{CallEnding, HostListener, since_1970};
use tracing::{debug, error};

use crate::approval_answer::ApprovalRecord;
use crate::draft::{RecordDraft, RecordTelling};
use crate::verify::retention;

/// How many records may wait to be written.
const WAITING: usize = 1024;

/// How many are written at once.
const BATCH: usize = 256;

/// How long a record waits for others to be written with it: under load one write then serves many
/// calls, and nobody wakes the task that writes for each of them.
const GATHERING: Duration = Duration::from_millis(20);

/// Where a host records its calls. Cheap to clone.
#[derive(Clone)]
pub struct CallJournal(Arc<JournalInner>);

struct JournalInner {
    listener: Arc<dyn HostListener>,
    masker: Masker,
    kept: Option<JournalStore>,
}

struct JournalStore {
    log: Arc<dyn AuditLog>,
    store: Arc<dyn Store>,
    /// Nothing where it could not be had; then there are no hashes.
    key: OnceCell<Option<InstallationKey>>,
    settings: AuditSection,
    queue: OnceLock<mpsc::Sender<JournalJob>>,
}

/// Work for the task that writes.
enum JournalJob {
    Keep(Box<RecordDraft>, CallEnding, u64),
    Answer(Box<(RecordDraft, ApprovalRecord)>),
    /// A row that is about no call.
    Row(Box<AuditEntry>),
    /// Answers once everything before it is written.
    Settle(oneshot::Sender<()>),
}

/// The opening record could not be kept.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the call could not be recorded: {0}")]
pub struct Unrecorded(String);

impl CallJournal {
    /// One that only tells.
    pub fn telling(listener: Arc<dyn HostListener>, masker: Masker) -> Self {
        Self(Arc::new(JournalInner { listener, masker, kept: None }))
    }

    /// One that is kept. The store's key makes hashes of arguments that nobody else can guess by
    /// trying.
    pub fn kept(
        listener: Arc<dyn HostListener>,
        masker: Masker,
        log: Arc<dyn AuditLog>,
        store: Arc<dyn Store>,
        settings: AuditSection,
    ) -> Self {
        let (key, queue) = (OnceCell::new(), OnceLock::new());
        let kept = Some(JournalStore { log, store, key, settings, queue });
        Self(Arc::new(JournalInner { listener, masker, kept }))
    }

    pub(crate) fn listener(&self) -> &dyn HostListener {
        &*self.0.listener
    }

    /// Masks what must not be read in records and errors.
    pub fn masker(&self) -> &Masker {
        &self.0.masker
    }

    pub fn settings(&self) -> Option<&AuditSection> {
        self.0.kept.as_ref().map(|kept| &kept.settings)
    }

    pub(crate) fn log(&self) -> Option<&dyn AuditLog> {
        self.0.kept.as_ref().map(|kept| &*kept.log)
    }

    /// How many records wait to be written.
    pub fn waiting(&self) -> usize {
        let queue = self.0.kept.as_ref().and_then(|kept| kept.queue.get());
        queue.map_or(0, |queue| queue.max_capacity().saturating_sub(queue.capacity()))
    }

    /// Waits until everything recorded so far is written.
    pub async fn settle(&self) {
        let Some(queue) = self.0.kept.as_ref().and_then(|kept| kept.queue.get()) else { return };
        let (done, is_done) = oneshot::channel();
        if queue.send(JournalJob::Settle(done)).await.is_ok() {
            let _ = is_done.await;
        }
    }

    /// In the store before this returns: that a round begins, after the end of the one before it.
    pub(crate) async fn keep_now(
        &self,
        ended: Option<(&RecordDraft, u64)>,
        draft: &RecordDraft,
    ) -> Result<(), Unrecorded> {
        let Some(kept) = &self.0.kept else { return Ok(()) };
        let mut rows = Vec::with_capacity(2);
        if let Some((ended, micros)) = ended {
            let ending = Some((CallEnding::InputRequired, micros));
            rows.push(kept.row(ended, AuditKind::End, ending, &self.0.masker, None).await);
        }
        rows.push(kept.row(draft, AuditKind::Open, None, &self.0.masker, None).await);
        let appended = kept.log.append_audit(rows.into()).await;
        appended.map(|_| ()).map_err(|error| Unrecorded(error.to_string()))
    }

    /// In the store soon; waits only where too many wait already.
    pub(crate) async fn keep_soon(&self, draft: Box<RecordDraft>, ending: CallEnding, micros: u64) {
        self.queue(JournalJob::Keep(draft, ending, micros)).await;
    }

    async fn queue(&self, job: JournalJob) {
        if let Some(queue) = self.open_queue() {
            let _ = queue.send(job).await;
        }
    }

    /// Where records wait to be written, by a task that runs from the first one on.
    fn open_queue(&self) -> Option<&mpsc::Sender<JournalJob>> {
        let kept = self.0.kept.as_ref()?;
        Some(kept.queue.get_or_init(|| {
            let (queue, jobs) = mpsc::channel(WAITING);
            tokio::spawn(write(self.clone(), jobs));
            queue
        }))
    }

    /// The same from where nobody can wait.
    pub(crate) fn keep_eventually(&self, draft: Box<RecordDraft>, ending: CallEnding, micros: u64) {
        self.queue_eventually(JournalJob::Keep(draft, ending, micros));
    }

    /// What a person answered, or that nobody did.
    pub(crate) fn keep_answer(&self, draft: RecordDraft, answered: ApprovalRecord) {
        self.queue_eventually(JournalJob::Answer(Box::new((draft, answered))));
    }

    /// What is about no call.
    pub(crate) fn keep_row(&self, row: AuditEntry) {
        self.queue_eventually(JournalJob::Row(Box::new(row)));
    }

    fn queue_eventually(&self, job: JournalJob) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        // In its turn where there is room, and else when there is.
        if let Some(Err(TrySendError::Full(job))) =
            self.open_queue().map(|queue| queue.try_send(job))
        {
            let journal = self.clone();
            runtime.spawn(async move { journal.queue(job).await });
        }
    }
}

impl JournalStore {
    async fn row(
        &self,
        draft: &RecordDraft,
        kind: AuditKind,
        ending: Option<(CallEnding, u64)>,
        masker: &Masker,
        approval: Option<&ApprovalRecord>,
    ) -> AuditEntry {
        let hash = match &draft.arguments {
            Some(arguments) => self.hash(arguments.get()).await,
            None => None,
        };
        let arguments = self.settings.arguments;
        let arguments_hash = hash.as_deref();
        draft.row(kind, ending, &RecordTelling { arguments_hash, arguments, masker, approval })
    }

    /// Once a run is often enough for what is counted in days.
    async fn prune(&self) {
        let _ = self.log.prune_audit(now(), retention(&self.settings)).await;
    }

    async fn hash(&self, arguments: &str) -> Option<String> {
        let find = async || self.store.installation_key().await.ok();
        let secret = self.key.get_or_init(find).await.as_ref()?;
        let hash = KeyedHash::new(secret.as_bytes()).with(arguments.as_bytes());
        Some(hash.digest().to_hex())
    }
}

async fn write(journal: CallJournal, mut jobs: mpsc::Receiver<JournalJob>) {
    let Some(kept) = &journal.0.kept else { return };
    kept.prune().await;
    let mut batch = Vec::with_capacity(BATCH);
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        gather(&mut jobs, &mut batch).await;
        let (mut rows, mut waiting) = (Vec::with_capacity(batch.len()), Vec::new());
        for job in batch.drain(..) {
            match job {
                JournalJob::Keep(draft, ending, micros) => {
                    let ending = Some((ending, micros));
                    let masker = &journal.0.masker;
                    rows.push(kept.row(&draft, AuditKind::End, ending, masker, None).await);
                }
                JournalJob::Answer(answer) => {
                    let (draft, answered) = &*answer;
                    let (kind, masker) = (AuditKind::Decision, &journal.0.masker);
                    rows.push(kept.row(draft, kind, None, masker, Some(answered)).await);
                }
                JournalJob::Row(row) => rows.push(*row),
                JournalJob::Settle(done) => waiting.push(done),
            }
        }
        append(&*kept.log, rows).await;
        for done in waiting {
            let _ = done.send(());
        }
    }
}

/// Takes what comes within a moment, unless somebody waits for what is there already.
async fn gather(jobs: &mut mpsc::Receiver<JournalJob>, batch: &mut Vec<JournalJob>) {
    let is_waited_for =
        |batch: &[JournalJob]| batch.iter().any(|job| matches!(job, JournalJob::Settle(_)));
    if batch.len() >= BATCH || is_waited_for(batch) {
        return;
    }
    tokio::time::sleep(GATHERING).await;
    while batch.len() < BATCH {
        match jobs.try_recv() {
            Ok(job) => batch.push(job),
            Err(_) => return,
        }
    }
}

/// A store that is full or busy for a moment does not cost the records.
async fn append(log: &dyn AuditLog, rows: Vec<AuditEntry>) {
    if rows.is_empty() {
        return;
    }
    let rows: Arc<[AuditEntry]> = rows.into();
    for wait in [50, 500, 5_000] {
        match log.append_audit(Arc::clone(&rows)).await {
            Ok(_) => return,
            Err(error) => debug!(%error, records = rows.len(), wait, "records not written yet"),
        }
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
    let records = rows.len();
    if let Err(error) = log.append_audit(rows).await {
        error!(%error, records, "records are lost");
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    since_1970(SystemTime::now())
}

impl std::fmt::Debug for CallJournal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallJournal").field("is_kept", &self.0.kept.is_some()).finish()
    }
}

#[cfg(test)]
mod tests;
