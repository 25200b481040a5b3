//! Which program acts as the reaper, and the point where this program becomes one.
//!
//! The reaper is this program started again, so that nothing has to be installed or found. What it
//! then does is in `reap`. The one that lets a program go is this program too.

use std::io;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

static INITIALISED: AtomicBool = AtomicBool::new(false);

/// To be called first in `main`, before any thread exists and before arguments are read.
///
/// Started as a reaper, or to let a program go, this program acts as that and the call does not
/// return. Otherwise it only notes that it was made.
pub fn init() {
    INITIALISED.store(true, Ordering::Relaxed);
    #[cfg(target_os = "linux")]
    if crate::protocol::is_reaper(std::env::args_os()) {
        crate::reap::run();
    }
    #[cfg(target_os = "linux")]
    if crate::protocol::is_detacher(std::env::args_os()) {
        crate::reap::let_go();
    }
}

/// The program that acts as the reaper. Systems other than Linux have none and do not look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelperPath(Place);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Place {
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
    /// This very program, also after its file was replaced. It must call [`init`].
    pub fn current_exe() -> Self {
        Self(Place::CurrentExe)
    }

    /// Another program that calls [`init`], such as `toolgate-reap`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(Place::At(path.into()))
    }

    /// A copy of ourselves that does not know [`init`] would run as whatever it is, and start the
    /// next copy; so the call is asked for.
    #[cfg(target_os = "linux")]
    pub(crate) fn check(&self) -> Result<&Path, HelperError> {
        match &self.0 {
            Place::CurrentExe if INITIALISED.load(Ordering::Relaxed) => {
                Ok(Path::new("/proc/self/exe"))
            }
            Place::CurrentExe => Err(HelperError::NotInitialised),
            Place::At(path) if path.is_absolute() => Ok(path),
            Place::At(path) => Err(HelperError::Relative(path.clone())),
        }
    }
}
