//! A store that lives as long as its value: for the tests of everybody else.
//!
//! It behaves as `SqliteStore` does (one suite runs against both) and keeps nothing: there is no
//! way to it from the command line.

mod artifact;
mod audit;
mod pin;
mod switches;
mod token;
mod work_book;
mod workspace;

use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use toolgate_types::{Acceptances, AcceptedEntry, Digest, EntryKind, PersonSwitch, WindowMark};

use crate::snapshot::MOST;
use crate::{
    InstallationKey, KeptToken, PackageLock, Pin, PinKey, PinnedInstructions, ProjectRoot,
    Snapshot, Store, StoreError, WindowGrant, Workspace,
};

type EntryKey = (ProjectRoot, EntryKind, String);

#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<MemoryTables>);

#[derive(Debug, Default)]
struct MemoryTables {
    entries: BTreeMap<EntryKey, AcceptedEntry>,
    spoken: BTreeMap<Digest, String>,
    snapshots: BTreeMap<Digest, Snapshot>,
    installation: Option<InstallationKey>,
    audit: audit::MemoryAuditLog,
    artifacts: Vec<artifact::MemoryArtifact>,
    tokens: Vec<KeptToken>,
    workspaces: BTreeMap<ProjectRoot, Workspace>,
    pins: BTreeMap<PinKey, BTreeMap<String, Pin>>,
    instructions: BTreeMap<PinKey, PinnedInstructions>,
    package_locks: BTreeMap<PinKey, PackageLock>,
    switches: BTreeSet<PersonSwitch>,
    grants: BTreeSet<(WindowMark, WindowGrant)>,
    work: work_book::MemoryWork,
    /// Why pins can be neither read nor kept, where a test wants that.
    pins_fault: Option<StoreError>,
}

impl MemoryStore {
    /// From now on pins can be neither read nor kept, as on a broken disk, or can be again.
    pub fn break_pins(&self, fault: Option<StoreError>) {
        self.kept().pins_fault = fault;
    }

    fn kept(&self) -> MutexGuard<'_, MemoryTables> {
        // No change can stop half way: a test that panicked elsewhere left it whole.
        self.0.lock()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn acceptances(&self, root: &ProjectRoot) -> Result<Acceptances, StoreError> {
        let kept = self.kept();
        let here = kept.entries.iter().filter(|((at, ..), _)| at == root);
        Ok(Acceptances::new(here.map(|(_, entry)| entry.clone()).collect()))
    }

    async fn all_acceptances(&self) -> Result<Vec<(ProjectRoot, AcceptedEntry)>, StoreError> {
        let kept = self.kept();
        Ok(kept.entries.iter().map(|((root, ..), entry)| (root.clone(), entry.clone())).collect())
    }

    async fn accept(&self, root: &ProjectRoot, entry: AcceptedEntry) -> Result<(), StoreError> {
        let key = (root.clone(), entry.kind, entry.id.clone());
        self.kept().entries.insert(key, entry);
        Ok(())
    }

    async fn revoke(
        &self,
        root: &ProjectRoot,
        kind: EntryKind,
        id: &str,
    ) -> Result<bool, StoreError> {
        Ok(self.kept().entries.remove(&(root.clone(), kind, id.to_owned())).is_some())
    }

    async fn revision_of(&self, entry: Digest) -> Result<Option<String>, StoreError> {
        Ok(self.kept().spoken.get(&entry).cloned())
    }

    async fn keep_revision(&self, entry: Digest, revision: &str) -> Result<(), StoreError> {
        self.kept().spoken.insert(entry, revision.to_owned());
        Ok(())
    }

    async fn package_lock(&self, key: &PinKey) -> Result<Option<PackageLock>, StoreError> {
        Ok(self.kept().package_locks.get(key).cloned())
    }

    async fn keep_package_lock(&self, key: &PinKey, lock: PackageLock) -> Result<(), StoreError> {
        self.kept().package_locks.insert(key.clone(), lock);
        Ok(())
    }

    async fn forget_package_lock(&self, key: &PinKey) -> Result<bool, StoreError> {
        Ok(self.kept().package_locks.remove(key).is_some())
    }

    async fn snapshot(&self, key: Digest) -> Result<Option<Snapshot>, StoreError> {
        Ok(self.kept().snapshots.get(&key).cloned())
    }

    async fn keep_snapshot(&self, key: Digest, snapshot: Snapshot) -> Result<(), StoreError> {
        let snapshots = &mut self.kept().snapshots;
        snapshots.insert(key, snapshot);
        let others = snapshots.iter().filter(|(other, _)| **other != key);
        let oldest = others.map(|(other, kept)| (kept.taken_at, *other)).min();
        if let Some((_, oldest)) = oldest
            && snapshots.len() > usize::from(MOST)
        {
            snapshots.remove(&oldest);
        }
        Ok(())
    }

    async fn forget_snapshot(&self, key: Digest) -> Result<bool, StoreError> {
        Ok(self.kept().snapshots.remove(&key).is_some())
    }

    async fn installation_key(&self) -> Result<InstallationKey, StoreError> {
        let kept = &mut self.kept().installation;
        if let Some(key) = kept {
            return Ok(key.clone());
        }
        Ok(kept.insert(InstallationKey::random()?).clone())
    }
}
