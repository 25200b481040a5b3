//! What an agent writes down of its work: a plan, and notes, each for the one who works there.
//!
//! What a plan says is the matter of whoever writes it; here it is one text.

use async_trait::async_trait;

use crate::{KeptFor, StoreError};

#[async_trait]
pub trait WorkBook: Send + Sync {
    /// The plan as it was last kept.
    async fn plan(&self, owner: &KeptFor) -> Result<Option<KeptPlan>, StoreError>;

    /// Keeps a plan in the place of an earlier one.
    async fn keep_plan(&self, owner: &KeptFor, plan: KeptPlan) -> Result<(), StoreError>;

    /// Adds a note, and forgets the oldest beyond so many. Answers its number.
    async fn add_note(&self, owner: &KeptFor, note: NewNote, most: u32) -> Result<u64, StoreError>;

    /// Notes with a smaller number than this, newest first, so many at most.
    async fn notes(
        &self,
        owner: &KeptFor,
        before: Option<u64>,
        most: u32,
    ) -> Result<Vec<KeptNote>, StoreError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPlan {
    pub body: String,
    /// In milliseconds since 1970.
    pub kept_at: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNote {
    pub text: String,
    /// In milliseconds since 1970.
    pub written_at: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptNote {
    /// Later notes have larger ones.
    pub number: u64,
    pub text: String,
    pub written_at: u64,
}
