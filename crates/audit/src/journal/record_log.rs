//! The log that records are written to, and what makes a row of a draft: hash, mask, settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;
use toolgate_mask::Masker;
use toolgate_store::{AuditKind, AuditLog, HashKey, Store, StoreError, WrittenEntry};
use toolgate_types::config::{AuditSection, AuditSync};
use toolgate_types::{CallEnding, HexDigest};
use tracing::warn;

use super::plain_writer::PlainWriter;
use crate::approval_answer::ApprovalRecord;
use crate::draft::{RecordDraft, RecordRow, RecordTelling, ToldParts};

/// How long records are with the system alone, where they are put on the disk now and then.
const SYNCING: Duration = Duration::from_secs(1);

pub(super) struct RecordLog {
    log: Arc<dyn AuditLog>,
    store: Arc<dyn Store>,
    settings: AuditSection,
    masker: Masker,
    /// Beside it, for whoever follows a file.
    plain: Option<PlainWriter>,
    /// Nothing where it could not be had; then there are no hashes.
    key: OnceCell<Option<HashKey>>,
    /// Whether somebody sees to it that what was written is on the disk within a moment.
    is_sync_due: Arc<AtomicBool>,
}

impl RecordLog {
    pub(super) fn new(
        log: Arc<dyn AuditLog>,
        store: Arc<dyn Store>,
        settings: AuditSection,
        masker: Masker,
    ) -> Self {
        let (key, is_sync_due) = (OnceCell::new(), Arc::new(AtomicBool::new(false)));
        let plain = settings.jsonl.clone().map(PlainWriter::of);
        Self { log, store, settings, masker, plain, key, is_sync_due }
    }

    pub(super) fn settings(&self) -> &AuditSection {
        &self.settings
    }

    pub(super) fn log(&self) -> &dyn AuditLog {
        &*self.log
    }

    /// As safe as the settings want it.
    pub(super) async fn append(&self, rows: &[WrittenEntry<'_>]) -> Result<(), StoreError> {
        match self.log.append_at_once(rows) {
            Some(appended) => appended?,
            None => self.log.append_written(rows).await?,
        }
        if let Some(plain) = &self.plain {
            plain.add(rows);
        }
        match self.settings.fsync {
            AuditSync::None => Ok(()),
            AuditSync::Always => self.log.sync_audit().await,
            AuditSync::Interval => {
                self.sync_soon();
                Ok(())
            }
        }
    }

    /// Until the plain file has what was appended.
    pub(super) async fn settle_plain(&self) {
        if let Some(plain) = &self.plain {
            plain.settle().await;
        }
    }

    /// Once for all that is written until then.
    fn sync_soon(&self) {
        if self.is_sync_due.swap(true, Ordering::AcqRel) {
            return;
        }
        let (log, is_due) = (Arc::clone(&self.log), Arc::clone(&self.is_sync_due));
        tokio::spawn(async move {
            tokio::time::sleep(SYNCING).await;
            is_due.store(false, Ordering::Release);
            if let Err(error) = log.sync_audit().await {
                warn!(%error, "records are not on the disk yet");
            }
        });
    }

    /// What is dear to make of it is made once for all its rows.
    pub(super) async fn row<'a>(
        &'a self,
        draft: &'a RecordDraft,
        kind: AuditKind,
        ending: Option<(CallEnding, u64)>,
        approval: Option<&'a ApprovalRecord>,
    ) -> RecordRow<'a> {
        let told = match draft.told.get() {
            Some(told) => told,
            None => {
                let told = self.told(draft).await;
                draft.told.get_or_init(|| told)
            }
        };
        draft.row(kind, ending, told, &RecordTelling { masker: &self.masker, approval })
    }

    async fn told(&self, draft: &RecordDraft) -> ToldParts {
        let hash = match &draft.arguments {
            Some(arguments) => self.hash(arguments.get()).await,
            None => None,
        };
        ToldParts::of(draft, hash, self.settings.arguments, &self.masker)
    }

    async fn hash(&self, arguments: &str) -> Option<HexDigest> {
        let find = async || {
            let secret = self.store.installation_key().await.ok()?;
            Some(HashKey::new(secret.as_bytes()))
        };
        let key = self.key.get_or_init(find).await.as_ref()?;
        Some(key.begin().with(arguments.as_bytes()).digest().hex())
    }
}
