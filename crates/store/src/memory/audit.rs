//! The audit in memory: the same chain, the same pruning.

use std::sync::Arc;

use async_trait::async_trait;

use super::MemoryStore;
use crate::audit::chain::{GENESIS, Walk, link};
use crate::{
    AuditEntry, AuditHead, AuditLog, AuditQuery, AuditRow, AuditVerdict, StoreError, time,
};

#[derive(Debug, Default)]
pub(super) struct Log {
    rows: Vec<AuditRow>,
    checkpoint: Option<AuditHead>,
}

impl Log {
    fn end(&self) -> AuditHead {
        let last = self.rows.last().map(|row| (row.sequence, row.hash));
        last.or(self.checkpoint).unwrap_or(GENESIS)
    }

    /// How many of the first rows are too old or too many.
    fn to_go(&self, keep_since: u64, keep_bytes: u64) -> usize {
        let young = self.rows.iter().position(|row| row.entry.at >= time::kept(keep_since));
        let mut kept = 0_u64;
        let fits = |row: &&AuditRow| {
            kept = kept.saturating_add(row.entry.weight());
            kept <= keep_bytes
        };
        let enough = self.rows.iter().rev().take_while(fits).count();
        young.unwrap_or(self.rows.len()).max(self.rows.len() - enough)
    }
}

#[async_trait]
impl AuditLog for MemoryStore {
    async fn append_audit(&self, entries: Arc<[AuditEntry]>) -> Result<u64, StoreError> {
        let log = &mut self.kept().audit;
        for entry in entries.iter().cloned() {
            let entry = AuditEntry { at: time::kept(entry.at), ..entry };
            let (last, previous) = log.end();
            let sequence = last + 1;
            let hash = link(previous, sequence, &entry);
            log.rows.push(AuditRow { sequence, entry, hash });
        }
        Ok(log.end().0)
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let kept = self.kept();
        let found = kept.audit.rows.iter().filter(|row| query.finds(row));
        Ok(if query.newest_first {
            found.rev().take(query.limit).cloned().collect()
        } else {
            found.take(query.limit).cloned().collect()
        })
    }

    async fn verify_audit(&self, expected: Option<AuditHead>) -> Result<AuditVerdict, StoreError> {
        let log = &self.kept().audit;
        let mut walk = Walk::begin(log.checkpoint, expected);
        let walked = log.rows.iter().try_for_each(|row| walk.step(row));
        Ok(walked.map_or_else(|verdict| verdict, |()| walk.end()))
    }

    async fn prune_audit(&self, keep_since: u64, keep_bytes: u64) -> Result<u64, StoreError> {
        let log = &mut self.kept().audit;
        let gone = log.rows.drain(..log.to_go(keep_since, keep_bytes)).collect::<Vec<_>>();
        if let Some(last) = gone.last() {
            log.checkpoint = Some((last.sequence, last.hash));
        }
        Ok(gone.len() as u64)
    }
}
