//! Keeps what is not passed on, for the one it was made for.
//!
//! Whatever goes wrong here costs the copy and not the result.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolgate_store::{Artifact, ArtifactStore, NewArtifact, StoreError};
use toolgate_types::ServerId;
use toolgate_upstream::{RequestError, SpilledAnswer};

use super::ScreenFor;
use crate::Host;
use crate::artifact::now;
use crate::call::call_trouble::CallTrouble;

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
        // Large ones come seldom, and fill what is allowed soon.
        self.host.inner.is_pruned.store(false, Ordering::Relaxed);
        self.prune(kept).await;
        Ok(artifact)
    }

    /// Nothing came of it, since it is too large.
    pub(super) fn too_large(&self, error: RequestError) -> CallTrouble {
        CallTrouble::Upstream { server: self.server.clone(), error: error.into() }
    }

    fn labelled(&self, bytes: Vec<u8>, mime: &str) -> NewArtifact {
        NewArtifact {
            principal: self.caller.principal.clone(),
            mime: mime.to_owned(),
            bytes,
            created_at: now(),
            server: Some(self.server.as_str().to_owned()),
            tool: Some(self.tool.to_owned()),
            correlation: self.caller.correlation.to_string(),
        }
    }

    async fn prune(&self, kept: &Arc<dyn ArtifactStore>) {
        if !self.host.inner.is_pruned.swap(true, Ordering::Relaxed) {
            let limits = self.host.limits();
            let kept_for = u64::from(limits.artifact_days) * 24 * 60 * 60 * 1000;
            let _ =
                kept.prune_artifacts(now().saturating_sub(kept_for), limits.artifact_bytes).await;
        }
    }
}
