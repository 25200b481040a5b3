//! What a person answers, who that was, and what it is worth.

use std::sync::Arc;

use toolgate_types::{ApprovalChoice, Digest, Operation};

use super::ShownCall;

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
    pub choice: ApprovalChoice,
    pub approver: Approver,
    /// What the person wants the caller to know.
    pub reason: Option<String>,
    /// [`super::Rendering::digest`] of what the channel showed, whole. Without it nothing is approved.
    pub seen: Option<Digest>,
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
            Self::Answered(Verdict { choice: ApprovalChoice::Deny, .. }) | Self::Unheard => {
                "denied"
            }
            Self::Answered(_) => "approved",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// A person's word that one subject may be done. Nobody makes one but the desk, from an answer:
///
/// ```compile_fail
/// let subject = toolgate_types::Digest([0; 32]);
/// let consent = toolgate_guard::Consent { subject, call: Default::default() };
/// ```
///
/// It is used by being taken.
#[derive(Debug)]
pub struct Consent {
    subject: Digest,
    call: Arc<ShownCall>,
}

impl Consent {
    pub(super) fn to(subject: Digest, call: Arc<ShownCall>) -> Self {
        Self { subject, call }
    }

    /// What was shown, and is sent.
    pub fn call(&self) -> &Arc<ShownCall> {
        &self.call
    }

    /// The operation with the bytes that were shown, if it is to exactly this subject.
    pub(crate) fn operation(self, operation: Operation, subject: Digest) -> Option<Operation> {
        let arguments = self.call.arguments.clone();
        match operation {
            Operation::CallTool { name, .. } if self.subject == subject => {
                Some(Operation::CallTool { name, arguments })
            }
            _ => None,
        }
    }
}
