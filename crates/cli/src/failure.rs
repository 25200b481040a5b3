//! Why a verb failed: the sentence, the hint, the exit code.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use toolgate_config::Problems;
use toolgate_store::StoreError;

/// The exit codes of every verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub(crate) enum Exit {
    Ok = 0,
    Error = 1,
    Usage = 2,
    LoginNeeded = 3,
    Unreachable = 4,
    /// The tool ran and says that it failed.
    ToolError = 5,
    Denied = 6,
    /// A person has to approve it, and was not waited for.
    ApprovalNeeded = 7,
    TrustNeeded = 8,
    /// By the person, as shells tell it.
    Interrupted = 130,
}

/// A failure as a person reads it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

pub(crate) type Done = Result<Exit, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Display) -> Self {
        Self { exit: Exit::Error, message: message.to_string(), hint: None }
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    pub(crate) fn exits(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    pub(crate) fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let hint = error.hint().map(str::to_owned);
        Self { hint, ..Self::new(error) }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::new(problems)
    }
}
