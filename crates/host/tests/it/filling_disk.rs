//! A log on a disk that is full when a test says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use toolgate_store::{
    AuditLog, AuditQuery, AuditRetention, AuditRow, AuditVerdict, AuditVisitor, LogHead,
    SqliteStore, StoreError, WrittenEntry,
};

/// A store whose disk is full at times.
pub(crate) struct FillingDisk {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) is_full: AtomicBool,
}

#[async_trait]
impl AuditLog for FillingDisk {
    async fn append_written(&self, entries: &[WrittenEntry<'_>]) -> Result<(), StoreError> {
        match self.is_full.load(Ordering::Relaxed) {
            true => Err(StoreError::Full),
            false => self.store.append_written(entries).await,
        }
    }

    async fn sync_audit(&self) -> Result<(), StoreError> {
        self.store.sync_audit().await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        self.store.audit(query).await
    }

    async fn verify_audit(&self, expected: Option<LogHead>) -> Result<AuditVerdict, StoreError> {
        self.store.verify_audit(expected).await
    }

    async fn walk_audit(
        &self,
        expected: Option<LogHead>,
        visit: AuditVisitor,
    ) -> Result<AuditVerdict, StoreError> {
        self.store.walk_audit(expected, visit).await
    }

    async fn prune_audit(&self, now: u64, retention: AuditRetention) -> Result<u64, StoreError> {
        self.store.prune_audit(now, retention).await
    }
}
