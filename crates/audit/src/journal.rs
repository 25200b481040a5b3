//! Where records go: to the listener at once, and to the log in the course of the call.
//!
//! Two promises, chosen per call. *Before the call*: the opening record is kept before the call runs, and
//! where it cannot be, the call does not run. *Soon*: there is no opening record. Either way the end is kept
//! before the answer leaves, or waits within bounds for a log that takes nothing for a moment (`backlog`).

mod backlog;
mod plain_file;
mod plain_writer;
mod record_log;

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use toolgate_mask::Masker;
use toolgate_store::{AuditEntry, AuditKind, AuditLog, Store};
use toolgate_types::config::AuditSection;
use toolgate_types::{CallEnding, HostListener, since_1970};
use tracing::debug;

use crate::approval_answer::ApprovalRecord;
use crate::draft::RecordDraft;
use backlog::{JournalJob, RecordBacklog};
use record_log::RecordLog;

/// Where a host records its calls. Cheap to clone.
#[derive(Clone)]
pub struct CallJournal(Arc<JournalInner>);

struct JournalInner {
    listener: Arc<dyn HostListener>,
    masker: Masker,
    kept: Option<KeptRecords>,
}

struct KeptRecords {
    log: Arc<RecordLog>,
    /// From the first record on.
    backlog: OnceLock<RecordBacklog>,
}

/// The record of a call could not be kept.
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
        let log = Arc::new(RecordLog::new(log, store, settings, masker.clone()));
        let kept = Some(KeptRecords { log, backlog: OnceLock::new() });
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
        self.0.kept.as_ref().map(|kept| kept.log.settings())
    }

    pub(crate) fn log(&self) -> Option<&dyn AuditLog> {
        self.0.kept.as_ref().map(|kept| kept.log.log())
    }

    /// How many records wait to be written.
    pub fn waiting(&self) -> usize {
        let backlog = self.0.kept.as_ref().and_then(|kept| kept.backlog.get());
        backlog.map_or(0, RecordBacklog::waiting)
    }

    /// Waits until everything recorded so far is written.
    pub async fn settle(&self) {
        let Some(kept) = &self.0.kept else { return };
        if let Some(backlog) = kept.backlog.get() {
            backlog.settle().await;
        }
        kept.log.settle_plain().await;
    }

    /// Whether a call may begin whose record is written at its end: not where too many wait already.
    pub(crate) fn admit(&self) -> Result<(), Unrecorded> {
        match self.0.kept.as_ref().and_then(|kept| kept.backlog.get()) {
            Some(backlog) if backlog.is_crowded() => {
                Err(Unrecorded("too many records wait for a log that takes none".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// In the log before this returns: that a round begins, after the end of the one before it.
    pub(crate) async fn keep_now(
        &self,
        ended: Option<(&RecordDraft, u64)>,
        draft: &RecordDraft,
    ) -> Result<(), Unrecorded> {
        let Some(kept) = &self.0.kept else { return Ok(()) };
        let begun = kept.log.row(draft, AuditKind::Open, None, None).await;
        let appended = match ended {
            Some((ended, micros)) => {
                let ending = Some((CallEnding::InputRequired, micros));
                let ended = kept.log.row(ended, AuditKind::End, ending, None).await;
                kept.log.append(&[ended.written(), begun.written()]).await
            }
            None => kept.log.append(&[begun.written()]).await,
        };
        self.backlog();
        appended.map_err(|error| Unrecorded(error.to_string()))
    }

    /// In the log before this returns, or behind what waits for it.
    pub(crate) async fn keep_end(&self, draft: Box<RecordDraft>, ending: CallEnding, micros: u64) {
        let (Some(kept), Some(backlog)) = (&self.0.kept, self.backlog()) else { return };
        let ending = Some((ending, micros));
        let row = kept.log.row(&draft, AuditKind::End, ending, None).await;
        // What came before it, as a person's answer, is before it in the log too.
        if backlog.waiting() > 0 && !backlog.is_stuck() {
            backlog.catch_up().await;
        }
        if !backlog.is_stuck() {
            match kept.log.append(&[row.written()]).await {
                Ok(()) => return,
                Err(error) => debug!(%error, "a record is not written yet"),
            }
        }
        let waiting = Box::new(row.written().to_entry());
        backlog.add(JournalJob::Row(waiting)).await;
    }

    /// What waits, and whoever sees to the log, from the first record on.
    fn backlog(&self) -> Option<&RecordBacklog> {
        let kept = self.0.kept.as_ref()?;
        Some(kept.backlog.get_or_init(|| RecordBacklog::start(Arc::clone(&kept.log))))
    }

    /// The end of a call from where nobody can wait.
    pub(crate) fn keep_eventually(&self, draft: Box<RecordDraft>, ending: CallEnding, micros: u64) {
        self.add_eventually(JournalJob::Keep(draft, ending, micros));
    }

    /// What a person answered, or that nobody did.
    pub(crate) fn keep_answer(&self, draft: RecordDraft, answered: ApprovalRecord) {
        self.add_eventually(JournalJob::Answer(Box::new((draft, answered))));
    }

    /// What is about no call.
    pub(crate) fn keep_row(&self, row: AuditEntry) {
        self.add_eventually(JournalJob::Row(Box::new(row)));
    }

    fn add_eventually(&self, job: JournalJob) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        // In its turn where there is room, and else when there is.
        if let Some(job) = self.backlog().and_then(|backlog| backlog.try_add(job)) {
            let journal = self.clone();
            runtime.spawn(async move {
                if let Some(backlog) = journal.backlog() {
                    backlog.add(job).await;
                }
            });
        }
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
