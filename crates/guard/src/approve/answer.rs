//! What a person answers, who that was, and what it is worth.

use std::time::Duration;

use toolgate_types::{ApprovalChoice, Digest};

/// Who answered: over which channel, and which processes stand behind the one that did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    /// `agent`, `terminal`, `queue`, `desktop`.
    pub channel: &'static str,
    pub processes: Option<String>,
    /// How long after the question was written, where that is known.
    pub after: Option<Duration>,
}

impl Approver {
    pub fn over(channel: &'static str) -> Self {
        Self { channel, processes: None, after: None }
    }

    #[must_use]
    pub fn after(self, after: Duration) -> Self {
        Self { after: Some(after), ..self }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalVerdict {
    pub choice: ApprovalChoice,
    pub approver: Approver,
    /// What the person wants the caller to know.
    pub reason: Option<String>,
    /// [`super::Rendering::digest`] of what the channel showed, whole. Without it nothing is approved.
    pub seen: Option<Digest>,
}

/// How asking ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalOutcome {
    Answered(ApprovalVerdict),
    Expired,
    /// The caller does not want it any more.
    Withdrawn,
    /// There was nobody to ask.
    Unheard,
}

impl ApprovalOutcome {
    /// The word for records.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Answered(ApprovalVerdict { choice: ApprovalChoice::Deny, .. })
            | Self::Unheard => "denied",
            Self::Answered(_) => "approved",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Over which channel it was answered, where anybody did.
    pub fn channel(&self) -> Option<&'static str> {
        match self {
            Self::Answered(verdict) => Some(verdict.approver.channel),
            Self::Expired | Self::Withdrawn | Self::Unheard => None,
        }
    }
}
