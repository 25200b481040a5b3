//! The audit in `state.db`: what is done on which connection. Its SQL is in a file per step.

mod append;
mod prune;
mod row;
mod search;
mod verify;

use std::sync::Arc;

use async_trait::async_trait;

use super::SqliteStore;
use crate::audit::chain::Walk;
use crate::{AuditEntry, AuditHead, AuditLog, AuditQuery, AuditRow, AuditVerdict, StoreError};

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
        let Some(state) = self.reading() else { return Ok(Walk::begin(None, expected).end()) };
        state.reader.run(move |connection| verify::verify(connection, expected)).await
    }

    async fn prune_audit(&self, keep_since: u64, keep_bytes: u64) -> Result<u64, StoreError> {
        let state = self.writing()?;
        let last = state
            .reader
            .run(move |connection| prune::last_to_go(connection, keep_since, keep_bytes))
            .await?;
        // In portions: whoever wants to append comes in between.
        let mut gone = 0;
        loop {
            let more = state.writer.run(move |connection| prune::remove(connection, last)).await?;
            if more == 0 {
                return Ok(gone);
            }
            gone += more;
        }
    }
}
