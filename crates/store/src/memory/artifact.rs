//! Artifacts in memory, in the order they came.

use std::ops::Range;

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::MemoryStore;
use crate::artifact::clip;
use crate::{Artifact, ArtifactId, Artifacts, NewArtifact, StoreError, time};

#[derive(Debug)]
pub(super) struct Kept {
    artifact: Artifact,
    bytes: Vec<u8>,
}

impl Kept {
    fn is(&self, id: &ArtifactId, principal: &str) -> bool {
        self.artifact.id == *id && self.artifact.principal == principal
    }
}

#[async_trait]
impl Artifacts for MemoryStore {
    async fn keep_artifact(&self, artifact: NewArtifact) -> Result<Artifact, StoreError> {
        let NewArtifact { principal, mime, bytes, created_at, server, tool, correlation } =
            artifact;
        let artifact = Artifact {
            id: ArtifactId::random()?,
            principal,
            mime,
            size: bytes.len() as u64,
            sha256: Digest(Sha256::digest(&bytes).into()),
            created_at: time::kept(created_at),
            server,
            tool,
            correlation,
        };
        self.kept().artifacts.push(Kept { artifact: artifact.clone(), bytes });
        Ok(artifact)
    }

    async fn artifact(
        &self,
        id: &ArtifactId,
        principal: &str,
    ) -> Result<Option<Artifact>, StoreError> {
        let kept = self.kept();
        let found = kept.artifacts.iter().find(|kept| kept.is(id, principal));
        Ok(found.map(|kept| kept.artifact.clone()))
    }

    async fn read_artifact(
        &self,
        id: &ArtifactId,
        principal: &str,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let kept = self.kept();
        let found = kept.artifacts.iter().find(|kept| kept.is(id, principal));
        Ok(found.map(|Kept { artifact, bytes }| {
            let range = clip(&range, artifact.size);
            bytes[range.start as usize..range.end as usize].to_vec()
        }))
    }

    async fn prune_artifacts(&self, keep_since: u64, keep_bytes: u64) -> Result<u64, StoreError> {
        let artifacts = &mut self.kept().artifacts;
        let before = artifacts.len();
        // Stable: of two as old, the one that came first is the older.
        artifacts.sort_by_key(|kept| kept.artifact.created_at);
        let mut newer = 0_u64;
        let mut stays = |artifact: &Artifact| {
            newer = newer.saturating_add(artifact.size);
            artifact.created_at >= time::kept(keep_since) && newer <= keep_bytes
        };
        let stay = artifacts.iter().rev().take_while(|kept| stays(&kept.artifact)).count();
        artifacts.drain(..before - stay);
        Ok((before - stay) as u64)
    }
}
