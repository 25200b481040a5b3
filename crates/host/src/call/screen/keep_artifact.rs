//! Keeps what is not passed on, for the one it was made for.
//!
//! Whatever goes wrong here costs the copy and not the result.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolgate_store::{Artifact, ArtifactStore, NewArtifact, StoreError};
use toolgate_types::ServerId;
use toolgate_types::config::Transport;
use toolgate_upstream::{RequestError, SpilledAnswer};

use super::ScreenFor;
use crate::Host;
use crate::artifact::now;
use crate::call::call_trouble::CallTrouble;

/// The first-party tool that reads what is kept.
const READING: (&str, &str) = ("workflow", "artifact_read");

/// This part of what may be kept is made free where it is full.
const ROOM: u64 = 16;

/// For whom, and of what.
pub(super) struct ArtifactKeeper<'a> {
    pub(super) host: &'a Host,
    pub(super) caller: &'a ScreenFor,
    pub(super) server: &'a ServerId,
    /// The name of the tool, or the URI of the resource.
    pub(super) tool: &'a str,
    /// The whole result, where it is kept already.
    pub(super) kept: Option<Artifact>,
}

impl ArtifactKeeper<'_> {
    pub(super) async fn keep(&self, bytes: Vec<u8>, mime: &str) -> Option<Artifact> {
        if let Some(kept) = &self.kept {
            return Some(kept.clone());
        }
        let kept = self.host.inner.artifacts.as_ref()?;
        let artifact = kept.keep_artifact(self.labelled(bytes, mime)).await.ok();
        self.prune(kept).await;
        artifact
    }

    /// Keeps what nobody can hold; here what goes wrong costs the result.
    pub(super) async fn keep_spilled(
        &self,
        spilled: &SpilledAnswer,
    ) -> Result<Artifact, StoreError> {
        let nowhere = || StoreError::Other { what: "nothing is kept".to_owned() };
        let kept = self.host.inner.artifacts.as_ref().ok_or_else(nowhere)?;
        let (file, part) = spilled.result();
        let label = self.labelled(Vec::new(), "application/json");
        let artifact = kept.keep_spilled(label, file, part).await?;
        self.prune(kept).await;
        Ok(artifact)
    }

    /// The tool that reads what is kept, in the words of whoever sees it.
    pub(super) fn reading_tool(&self) -> Option<String> {
        let server = ServerId::parse(READING.0).ok()?;
        let upstream = self.host.inner.servers.get(&server)?;
        // Another server of that name has nothing of ours.
        let is_ours = matches!(upstream.entry().value.transport, Transport::Builtin)
            && self.host.inner.world.builtins.contains_key(&server);
        let view = self.host.view(&self.caller.audience);
        let entry = view.tools().filter(|_| is_ours).find(|entry| {
            let origin = entry.origin();
            origin.is_some_and(|origin| (&*origin.provider, &*origin.name) == READING)
        })?;
        let through = view.leads_to(&server, READING.1);
        let through = through.map(|meta| format!(" through `{}`", meta.name()));
        Some(format!("`{}`{}", entry.name(), through.unwrap_or_default()))
    }

    /// Nothing came of it, since it is too large.
    pub(super) fn too_large(&self, error: RequestError) -> CallTrouble {
        CallTrouble::Upstream { server: self.server.clone(), error: error.into() }
    }

    fn labelled(&self, bytes: Vec<u8>, mime: &str) -> NewArtifact {
        NewArtifact {
            owner: self.host.kept_for(&self.caller.principal),
            mime: mime.to_owned(),
            bytes,
            created_at: now(),
            server: Some(self.server.as_str().to_owned()),
            tool: Some(self.tool.to_owned()),
            correlation: self.caller.correlation.to_string(),
        }
    }

    /// What is too old goes once in a run, and the oldest whenever all together are too much.
    async fn prune(&self, kept: &Arc<dyn ArtifactStore>) {
        let limits = self.host.limits();
        let most = limits.artifact_bytes;
        let is_first = !self.host.inner.is_pruned.swap(true, Ordering::Relaxed);
        if is_first || kept.artifact_bytes().await.is_ok_and(|bytes| bytes > most) {
            let kept_for = u64::from(limits.artifact_days) * 24 * 60 * 60 * 1000;
            // With some room, or each of the next would have to sweep again.
            let room = most - most / ROOM;
            let _ = kept.prune_artifacts(now().saturating_sub(kept_for), room).await;
        }
    }
}
