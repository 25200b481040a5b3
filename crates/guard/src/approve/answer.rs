//! What a person answers, who that was, and what it is worth.

use std::fmt;

use toolgate_types::Digest;

/// What a person can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    Once,
    /// This and the same tool again, until the caller's session ends.
    Session,
    Deny,
}

impl Choice {
    pub const ALL: [Self; 3] = [Self::Once, Self::Session, Self::Deny];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Deny => "deny",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == word)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who answered: over which channel, and which processes stand behind the one that did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    /// `agent`, `terminal`, `queue`, `desktop`.
    pub channel: &'static str,
    pub processes: Option<String>,
}

impl Approver {
    pub fn over(channel: &'static str) -> Self {
        Self { channel, processes: None }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub choice: Choice,
    pub approver: Approver,
    /// What the person wants the caller to know.
    pub reason: Option<String>,
}

/// How asking ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    Answered(Verdict),
    Expired,
    /// The caller does not want it any more.
    Withdrawn,
    /// There was nobody to ask.
    Unheard,
}

impl Settled {
    /// The word for records.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Answered(Verdict { choice: Choice::Deny, .. }) | Self::Unheard => "denied",
            Self::Answered(_) => "approved",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A person's word that one subject may be done. Nobody makes one but the desk, from an answer:
///
/// ```compile_fail
/// let consent = toolgate_guard::Consent(toolgate_types::Digest([0; 32]));
/// ```
///
/// It is used by being taken.
#[derive(Debug)]
pub struct Consent(Digest);

impl Consent {
    pub(super) fn to(subject: Digest) -> Self {
        Self(subject)
    }

    /// Whether it is to exactly this.
    pub(crate) fn covers(self, subject: Digest) -> bool {
        self.0 == subject
    }
}
