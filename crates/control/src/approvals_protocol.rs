//! What waits for the person, in the words that the daemon and its commands say to each other. What
//! programs read is made of the same.

use serde::{Deserialize, Serialize};
use toolgate_types::ApprovalChoice;

pub const LIST_APPROVALS: &str = "approvals.list";
pub const ANSWER_APPROVAL: &str = "approvals.answer";
pub const WATCH_APPROVALS: &str = "approvals.watch";

/// What is told to who watches.
pub const APPROVAL_EVENT: &str = "approvals.event";

/// Everything that waits, the oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingApprovals {
    pub approvals: Vec<PendingApproval>,
}

/// A call that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PendingApproval {
    #[serde(rename = "ref")]
    pub reference: String,
    pub server: String,
    pub tool: String,
    /// Who calls, in its own words.
    pub client: Option<String>,
    pub workspace: Option<String>,
    pub principal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub title: String,
    /// The whole question: what is covered in it is named and counted.
    pub text: String,
    /// How many values are covered.
    #[serde(default)]
    pub covered: usize,
    /// The same with the parameters that a schema marks as secret, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<String>,
    /// What whoever has seen `text` says to approve it: a short code of that text.
    #[serde(default)]
    pub seen: String,
    pub choices: Vec<ChoiceWord>,
    /// In milliseconds since 1970.
    pub since: u64,
    pub until: u64,
}

/// What happens to what waits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ApprovalEvent {
    Asked(Box<PendingApproval>),
    Settled(ApprovalEnd),
}

/// How one ended.
#[derive(Debug, Serialize, Deserialize)]
pub struct ApprovalEnd {
    #[serde(rename = "ref")]
    pub reference: String,
    /// `approved`, `denied`, `expired` or `withdrawn`; `unknown` where nobody heard of it.
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<ChoiceWord>,
    /// Over what it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a person says to one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalAnswer {
    #[serde(rename = "ref")]
    pub reference: String,
    pub choice: ChoiceWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of what was shown, whole, to whoever says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
}

/// What came of that.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerHeard {
    Taken {
        server: String,
        tool: String,
    },
    NotTaken {
        why: String,
    },
    /// Whoever said it may be the agent that asks, or another.
    Refused,
}

/// A choice, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct ChoiceWord(pub ApprovalChoice);

impl TryFrom<String> for ChoiceWord {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        ApprovalChoice::parse(&word).map(Self).ok_or_else(|| format!("`{word}` is no choice"))
    }
}

impl From<ChoiceWord> for &'static str {
    fn from(ChoiceWord(choice): ChoiceWord) -> Self {
        choice.as_str()
    }
}

impl ApprovalEnd {
    /// One that ended, nobody knows how.
    pub fn unseen(reference: String) -> Self {
        let outcome = "unknown".to_owned();
        Self { reference, outcome, choice: None, channel: None, reason: None }
    }
}
