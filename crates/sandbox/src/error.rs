//! Why nothing was started: whose fault, whether to try again, what to do.
//!
//! These sentences are for the person at the terminal and for the log; they name paths, never the
//! value of an argument or a variable that is secret. What an agent may read is mapped elsewhere.

use std::io;
use std::path::PathBuf;

use nix::errno::Errno;
use thiserror::Error;
use toolgate_types::config::SandboxProfile;

use crate::{HelperError, ProgramError, WallError};

/// Who can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxFault {
    /// The entry that describes the process.
    Entry,
    /// The machine: its limits, or what else runs on it.
    Machine,
    /// The program that embeds this crate, or its installation.
    Program,
}

/// Why nothing was started. Nothing is left running after any of these.
#[derive(Debug, Error)]
pub enum SpawnError {
    #[error(
        "sandbox profile `{profile}` does not exist on this system, and nothing runs without it"
    )]
    NoWall { profile: SandboxProfile },
    #[error("there are no walls for it: {0}")]
    Walls(#[from] WallError),
    #[error("this system does not let walls be built: {source}")]
    Unwalled { source: io::Error },
    #[error("`bwrap` did not build the walls")]
    Unbuilt,
    #[error("the walls of the embedding program do not let it start: {0}")]
    Embedder(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("the working directory is not an absolute path: {}", .0.display())]
    RelativeFolder(PathBuf),
    #[error("cannot use the working directory {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("{what} holds a NUL character")]
    Nul { what: String },
    #[error("{what} is not the name of a variable")]
    VariableName { what: String },
    #[error("`{program}` could not be executed: {source}")]
    Execute { program: String, source: io::Error },
    #[error("the system has no room for another process: {source}")]
    Resources { source: io::Error },
    #[error(transparent)]
    Helper(#[from] HelperError),
}

impl SpawnError {
    pub fn fault(&self) -> SandboxFault {
        match self {
            Self::NoWall { .. }
            | Self::Walls(_)
            | Self::Program(_)
            | Self::RelativeFolder(_)
            | Self::Folder { .. }
            | Self::Nul { .. }
            | Self::VariableName { .. } => SandboxFault::Entry,
            Self::Execute { source, .. } if is_shortage(source) => SandboxFault::Machine,
            Self::Execute { .. } => SandboxFault::Entry,
            Self::Resources { .. } | Self::Unwalled { .. } | Self::Unbuilt => SandboxFault::Machine,
            Self::Helper(HelperError::Start { source, .. }) if is_shortage(source) => {
                SandboxFault::Machine
            }
            Self::Helper(HelperError::Lost(_)) => SandboxFault::Machine,
            Self::Helper(_) | Self::Embedder(_) => SandboxFault::Program,
        }
    }

    /// Whether the same call may succeed later with nobody doing anything.
    pub fn may_retry(&self) -> bool {
        self.fault() == SandboxFault::Machine
            && !matches!(self, Self::Unwalled { .. } | Self::Unbuilt)
    }

    /// What the person can do, as a sentence of its own.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoWall { .. } => {
                Some("Set `sandbox_profile = \"none\"` only if you trust it with everything.")
            }
            Self::Walls(error) => error.hint(),
            Self::Unwalled { .. } => Some("`toolgate doctor` says what is missing."),
            Self::Unbuilt => Some(
                "`bwrap --unshare-all --ro-bind / / true` says why; it must be 0.8 or newer and know \
                 `--bind-fd`.",
            ),
            Self::Program(ProgramError::NotFound { .. }) => {
                Some("Install it, or write its whole path as the command.")
            }
            Self::Program(ProgramError::NotExecutable { .. }) => {
                Some("Make it executable (chmod +x), or start it through its interpreter.")
            }
            Self::RelativeFolder(_) | Self::Folder { .. } => {
                Some("Name a folder that exists as `cwd`.")
            }
            Self::Execute { source, .. } => execute_hint(source),
            Self::Resources { .. } => {
                Some("Stop other processes, or raise the limits of processes and open files.")
            }
            Self::Helper(HelperError::NotInitialised) => Some(
                "Call `toolgate_sandbox::init()` first in `main`, or give a helper path to \
                 `Spawner::new`.",
            ),
            _ => None,
        }
    }
}

fn execute_hint(source: &io::Error) -> Option<&'static str> {
    match Errno::from_raw(source.raw_os_error()?) {
        Errno::ENOEXEC => {
            Some("It is no program of this machine, or a script without a `#!` line.")
        }
        Errno::ENOENT => Some("The interpreter or loader that it names does not exist."),
        Errno::E2BIG => Some("Its arguments and variables are too long together."),
        _ => None,
    }
}

fn is_shortage(error: &io::Error) -> bool {
    let errno = Errno::from_raw(error.raw_os_error().unwrap_or_default());
    matches!(
        errno,
        Errno::EAGAIN
            | Errno::ENOMEM
            | Errno::EMFILE
            | Errno::ENFILE
            | Errno::ENOBUFS
            | Errno::ETXTBSY
    )
}
