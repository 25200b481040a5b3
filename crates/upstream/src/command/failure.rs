//! Why a command tool gave no outcome: whose fault, what the caller may be told, and what only the log
//! has. The one place where the sandbox's errors become words for a caller.

use std::path::PathBuf;
use std::time::Duration;

use toolgate_sandbox::{ProgramExit, SandboxFault, SpawnError};
use toolgate_types::{Code, EnvName};

/// A command that did not run, or that was ended.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommandError {
    /// What the caller gave cannot be an argument of a command; a sentence for the caller.
    #[error("{0}")]
    Arguments(String),
    #[error("there is no such tool")]
    Unknown,
    #[error("there is no folder {}", .0.display())]
    NoFolder(PathBuf),
    /// Its session chose a folder outside the workspace, or a link in the workspace leads there, and no policy
    /// lists it.
    #[error("its folder is outside the workspace")]
    FolderOutside,
    #[error("its command {} lies in the workspace", .0.display())]
    InWorkspace(PathBuf),
    #[error("{0}")]
    NoProgram(String),
    /// A file that was accepted with the entry is not as it was.
    #[error("`{0}` changed since it was accepted")]
    FileChanged(String),
    #[error("{message}")]
    Start { code: Code, told: String, message: String },
    #[error("it was ended after {} ms", after.as_millis())]
    TimedOut { after: Duration, partial: Option<String> },
    #[error("it was cancelled")]
    Cancelled,
    #[error("it failed, and the variable `{variable}` that it takes is not set: {ending}")]
    NoCredential { variable: EnvName, ending: String, partial: Option<String> },
    /// It used more than its entry lets it, and was killed for that.
    #[error("it used more than `resources.{0}` and was ended")]
    TooMuch(&'static str, Option<String>),
    /// It failed, the walls had refused it something, and that is what it complains about.
    #[error("it {exit}, and its sandbox had refused: {refused}")]
    Refused { refused: String, exit: ProgramExit, partial: Option<String> },
    /// What was started could not start the program itself: a loader, an interpreter or a shell says so.
    #[error("it {exit} without a word of its own: its program was not found or cannot be run")]
    NotStarted { exit: ProgramExit, stderr: String },
    #[error("it is being ended")]
    Lost,
}

impl CommandError {
    /// Why nothing was started.
    pub(super) fn of_spawn(error: &SpawnError) -> Self {
        let (code, told) = match error {
            SpawnError::NoWall { profile } => (
                Code::Unavailable,
                format!(
                    "the sandbox profile `{profile}` cannot be had here, and it does not run without"
                ),
            ),
            SpawnError::Walls(_) | SpawnError::Unwalled { .. } | SpawnError::Unbuilt => (
                Code::Unavailable,
                "its sandbox cannot be built here, and it does not run without".to_owned(),
            ),
            SpawnError::Embedder(_) => {
                (Code::PermissionDenied, "the program around it does not let it start".to_owned())
            }
            SpawnError::Program(_) => (Code::Internal, "its command cannot be run".to_owned()),
            SpawnError::Execute { source, .. } => {
                let why = error.hint().map_or_else(|| source.to_string(), str::to_owned);
                (Code::Internal, format!("its command could not be executed. {why}"))
            }
            SpawnError::RelativeFolder(_) | SpawnError::Folder { .. } => {
                (Code::Internal, "its folder cannot be used".to_owned())
            }
            SpawnError::Nul { .. } | SpawnError::VariableName { .. } => {
                (Code::InvalidArgument, "an argument or a variable cannot be passed on".to_owned())
            }
            other => match other.fault() {
                SandboxFault::Machine => {
                    (Code::Unavailable, "the system has no room for it now".to_owned())
                }
                SandboxFault::Entry => {
                    (Code::Unavailable, "its entry cannot be run here".to_owned())
                }
                SandboxFault::Program => (Code::Internal, "it could not be started".to_owned()),
            },
        };
        let message = match error.hint() {
            Some(hint) => format!("{error}. {hint}"),
            None => error.to_string(),
        };
        Self::Start { code, told, message }
    }

    pub fn code(&self) -> Code {
        match self {
            Self::Arguments(_) => Code::InvalidArgument,
            Self::Unknown => Code::NotFound,
            Self::InWorkspace(_) | Self::FolderOutside | Self::Refused { .. } => {
                Code::PermissionDenied
            }
            Self::NoFolder(_) => Code::InvalidArgument,
            Self::NoProgram(_) | Self::NotStarted { .. } => Code::Internal,
            Self::FileChanged(_) => Code::Unavailable,
            Self::Start { code, .. } => *code,
            Self::TimedOut { .. } => Code::DeadlineExceeded,
            Self::Cancelled | Self::Lost => Code::Cancelled,
            Self::NoCredential { .. } => Code::Unauthenticated,
            Self::TooMuch(..) => Code::ResourceExhausted,
        }
    }

    /// A sentence without a path.
    pub fn told(&self) -> String {
        match self {
            Self::Arguments(why) => format!("invalid arguments: {why}"),
            Self::Unknown => self.to_string(),
            Self::NoFolder(_) => "the command was not run: its folder is not there".to_owned(),
            Self::FolderOutside => "the command was not run: its folder is outside \
                                    the workspace, and `policy.allowed_cwds` does not list it"
                .to_owned(),
            Self::InWorkspace(_) => "the command was not run: its program lies in the workspace, \
                                     where whoever calls it may have written it"
                .to_owned(),
            Self::NoProgram(_) => "the command was not run: its program was not found".to_owned(),
            Self::FileChanged(_) => {
                "the command was not run: a file that it uses changed since it \
                                     was accepted"
                    .to_owned()
            }
            Self::Start { told, .. } => format!("the command was not run: {told}"),
            Self::TimedOut { after, .. } => {
                format!(
                    "the command was ended after {} ms, the most that it may take",
                    after.as_millis()
                )
            }
            Self::Cancelled | Self::Lost => "the command was cancelled and ended".to_owned(),
            Self::TooMuch(setting, _) => format!(
                "the command was ended: it used more than `resources.{setting}` of its entry lets it"
            ),
            Self::Refused { refused, exit, .. } => {
                format!("the command {exit}, and its sandbox had refused: {refused}")
            }
            Self::NotStarted { exit, .. } => format!(
                "the command could not be started: it {exit} before it said anything itself"
            ),
            Self::NoCredential { variable, .. } => format!(
                "the command failed without its credential: the variable `{variable}` is not set"
            ),
        }
    }

    /// What it had printed.
    pub fn partial(&self) -> Option<&str> {
        match self {
            Self::TimedOut { partial, .. }
            | Self::NoCredential { partial, .. }
            | Self::Refused { partial, .. }
            | Self::TooMuch(_, partial) => partial.as_deref(),
            Self::NotStarted { stderr, .. } => Some(stderr),
            _ => None,
        }
    }
}
