//! A store that keeps lists and never gives them back: what a person asks for now is the servers'
//! own word, and the next run with `--cached` still finds it.

use async_trait::async_trait;
use toolgate_store::{InstallationKey, ProjectRoot, Snapshot, SqliteStore, Store, StoreError};
use toolgate_types::{Acceptances, AcceptedEntry, Digest, EntryKind};

pub(super) struct LiveOnly(pub(super) SqliteStore);

#[async_trait]
impl Store for LiveOnly {
    async fn snapshot(&self, _: Digest) -> Result<Option<Snapshot>, StoreError> {
        Ok(None)
    }

    async fn acceptances(&self, root: &ProjectRoot) -> Result<Acceptances, StoreError> {
        self.0.acceptances(root).await
    }

    async fn all_acceptances(&self) -> Result<Vec<(ProjectRoot, AcceptedEntry)>, StoreError> {
        self.0.all_acceptances().await
    }

    async fn accept(&self, root: &ProjectRoot, entry: AcceptedEntry) -> Result<(), StoreError> {
        self.0.accept(root, entry).await
    }

    async fn revoke(
        &self,
        root: &ProjectRoot,
        kind: EntryKind,
        id: &str,
    ) -> Result<bool, StoreError> {
        self.0.revoke(root, kind, id).await
    }

    async fn revision_of(&self, entry: Digest) -> Result<Option<String>, StoreError> {
        self.0.revision_of(entry).await
    }

    async fn keep_revision(&self, entry: Digest, revision: &str) -> Result<(), StoreError> {
        self.0.keep_revision(entry, revision).await
    }

    async fn keep_snapshot(&self, key: Digest, snapshot: Snapshot) -> Result<(), StoreError> {
        self.0.keep_snapshot(key, snapshot).await
    }

    async fn forget_snapshot(&self, key: Digest) -> Result<bool, StoreError> {
        self.0.forget_snapshot(key).await
    }

    async fn installation_key(&self) -> Result<InstallationKey, StoreError> {
        self.0.installation_key().await
    }
}
