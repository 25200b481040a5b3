//! Why a command failed, as a person reads it, and how it ends: said by whoever found out, be it the
//! command itself or the daemon.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use toolgate_types::Code;

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

impl CommandExit {
    /// What each means, as help and documents say it.
    pub const MEANINGS: [(Self, &'static str); 10] = [
        (Self::Ok, "it is done"),
        (
            Self::Error,
            "it failed: something is wrong or missing here, or was not accepted as it is",
        ),
        (Self::Usage, "the command line makes no sense"),
        (Self::LoginNeeded, "a server wants a login or a token"),
        (Self::Unreachable, "a server, or the daemon, cannot be reached or did not answer in time"),
        (Self::ToolError, "the tool ran and says that it failed"),
        (Self::Denied, "a rule, a person or a server refused it"),
        (Self::ApprovalNeeded, "a person has to approve it, and was not waited for"),
        (Self::TrustNeeded, "a project's entry is pending until a person accepts it"),
        (Self::Interrupted, "Ctrl-C"),
    ];

    /// In the words of failed calls.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "failed",
            Self::Usage => Code::InvalidArgument.as_str(),
            Self::LoginNeeded => Code::Unauthenticated.as_str(),
            Self::Unreachable => Code::Unavailable.as_str(),
            Self::ToolError => "tool_error",
            Self::Denied | Self::ApprovalNeeded | Self::TrustNeeded => {
                Code::PermissionDenied.as_str()
            }
            Self::Interrupted => Code::Cancelled.as_str(),
        }
    }

    pub fn meaning(self) -> &'static str {
        let mut all = Self::MEANINGS.into_iter();
        all.find(|(exit, _)| *exit == self).map_or("", |(_, meaning)| meaning)
    }
}

/// A failure as a person reads it.
#[derive(Debug, Serialize, Deserialize)]
pub struct CommandFailure {
    pub exit: CommandExit,
    pub message: String,
    pub hint: Option<String>,
    /// What programs go by, where that is more than the exit code says.
    #[serde(default)]
    pub code: Option<Code>,
}

/// What comes of a command.
pub type CommandEnd = Result<CommandExit, CommandFailure>;

impl CommandFailure {
    pub fn new(message: impl Display) -> Self {
        Self { exit: CommandExit::Error, message: message.to_string(), hint: None, code: None }
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
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
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
