//! Keeps what is not passed on, for the one it was made for.
//!
//! Whatever goes wrong here costs the copy and not the result.

use std::sync::atomic::Ordering;

use toolgate_store::{Artifact, NewArtifact};

use super::ScreenFor;
use crate::Host;
use crate::artifact::now;

/// For whom, and of what.
pub(super) struct Keeper<'a> {
    pub(super) host: &'a Host,
    pub(super) caller: &'a ScreenFor,
    pub(super) server: &'a str,
    /// The name of the tool, or the URI of the resource.
    pub(super) tool: &'a str,
}

impl Keeper<'_> {
    pub(super) async fn keep(&self, bytes: Vec<u8>, mime: &str) -> Option<Artifact> {
        let inner = &self.host.inner;
        let kept = inner.artifacts.as_ref()?;
        let artifact = NewArtifact {
            principal: self.caller.principal.clone(),
            mime: mime.to_owned(),
            bytes,
            created_at: now(),
            server: Some(self.server.to_owned()),
            tool: Some(self.tool.to_owned()),
            correlation: self.caller.correlation.to_string(),
        };
        let artifact = kept.keep_artifact(artifact).await.ok();
        if !inner.is_pruned.swap(true, Ordering::Relaxed) {
            let limits = self.host.limits();
            let kept_for = u64::from(limits.artifact_days) * 24 * 60 * 60 * 1000;
            let _ =
                kept.prune_artifacts(now().saturating_sub(kept_for), limits.artifact_bytes).await;
        }
        artifact
    }
}
