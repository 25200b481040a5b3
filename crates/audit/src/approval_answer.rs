//! How asking a person about a call ended.

use serde::Serialize;

/// How asking ended.
#[derive(Debug, Clone, Serialize)]
pub struct ApprovalRecord {
    #[serde(rename = "ref")]
    pub reference: String,
    /// `approved`, `denied`, `expired` or `withdrawn`, or `ignored` where a machine answered: the row's
    /// own outcome.
    #[serde(skip)]
    pub outcome: &'static str,
    /// `once`, `session` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<&'static str>,
    /// Over what it was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<&'static str>,
    /// Whose process answered, and whose child that is, up to the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<String>,
    /// What the person wanted the caller to know, or why nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What exactly it was an answer to.
    pub subject: String,
    /// How long after the question was written it came, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
}
