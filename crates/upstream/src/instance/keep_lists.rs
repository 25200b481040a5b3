//! What is kept of a server's lists between runs, and read once before it is asked.

use std::time::SystemTime;

use toolgate_store::Snapshot;
use toolgate_types::since_1970;
use tracing::debug;

use super::ServerInstance;
use super::key::snapshot_key;
use crate::catalog::snapshot;

impl ServerInstance {
    /// Reads the snapshot and what was accepted, once. Whoever comes meanwhile waits for it: what is
    /// kept must not be asked of the server.
    pub(super) async fn restore(&self) {
        self.restored.get_or_init(|| self.read_kept()).await;
    }

    pub(crate) async fn recall(&self) {
        self.restore().await;
    }

    async fn read_kept(&self) {
        let kept = match self.ground.uses_snapshots {
            true => self.kept().await,
            false => None,
        };
        let (lists, instructions) = kept.map(|kept| snapshot::read(&kept.body)).unwrap_or_default();
        let lists = self.accepted_of_kept(lists).await;
        self.restore_instructions(instructions).await;
        debug!(server = self.id.as_str(), is_hit = !lists.is_empty(), "snapshot looked for");
        {
            let mut state = self.state();
            for (kind, listing) in lists {
                state.catalog.restore(kind, listing);
            }
            state.is_restored = true;
        }
        self.members.changed();
    }

    async fn kept(&self) -> Option<Snapshot> {
        let store = self.ground.store.as_ref()?;
        let secret = store.installation_key().await.ok()?;
        let key = snapshot_key(secret.as_bytes(), &self.entry, &self.ground);
        store.snapshot(key).await.ok()?
    }

    /// A snapshot that cannot be kept costs a wait at the next start, and nothing else.
    pub(super) async fn keep_snapshot(&self) {
        let Some(store) = &self.ground.store else { return };
        let Ok(secret) = store.installation_key().await else { return };
        let key = snapshot_key(secret.as_bytes(), &self.entry, &self.ground);
        let before = store.snapshot(key).await.ok().flatten();
        let before = before.as_ref().map(|before| before.body.as_str());
        let body = {
            let state = self.state();
            snapshot::write(&state.catalog, &state.instructions, before)
        };
        let Some(body) = body else { return };
        let taken_at = since_1970(SystemTime::now());
        let _ = store.keep_snapshot(key, Snapshot { body, taken_at }).await;
    }
}
