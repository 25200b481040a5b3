//! What a person can say to a call that waits for them.

use std::fmt;

/// What a person can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalChoice {
    Once,
    /// This and the same tool again, until the caller's session ends.
    Session,
    Deny,
}

impl ApprovalChoice {
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

impl fmt::Display for ApprovalChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
