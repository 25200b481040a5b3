//! A call that waits for a person: what is asked, of whom it came, and how long it waits.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use toolgate_types::config::Channel;
use toolgate_types::{ApprovalChoice, Caller, Digest};

use super::{ApprovalOutcome, ApprovalRendering, Approver, ShownCall};
use crate::SessionGrant;

/// What a waiting call is called among people: short enough to type. It is no credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApprovalReference(Arc<str>);

impl ApprovalReference {
    /// Without letters that are read as others.
    const LETTERS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

    pub(super) fn of(number: u64) -> Self {
        let letter = |place: u32| {
            let five = (number >> (place * 5)) & 31;
            char::from(Self::LETTERS[usize::try_from(five).unwrap_or(0)])
        };
        Self((0..7).map(letter).collect::<String>().into())
    }

    /// One that nobody else has.
    pub fn random() -> Self {
        Self::of(super::approval_queue::random())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ApprovalReference {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for ApprovalReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Is told how asking ended, whatever ended it: once, and once more where a no came after a yes.
pub trait SettledNote: Send + Sync {
    fn settled(&self, reference: &ApprovalReference, how: &ApprovalOutcome);

    /// Somebody answered faster than a person can read, which counts for nothing.
    fn too_fast(&self, reference: &ApprovalReference, approver: &Approver) {
        let _ = (reference, approver);
    }
}

/// What a person is asked.
pub struct ApprovalRequest {
    /// [`super::Subject::digest`]: what an answer is to.
    pub subject: Digest,
    pub caller: Option<Arc<Caller>>,
    /// The pseudo-server of command tools is one too.
    pub server: String,
    pub tool: String,
    /// [`super::Prompt::title`].
    pub title: String,
    /// [`super::Prompt::render`].
    pub shown: ApprovalRendering,
    /// [`super::Prompt::render_in_full`].
    pub shown_in_full: Option<ApprovalRendering>,
    /// The same for places that others can read, with secrets masked as in logs.
    pub notice: String,
    /// The bytes that it is about.
    pub call: Arc<ShownCall>,
    /// What an answer for the session would keep; without it, that is not offered.
    pub grant: Option<SessionGrant>,
    /// The channels that may be asked.
    pub channels: Vec<Channel>,
    pub lifetime: Duration,
    /// An answer that comes sooner after the question was written is a machine's.
    pub fastest_answer: Duration,
    pub note: Arc<dyn SettledNote>,
}

impl ApprovalRequest {
    /// The key that the question has among those of a request.
    pub const KEY: &'static str = "toolgate.approval";

    /// Whether it may be asked about over this channel.
    pub fn is_for(&self, channel: Channel) -> bool {
        self.channels.contains(&channel)
    }

    /// Whether this is the name of what shows everything that would run.
    pub(super) fn is_whole(&self, seen: Digest) -> bool {
        let all = [Some(&self.shown), self.shown_in_full.as_ref()];
        all.into_iter().flatten().any(|shown| shown.digest() == seen)
    }

    /// What can be said to it.
    pub fn choices(&self) -> &'static [ApprovalChoice] {
        match self.grant {
            Some(_) => &ApprovalChoice::ALL,
            None => &[ApprovalChoice::Once, ApprovalChoice::Deny],
        }
    }
}

impl fmt::Debug for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, subject, .. } = self;
        let mut shown = f.debug_struct("ApprovalRequest");
        shown.field("server", server).field("tool", tool).field("subject", subject);
        shown.finish_non_exhaustive()
    }
}

/// An approval request on the approval queue.
#[derive(Debug, Clone)]
pub struct WaitingApproval {
    pub reference: ApprovalReference,
    pub request: Arc<ApprovalRequest>,
    /// Milliseconds since 1970.
    pub since: u64,
    pub until: u64,
}
