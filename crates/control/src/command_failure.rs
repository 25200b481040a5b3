//! Why a command failed, as a person reads it, and how it ends: said by whoever found out, be it the
//! command itself or the daemon.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

/// The exit codes of every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum CommandExit {
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
pub struct CommandFailure {
    pub exit: CommandExit,
    pub message: String,
    pub hint: Option<String>,
}

/// What comes of a command.
pub type CommandEnd = Result<CommandExit, CommandFailure>;

impl CommandFailure {
    pub fn new(message: impl Display) -> Self {
        Self { exit: CommandExit::Error, message: message.to_string(), hint: None }
    }

    pub fn usage(message: impl Display) -> Self {
        Self { exit: CommandExit::Usage, ..Self::new(message) }
    }

    #[must_use]
    pub fn exits(mut self, exit: CommandExit) -> Self {
        self.exit = exit;
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }
}

/// The person pressed Ctrl-C.
pub fn interrupted() -> CommandFailure {
    CommandFailure::new("interrupted").exits(CommandExit::Interrupted)
}
