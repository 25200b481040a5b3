//! A process and its group, where there is no subreaper (systems other than Linux).
//!
//! It promises less than `guarded`: what leaves the group is not followed, and if our process is
//! killed outright its children stay.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use nix::sys::signal::{Signal as Number, killpg};
use nix::unistd::Pid;
use tokio::process::{Child as Program, Command};
use toolgate_types::config::SandboxProfile;

use crate::plan::SpawnPlan;
use crate::stdio::ChildStreamEnds;
use crate::{
    HelperPath, NetworkListener, PassedLimit, ProgramExit, Signal, SignalError, SpawnError,
};

#[derive(Debug)]
pub(crate) struct GroupedTree {
    group: Pid,
    program: Program,
}

impl GroupedTree {
    pub(crate) async fn start(
        _helper: &HelperPath,
        plan: &SpawnPlan,
        theirs: ChildStreamEnds,
        _network: Option<Arc<dyn NetworkListener>>,
        shown: &str,
        _folder: &Path,
    ) -> Result<Self, SpawnError> {
        // What is to stand behind walls and was not put there does not start.
        if plan.walls.is_some() {
            return Err(SpawnError::NoWall { profile: SandboxProfile::Default });
        }
        let SpawnPlan { program: file, folder, args, env, .. } = plan;
        let mut args = args.iter().map(text);
        let mut command = Command::new(text(file));
        command.arg0(args.next().unwrap_or_default()).args(args);
        command.env_clear().envs(env.iter().filter_map(|pair| {
            let mut parts = pair.as_bytes().splitn(2, |byte| *byte == b'=');
            Some((OsStr::from_bytes(parts.next()?), OsStr::from_bytes(parts.next()?)))
        }));
        command.current_dir(text(folder)).process_group(0);
        command.stdin(theirs.stdin).stdout(theirs.stdout);
        command.stderr(theirs.stderr.map_or_else(Stdio::inherit, Stdio::from));
        let execute = |source| SpawnError::Execute { program: shown.to_owned(), source };
        let program = command.spawn().map_err(execute)?;
        let group = program.id().and_then(|pid| i32::try_from(pid).ok());
        let group = group
            .map(Pid::from_raw)
            .ok_or_else(|| SpawnError::Resources { source: nix::errno::Errno::ESRCH.into() })?;
        Ok(Self { group, program })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.group.as_raw().unsigned_abs()
    }

    /// Nobody watches what it uses.
    pub(crate) fn passed(&self) -> Option<PassedLimit> {
        None
    }

    pub(crate) async fn exited(&mut self) -> ProgramExit {
        self.program.wait().await.map_or(ProgramExit::Lost, exit)
    }

    /// What stays in the group after the program is killed when this is dropped.
    pub(crate) async fn emptied(&mut self) {
        self.exited().await;
    }

    pub(crate) fn signal(&self, signal: Signal) -> Result<(), SignalError> {
        killpg(self.group, Number::from(signal)).map_err(|_| SignalError)
    }

    pub(crate) fn kill(&self) {
        let _ = killpg(self.group, Number::SIGKILL);
    }
}

impl Drop for GroupedTree {
    fn drop(&mut self) {
        self.kill();
    }
}

fn text(text: &CString) -> &OsStr {
    OsStr::from_bytes(text.as_bytes())
}

fn exit(status: ExitStatus) -> ProgramExit {
    match (status.code(), status.signal()) {
        (Some(code), _) => ProgramExit::Code(code),
        (None, Some(signal)) => ProgramExit::Signal(signal),
        (None, None) => ProgramExit::Lost,
    }
}
