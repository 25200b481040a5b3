//! A part of a result that is kept beside the database: its bytes in a file, what is known of them
//! in a row.
//!
//! What is large enough to become one is the caller's to decide, and what is done with its type.

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_types::Digest;

use crate::{KeptFor, StoreError};

/// What is kept of results, each for the one that made it.
#[async_trait]
pub trait ArtifactStore: Send + Sync {
    /// Keeps one; where that fails, nothing of it is left.
    async fn keep_artifact(&self, artifact: NewArtifact) -> Result<Artifact, StoreError>;

    /// A file without a name, on the disk that artifacts are kept on, for what may become one. It is
    /// gone once nobody holds it.
    async fn open_spill(&self) -> Result<File, StoreError>;

    /// The same for a part of such a file, of which no more than a piece is ever in memory; `bytes`
    /// are left out.
    async fn keep_spilled(
        &self,
        artifact: NewArtifact,
        file: Arc<File>,
        part: Range<u64>,
    ) -> Result<Artifact, StoreError>;

    /// What is known of one. To everybody but the one it was kept for it does not exist.
    async fn artifact(
        &self,
        id: &ArtifactId,
        owner: &KeptFor,
    ) -> Result<Option<Artifact>, StoreError>;

    /// The bytes in a range, or what of the range there is. Their hash is not checked: only the
    /// whole has one.
    async fn read_artifact(
        &self,
        id: &ArtifactId,
        owner: &KeptFor,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// How many bytes all together have, whoever they are kept for.
    async fn artifact_bytes(&self) -> Result<u64, StoreError>;

    /// Takes away what is from before `keep_since`, then the oldest as long as all together have
    /// more than `keep_bytes`; and whatever has lost its file or its row. Answers how many went.
    async fn prune_artifacts(&self, keep_since: u64, keep_bytes: u64) -> Result<u64, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewArtifact {
    pub owner: KeptFor,
    pub mime: String,
    pub bytes: Vec<u8>,
    /// In milliseconds since 1970. What is later than a signed integer can say becomes that.
    pub created_at: u64,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub correlation: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    pub id: ArtifactId,
    pub owner: KeptFor,
    pub mime: String,
    pub size: u64,
    pub sha256: Digest,
    pub created_at: u64,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub correlation: String,
}

/// 128 random bits as 32 letters of hexadecimal: also the name of a file, so it is nothing else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactId(String);

impl ArtifactId {
    pub fn parse(text: &str) -> Option<Self> {
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == 32 && text.bytes().all(hex)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn random() -> Result<Self, StoreError> {
        let bytes: [u8; 16] = crate::random::bytes()?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part of a range that lies within so many bytes.
pub(crate) fn clip(range: &Range<u64>, size: u64) -> Range<u64> {
    let end = range.end.min(size);
    range.start.min(end)..end
}

#[cfg(test)]
mod tests;
