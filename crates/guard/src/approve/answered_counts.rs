//! How often which answer came over which channel, since this program began.
//!
//! The words are ours, so there are few of them. Kept here and not by somebody who listens: who
//! listens may fall behind.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::ApprovalOutcome;

/// One answer over one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredCount {
    /// `none` where nobody answered.
    pub channel: &'static str,
    /// What was said, or how waiting ended without anything said.
    pub choice: &'static str,
    pub count: u64,
}

#[derive(Debug, Default)]
pub(super) struct AnsweredCounts(Mutex<BTreeMap<(&'static str, &'static str), u64>>);

impl AnsweredCounts {
    pub(super) fn add(&self, how: &ApprovalOutcome) {
        let choice = match how {
            ApprovalOutcome::Answered(verdict) => verdict.choice.as_str(),
            ApprovalOutcome::Expired => "expired",
            ApprovalOutcome::Withdrawn => "withdrawn",
            ApprovalOutcome::Unheard => "unheard",
        };
        *self.0.lock().entry((how.channel().unwrap_or("none"), choice)).or_default() += 1;
    }

    pub(super) fn all(&self) -> Vec<AnsweredCount> {
        let counts = self.0.lock();
        let one = |(&(channel, choice), &count): (&(&'static str, &'static str), &u64)| {
            AnsweredCount { channel, choice, count }
        };
        counts.iter().map(one).collect()
    }
}
