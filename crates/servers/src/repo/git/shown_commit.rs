//! A commit as a caller reads of it.

use gix_hash::ObjectId;
use schemars::JsonSchema;
use serde::Serialize;

use super::git_objects::ReadCommit;

/// How much of what somebody wrote about a commit is shown.
const LONGEST_BODY: usize = 4000;
const LONGEST_LINE: usize = 300;
const SHORT: usize = 10;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShownCommit {
    pub id: String,
    pub parents: Vec<String>,
    pub author: String,
    pub email: String,
    /// When it was written, in UTC.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub body: String,
}

impl ShownCommit {
    pub(super) fn new(commit: &ReadCommit) -> Self {
        let (subject, body) = commit.message.split_once('\n').unwrap_or((&commit.message, ""));
        Self {
            id: commit.id.to_string(),
            parents: commit.parents.iter().map(ObjectId::to_string).collect(),
            author: cut(&commit.author, LONGEST_LINE),
            email: cut(&commit.email, LONGEST_LINE),
            date: date(commit.written),
            subject: cut(subject.trim(), LONGEST_LINE),
            body: cut(body.trim(), LONGEST_BODY),
        }
    }

    /// For a reader of text, without the body.
    pub(super) fn line(&self) -> String {
        let day = self.date.split('T').next().unwrap_or_default();
        let short = self.id.get(..SHORT).unwrap_or(&self.id);
        format!("{short} {day} {} — {}", self.author, self.subject)
    }

    pub(super) fn bytes(&self) -> usize {
        let parts = [&self.author, &self.email, &self.subject, &self.body];
        200 + self.parents.len() * 44 + parts.iter().map(|part| part.len()).sum::<usize>()
    }
}

pub(super) fn date(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|time| time.to_string()).unwrap_or_default()
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… [cut]", &text[..end]),
        None => text.to_owned(),
    }
}
