//! What a sealed note says, and which texts are notes of ours.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolgate_types::Digest;

use super::ApprovalReference;

/// What every sealed note begins with, before the version of its format and a dot; a server's own
/// words do not.
pub(super) const MARK: &str = "toolgate";

/// The version of notes and of the digests in them. One of another version says nothing here.
pub(super) const VERSION: &str = "4";

/// What a note says.
#[derive(Debug, Clone)]
pub struct ResumeToken {
    pub(super) stage: ResumeStage,
    pub(super) reference: ApprovalReference,
    pub(super) queue: u64,
    pub(super) principal: String,
    pub(super) subject: Digest,
    /// [`ApprovalQueue::clock`](super::ApprovalQueue::clock).
    pub(super) expires: u64,
    /// What the server itself wants back.
    pub inner: Option<Box<RawValue>>,
    /// The keys of what the server asked; nothing else is an answer to it.
    pub asked: Vec<String>,
}

/// How far a call had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResumeStage {
    /// A person is being asked.
    Asked,
    /// A person approved it, and the server asked for something since.
    Approved,
    /// It is under way at a server that waits for the answer.
    Parked,
}

/// A note that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResumeTokenError {
    #[error("the state that came back is not the one that was given")]
    Forged,
    #[error("the state that came back is another caller's")]
    Foreign,
    #[error("nobody answered in time")]
    Expired,
    #[error(
        "the state that came back is of another version of Toolgate; what became of the call is not \
         known"
    )]
    OtherVersion,
}

impl ResumeToken {
    /// Whether this is a note of ours, whole or not: a server's own state goes back to the server.
    pub fn is_ours(state: &RawValue) -> bool {
        state.get().strip_prefix('"').is_some_and(|text| version_and_rest(text).is_some())
    }

    /// Whether a person is being asked.
    pub fn is_asked(&self) -> bool {
        self.stage == ResumeStage::Asked
    }

    pub fn is_approved(&self) -> bool {
        self.stage == ResumeStage::Approved
    }

    /// Whether what it goes on with is under way at its server.
    pub fn is_parked(&self) -> bool {
        self.stage == ResumeStage::Parked
    }

    pub fn reference(&self) -> &ApprovalReference {
        &self.reference
    }
}

/// The version of a note of ours, and what is sealed in it.
pub(super) fn version_and_rest(text: &str) -> Option<(&str, &str)> {
    let (version, rest) = text.strip_prefix(MARK)?.split_once('.')?;
    let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((version, rest))
}
