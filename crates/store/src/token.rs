//! A caller's credential as it is kept: its hash, and what whoever brings it may do.
//!
//! The text of a token never comes here. Making it, hashing it and judging whether it still counts
//! are the caller's; a row says only what was decided, and when.

use std::collections::BTreeSet;
use std::fmt;

use async_trait::async_trait;
use toolgate_types::{Digest, IdError, RoleId};

use crate::{StoreError, time};

/// How many that no longer count are remembered, so that a refusal can say why. The oldest go.
pub(crate) const MOST_REVOKED: u16 = 100;

/// The credentials of callers, each by the hash of its text.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// Keeps a new one; `false`, and nothing is changed, where its name is another living one's or
    /// its hash is known. One that had expired by the new one's `created_at` gives its name free.
    async fn keep_token(&self, token: KeptToken) -> Result<bool, StoreError>;

    /// Keeps one in the place of the living one of its name, which is revoked in the same step.
    /// `false`, and nothing is changed, where its hash is known.
    async fn replace_token(&self, token: KeptToken) -> Result<bool, StoreError>;

    /// The one with this hash, living or not.
    async fn token(&self, hash: Digest) -> Result<Option<KeptToken>, StoreError>;

    /// All that are known, by name and then by age, the oldest first.
    async fn tokens(&self) -> Result<Vec<KeptToken>, StoreError>;

    /// Ends the living one of this name; `false` if there was none.
    async fn revoke_token(&self, name: &TokenName, at: u64) -> Result<bool, StoreError>;
}

/// Times are in milliseconds since 1970. What is later than a signed integer can say becomes that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptToken {
    pub name: TokenName,
    /// SHA-256 of the text.
    pub hash: Digest,
    pub kind: TokenKind,
    /// What its bearer may act as, and nothing else. `None` is every role, and also none at all.
    pub roles: Option<BTreeSet<RoleId>>,
    /// The key below `[gateway.clients]` whose settings hold for its bearer.
    pub client: Option<String>,
    /// Whether forms that its bearer shows are seen by a person, as one said when it was made.
    pub shows_forms: bool,
    /// Whether its bearer is the person whose gate it is, and uses the servers that they use.
    pub is_owners: bool,
    pub created_at: u64,
    pub expires_at: Option<u64>,
    pub revoked_at: Option<u64>,
}

impl KeptToken {
    /// The same with its times as they can be kept.
    pub(crate) fn with_kept_times(mut self) -> Self {
        self.created_at = time::kept(self.created_at);
        self.expires_at = self.expires_at.map(time::kept);
        self.revoked_at = self.revoked_at.map(time::kept);
        self
    }
}

/// What a token opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// The tools, for an agent.
    Client,
    /// The gate itself, for a person. No agent is ever given one.
    Admin,
}

impl TokenKind {
    const ALL: [Self; 2] = [Self::Client, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Admin => "admin",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What a person calls a token: written as the ids of a configuration are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenName(String);

impl TokenName {
    pub fn parse(text: &str) -> Result<Self, IdError> {
        // All ids are written alike, and a role's reserves no name.
        RoleId::parse(text).map(|id| Self(id.as_str().to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
