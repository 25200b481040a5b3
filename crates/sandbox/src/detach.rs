//! Starts a program that is to stay when we end: a daemon.
//!
//! It gets a session of its own, the root folder, exactly the variables it is given, and nothing
//! that we have open. It is nobody's child, so nobody has to collect it, and no reaper of ours knows
//! it. File mode mask and resource limits are ours, as with every program. What the daemon does, and
//! that there is only one, is for the caller.

#[cfg(not(target_os = "linux"))]
mod directly;
#[cfg(target_os = "linux")]
mod handover;

use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::plan::SpawnPlan;
use crate::{Environment, SpawnError};

#[cfg(not(target_os = "linux"))]
use directly::start;
#[cfg(target_os = "linux")]
use handover::start;

/// A program that was let go.
#[derive(Debug)]
pub struct DetachedProgram {
    /// What it says on standard output. Nobody else hears it.
    pub stdout: PipeReader,
    pub pid: u32,
}

/// Its streams; ours end with this.
struct DetachedStreams {
    stdin: File,
    stdout: PipeWriter,
    stderr: OwnedFd,
}

/// Starts a program and lets it go; answers once it really runs, and waits for that. `args` begins
/// with the name that it goes by. Without a file for it, its standard error goes nowhere.
///
/// On Linux this program must call [`crate::init`].
pub fn detach(
    program: &Path,
    args: &[&str],
    environment: &Environment,
    stderr: Option<File>,
) -> Result<DetachedProgram, SpawnError> {
    let plan = SpawnPlan::detached(program, args, environment)?;
    let (stdout, streams) = streams(stderr).map_err(|source| SpawnError::Resources { source })?;
    let pid = start(&plan, streams, program)?;
    Ok(DetachedProgram { stdout, pid })
}

fn streams(stderr: Option<File>) -> io::Result<(PipeReader, DetachedStreams)> {
    let stdin = File::open("/dev/null")?;
    let (ours, stdout) = io::pipe()?;
    let stderr = match stderr {
        Some(file) => file,
        None => OpenOptions::new().write(true).open("/dev/null")?,
    };
    Ok((ours, DetachedStreams { stdin, stdout, stderr: stderr.into() }))
}
