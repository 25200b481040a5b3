//! Artifacts in memory, in the order they came.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::MemoryStore;
use crate::artifact::clip;
use crate::{Artifact, ArtifactId, ArtifactStore, KeptFor, NewArtifact, StoreError, time};

#[derive(Debug)]
pub(super) struct MemoryArtifact {
    artifact: Artifact,
    bytes: Vec<u8>,
}

impl MemoryArtifact {
    fn is(&self, id: &ArtifactId, owner: &KeptFor) -> bool {
        self.artifact.id == *id && self.artifact.owner == *owner
    }
}

#[async_trait]
impl ArtifactStore for MemoryStore {
    async fn keep_artifact(&self, artifact: NewArtifact) -> Result<Artifact, StoreError> {
        let NewArtifact { owner, mime, bytes, created_at, server, tool, correlation } = artifact;
        let artifact = Artifact {
            id: ArtifactId::random()?,
            owner,
            mime,
            size: bytes.len() as u64,
            sha256: Digest(Sha256::digest(&bytes).into()),
            created_at: time::kept(created_at),
            server,
            tool,
            correlation,
        };
        self.kept().artifacts.push(MemoryArtifact { artifact: artifact.clone(), bytes });
        Ok(artifact)
    }

    async fn open_spill(&self) -> Result<File, StoreError> {
        Err(StoreError::Other { what: "nothing is kept but in memory".to_owned() })
    }

    async fn keep_spilled(
        &self,
        artifact: NewArtifact,
        file: Arc<File>,
        part: Range<u64>,
    ) -> Result<Artifact, StoreError> {
        let failed = |error: io::Error| StoreError::Other { what: error.to_string() };
        let length = usize::try_from(part.end.saturating_sub(part.start)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, part.start).map_err(failed)?;
        self.keep_artifact(NewArtifact { bytes, ..artifact }).await
    }

    async fn artifact(
        &self,
        id: &ArtifactId,
        owner: &KeptFor,
    ) -> Result<Option<Artifact>, StoreError> {
        let kept = self.kept();
        let found = kept.artifacts.iter().find(|kept| kept.is(id, owner));
        Ok(found.map(|kept| kept.artifact.clone()))
    }

    async fn read_artifact(
        &self,
        id: &ArtifactId,
        owner: &KeptFor,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let kept = self.kept();
        let found = kept.artifacts.iter().find(|kept| kept.is(id, owner));
        Ok(found.map(|MemoryArtifact { artifact, bytes }| {
            let range = clip(&range, artifact.size);
            bytes[range.start as usize..range.end as usize].to_vec()
        }))
    }

    async fn artifact_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.kept().artifacts.iter().map(|kept| kept.artifact.size).sum())
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
