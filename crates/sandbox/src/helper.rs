//! Which program acts as the reaper.
//!
//! The reaper is this program started again, so that nothing has to be installed or found.

use std::io;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

static INITIALISED: AtomicBool = AtomicBool::new(false);

/// Notes that this program becomes a reaper when it is asked to.
pub(crate) fn note_initialised() {
    INITIALISED.store(true, Ordering::Relaxed);
}

/// The program that acts as the reaper. Systems other than Linux have none and do not look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelperPath(HelperProgram);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum HelperProgram {
    #[default]
    CurrentExe,
    At(PathBuf),
}

/// Why there is no reaper. The embedding program or its installation is at fault.
#[derive(Debug, Error)]
pub enum HelperError {
    #[error("`toolgate_sandbox::init()` was not called first in `main`")]
    NotInitialised,
    #[error("the path of the helper is not absolute: {}", .0.display())]
    Relative(PathBuf),
    #[error("the helper {} could not be started: {source}", path.display())]
    Start { path: PathBuf, source: io::Error },
    #[error("{} does not answer as a helper of this version", .0.display())]
    NoAnswer(PathBuf),
    #[error("the helper {} ended before it started anything", .0.display())]
    Lost(PathBuf),
}

impl HelperPath {
    /// This very program, also after its file was replaced. It must call [`init`](crate::init).
    pub fn current_exe() -> Self {
        Self(HelperProgram::CurrentExe)
    }

    /// Another program that calls [`init`](crate::init), such as `toolgate-reap`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(HelperProgram::At(path.into()))
    }

    /// A copy of ourselves that does not know [`init`](crate::init) would run as whatever it is, and start the
    /// next copy; so the call is asked for.
    #[cfg(target_os = "linux")]
    pub(crate) fn check(&self) -> Result<&Path, HelperError> {
        match &self.0 {
            HelperProgram::CurrentExe if INITIALISED.load(Ordering::Relaxed) => {
                Ok(Path::new("/proc/self/exe"))
            }
            HelperProgram::CurrentExe => Err(HelperError::NotInitialised),
            HelperProgram::At(path) if path.is_absolute() => Ok(path),
            HelperProgram::At(path) => Err(HelperError::Relative(path.clone())),
        }
    }
}
