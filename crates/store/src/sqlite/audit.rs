//! The audit in `state.db`: what is done on which connection. Its SQL is in a file per step.

mod append;
mod prune;
mod row;
mod search;
mod verify;

use std::sync::Arc;

use async_trait::async_trait;

use super::SqliteStore;
use crate::audit::chain::ChainWalk;
use crate::{
    AuditEntry, AuditHead, AuditLog, AuditQuery, AuditRetention, AuditRow, AuditVerdict,
    AuditVisitor, StoreError,
};
pub(super) use prune::record_what_went_before;

#[async_trait]
impl AuditLog for SqliteStore {
    async fn append_audit(&self, entries: Arc<[AuditEntry]>) -> Result<u64, StoreError> {
        self.writing()?.writer.run(move |connection| append::append(connection, &entries)).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.reader.run(move |connection| search::search(connection, &query)).await
    }

    async fn verify_audit(&self, expected: Option<AuditHead>) -> Result<AuditVerdict, StoreError> {
        self.walk_audit(expected, Box::new(|_| {})).await
    }

    async fn walk_audit(
        &self,
        expected: Option<AuditHead>,
        visit: AuditVisitor,
    ) -> Result<AuditVerdict, StoreError> {
        let Some(state) = self.reading() else { return Ok(ChainWalk::begin(None, expected).end()) };
        state.reader.run(move |connection| verify::verify(connection, expected, visit)).await
    }

    async fn prune_audit(&self, now: u64, retention: AuditRetention) -> Result<u64, StoreError> {
        let state = self.writing()?;
        let find = move |connection: &mut _| prune::target(connection, now, retention);
        let Some(target) = state.reader.run(find).await? else { return Ok(0) };
        // In portions: whoever wants to append comes in between.
        let mut gone = 0;
        loop {
            let more = state.writer.run(move |connection| prune::cut(connection, target)).await?;
            if more == 0 {
                return Ok(gone);
            }
            gone += more;
        }
    }
}
