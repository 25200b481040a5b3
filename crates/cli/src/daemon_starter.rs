//! Starts a daemon: this very program, in a process of its own that outlives this one.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use toolgate_config::Variables;
use toolgate_control::{CommandFailure, DaemonStarter, StartedDaemon};
use toolgate_sandbox::{DetachedProgram, detach};

/// What this process runs.
pub(crate) struct ThisProgram;

impl DaemonStarter for ThisProgram {
    fn start(
        &self,
        variables: &Variables,
        stderr: Option<File>,
    ) -> Result<StartedDaemon, CommandFailure> {
        let environment = variables.iter().collect();
        let started = detach(&our_program(), &["toolgate", "__daemon"], &environment, stderr);
        let DetachedProgram { stdout, pid } = started.map_err(|error| {
            let message = format!("the daemon could not be started: {error}");
            let failure = CommandFailure::new(message);
            match error.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        })?;
        Ok(StartedDaemon { stdout, pid })
    }
}

/// This very program, by its name if that still means it.
fn our_program() -> PathBuf {
    let itself = Path::new("/proc/self/exe");
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    match std::env::current_exe() {
        Ok(path) if !itself.exists() || identity(&path) == identity(itself) => path,
        _ => itself.to_owned(),
    }
}
