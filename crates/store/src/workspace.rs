//! Folders that agents work in, under the short names that stand in URLs.
//!
//! A name is no credential: it only says which folder is meant. It cannot be guessed all the same,
//! so that nobody finds out by trying which folders there are.

use std::fmt;

use async_trait::async_trait;

use crate::{ProjectRoot, StoreError, random};

#[async_trait]
pub trait Workspaces: Send + Sync {
    /// The name of a folder, given when it is first asked for and the same ever after.
    async fn keep_workspace(&self, root: &ProjectRoot, at: u64) -> Result<WorkspaceId, StoreError>;

    /// The folder of a name. It may be gone from the disk by now.
    async fn workspace(&self, id: &WorkspaceId) -> Result<Option<ProjectRoot>, StoreError>;

    /// All that have a name, by path.
    async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError>;

    /// Takes a name away for good; `false` if there was none. The folder gets another when it is
    /// kept again.
    async fn forget_workspace(&self, id: &WorkspaceId) -> Result<bool, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub root: ProjectRoot,
    /// In milliseconds since 1970. What is later than a signed integer can say becomes that.
    pub created_at: u64,
}

/// The folder's own name, for whoever reads a URL, and 64 random bits as hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspaceId(String);

impl WorkspaceId {
    const LONGEST_SLUG: usize = 24;
    const LONGEST: usize = Self::LONGEST_SLUG + 1 + 16;

    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        let fits = (1..=Self::LONGEST).contains(&text.len());
        (fits && text.bytes().all(is_plain)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn random(root: &ProjectRoot) -> Result<Self, StoreError> {
        let bytes: [u8; 8] = random::bytes()?;
        let random: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(format!("{}-{random}", slug(root))))
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What of the last part of a path can stand in a URL as it is.
fn slug(root: &ProjectRoot) -> String {
    let name = root.as_path().file_name().unwrap_or_default().to_string_lossy();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    let short = joined[..joined.len().min(WorkspaceId::LONGEST_SLUG)].trim_end_matches('-');
    if short.is_empty() { "folder".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests;
