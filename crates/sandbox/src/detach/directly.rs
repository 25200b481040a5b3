//! Starting it as a child that is collected in the background (systems other than Linux).
//!
//! It leads a group of its own instead of a session.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use super::DetachedStreams;
use crate::SpawnError;
use crate::plan::SpawnPlan;

pub(super) fn start(
    plan: &SpawnPlan,
    streams: DetachedStreams,
    program: &Path,
) -> Result<u32, SpawnError> {
    let SpawnPlan { program: file, folder, args, env, .. } = plan;
    let mut args = args.iter().map(text);
    let mut command = Command::new(text(file));
    command.arg0(args.next().unwrap_or_default()).args(args);
    command.env_clear().envs(env.iter().filter_map(|pair| {
        let mut parts = pair.as_bytes().splitn(2, |byte| *byte == b'=');
        Some((OsStr::from_bytes(parts.next()?), OsStr::from_bytes(parts.next()?)))
    }));
    command.current_dir(text(folder)).process_group(0);
    command.stdin(streams.stdin).stdout(streams.stdout).stderr(streams.stderr);
    let execute = |source| SpawnError::Execute { program: program.display().to_string(), source };
    let mut child = command.spawn().map_err(execute)?;
    let pid = child.id();
    std::thread::spawn(move || child.wait());
    Ok(pid)
}

fn text(text: &CString) -> &OsStr {
    OsStr::from_bytes(text.as_bytes())
}
