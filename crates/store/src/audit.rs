//! What happened, as it is kept: rows that are only ever added at the end, each bound to the one
//! before it.
//!
//! What is worth a row and what is masked in it are the caller's. The chain shows that nothing was
//! changed in the middle; whoever can write the file can still write another chain, so it is proof
//! only against a head that was carried elsewhere.

pub(crate) mod chain;
mod query;

use std::sync::Arc;

use async_trait::async_trait;
use toolgate_types::Digest;

pub use query::AuditQuery;

use crate::StoreError;

/// A place in the chain: the number of a row and its hash.
pub type AuditHead = (u64, Digest);

/// What happened, appended, searched, verified and, when it is old, taken away.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Appends all of these or none, in their order and with no other's between them; answers the
    /// number of the last row. Numbers begin at 1 and are never given twice.
    async fn append_audit(&self, entries: Arc<[AuditEntry]>) -> Result<u64, StoreError>;

    /// The rows that a query finds.
    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError>;

    /// Whether every row is as it was written and follows the one before it. That nothing is
    /// missing at the end is seen only against a head from earlier.
    async fn verify_audit(&self, expected: Option<AuditHead>) -> Result<AuditVerdict, StoreError>;

    /// Takes the oldest rows away as long as they are from before `keep_since` or all together
    /// weigh more than `keep_bytes`; answers how many went. A row stays when one before it has to:
    /// only whole beginnings go, and a checkpoint stands for them.
    async fn prune_audit(&self, keep_since: u64, keep_bytes: u64) -> Result<u64, StoreError>;
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// In milliseconds since 1970. What is later than a signed integer can say becomes that.
    pub at: u64,
    pub kind: AuditKind,
    /// The same for all rows of one call.
    pub correlation: String,
    /// Which round of a call that takes several.
    pub round: u32,
    pub principal: String,
    pub client: Option<String>,
    pub role: Option<String>,
    pub session: Option<String>,
    pub workspace: Option<String>,
    pub server: Option<String>,
    pub tool: Option<String>,
    /// How it went, in one word.
    pub outcome: Option<String>,
    /// The word of an error.
    pub code: Option<String>,
    pub duration_us: Option<u64>,
    /// Everything else: JSON as text, with nothing in it that must not be read.
    pub body: String,
}

impl AuditEntry {
    /// About what a row costs beside its texts: numbers, hash and its places in the indexes.
    const OVERHEAD: usize = 128;

    /// What it counts for where bytes are bounded.
    pub(crate) fn weight(&self) -> u64 {
        let optional = [
            &self.client,
            &self.role,
            &self.session,
            &self.workspace,
            &self.server,
            &self.tool,
            &self.outcome,
            &self.code,
        ];
        let optional: usize = optional.into_iter().flatten().map(String::len).sum();
        let always = self.correlation.len() + self.principal.len() + self.body.len();
        u64::try_from(Self::OVERHEAD + always + optional).unwrap_or(u64::MAX)
    }
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditKind {
    /// A call began.
    Open,
    /// It ended.
    End,
    /// Somebody decided about it.
    Decision,
}

impl AuditKind {
    const ALL: [Self; 3] = [Self::Open, Self::End, Self::Decision];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::End => "end",
            Self::Decision => "decision",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// An entry at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    pub sequence: u64,
    pub entry: AuditEntry,
    /// Over the entry, its number and the hash of the row before it.
    pub hash: Digest,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditVerdict {
    Whole {
        rows: u64,
        /// The end as it is now; `None` where nothing was ever appended.
        head: Option<AuditHead>,
        /// The last row that was taken away as too old. An expected head from before it cannot be
        /// compared any more.
        from: Option<u64>,
    },
    Broken {
        /// The first row that is not, or not there, as it was.
        sequence: u64,
        why: String,
    },
}

#[cfg(test)]
mod tests;
