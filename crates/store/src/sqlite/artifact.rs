//! Artifacts on disk: which thread does what, and in which order.
//!
//! A file comes before its row and goes after it, so a row never speaks of a file that is not
//! there yet. Files have a thread of their own: a large one holds up neither the caller's runtime
//! nor whoever appends to the audit. The SQL is in `rows`, the files are in `files`.

mod files;
mod rows;

use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};
use toolgate_types::Digest;

use super::SqliteStore;
use super::writer::DatabaseWriter;
use crate::{Artifact, ArtifactId, ArtifactStore, KeptFor, NewArtifact, StoreError, time};
pub(super) use files::ArtifactFiles;
use files::{ArtifactFolder, Unconfirmed};

#[async_trait]
impl ArtifactStore for SqliteStore {
    async fn keep_artifact(&self, artifact: NewArtifact) -> Result<Artifact, StoreError> {
        let state = self.writing()?;
        let writer = Arc::clone(&state.writer);
        let write = |folder: &ArtifactFolder, id: &ArtifactId, bytes: &[u8]| {
            let file = folder.write(id, bytes)?;
            Ok((file, bytes.len() as u64, Digest(Sha256::digest(bytes).into())))
        };
        state.files.run(move |files| keep(files, &writer, artifact, write)).await
    }

    async fn open_spill(&self) -> Result<File, StoreError> {
        self.writing()?.files.run(|files| files.make_folder()?.open_unnamed()).await
    }

    async fn keep_spilled(
        &self,
        artifact: NewArtifact,
        file: Arc<File>,
        part: Range<u64>,
    ) -> Result<Artifact, StoreError> {
        let state = self.writing()?;
        let writer = Arc::clone(&state.writer);
        let keep = move |files: &mut ArtifactFiles| {
            keep(files, &writer, artifact, |folder, id, _| folder.copy(id, &file, &part))
        };
        state.files.run(keep).await
    }

    async fn artifact(
        &self,
        id: &ArtifactId,
        owner: &KeptFor,
    ) -> Result<Option<Artifact>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        let (id, owner) = (id.clone(), owner.clone());
        state.writer.run(move |connection| rows::find(connection, &id, &owner)).await
    }

    async fn read_artifact(
        &self,
        id: &ArtifactId,
        owner: &KeptFor,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        let Some(artifact) = self.artifact(id, owner).await? else { return Ok(None) };
        match state.files.run(move |files| files.read(&artifact, &range)).await {
            // Taken away between the two looks: then it is simply not there any more.
            Err(StoreError::Artifact { .. }) if self.artifact(id, owner).await?.is_none() => {
                Ok(None)
            }
            read => read.map(Some),
        }
    }

    async fn artifact_bytes(&self) -> Result<u64, StoreError> {
        let Some(state) = self.reading() else { return Ok(0) };
        state.writer.run(|connection| rows::total(connection)).await
    }

    async fn prune_artifacts(&self, keep_since: u64, keep_bytes: u64) -> Result<u64, StoreError> {
        let state = self.writing()?;
        let writer = Arc::clone(&state.writer);
        state.files.run(move |files| prune(files, &writer, keep_since, keep_bytes)).await
    }
}

/// A file with what it holds: how many bytes, and their hash.
type WrittenFile = (Unconfirmed, u64, Digest);

fn keep(
    files: &ArtifactFiles,
    writer: &DatabaseWriter,
    new: NewArtifact,
    write: impl FnOnce(&ArtifactFolder, &ArtifactId, &[u8]) -> Result<WrittenFile, StoreError>,
) -> Result<Artifact, StoreError> {
    let NewArtifact { owner, mime, bytes, created_at, server, tool, correlation } = new;
    let id = ArtifactId::random()?;
    let _keeping = files.lock_to_keep()?;
    let (file, size, sha256) = write(&files.make_folder()?, &id, &bytes)?;
    let created_at = time::kept(created_at);
    let artifact =
        Artifact { id, owner, mime, size, sha256, created_at, server, tool, correlation };
    let row = artifact.clone();
    writer.run_waiting(move |connection| rows::insert(connection, &row))?;
    file.stays();
    Ok(artifact)
}

fn prune(
    files: &ArtifactFiles,
    writer: &DatabaseWriter,
    keep_since: u64,
    keep_bytes: u64,
) -> Result<u64, StoreError> {
    // While nobody keeps anything, a file without a row is nobody's.
    let _sweeping = files.lock_to_sweep()?;
    let mut gone: BTreeSet<ArtifactId> = writer
        .run_waiting(move |connection| rows::remove_old(connection, keep_since, keep_bytes))?;
    let known = writer.run_waiting(|connection| rows::ids(connection))?;
    let present = match files.find_folder()? {
        Some(folder) => folder.remove_all_but(&known)?,
        None => files::SweptArtifacts::default(),
    };
    gone.extend(present.removed);
    let lost: Vec<_> = known.difference(&present.kept).cloned().collect();
    gone.extend(lost.iter().cloned());
    writer.run_waiting(move |connection| rows::remove(connection, &lost))?;
    Ok(gone.len() as u64)
}
