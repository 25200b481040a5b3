//! The end of the daemon, waited for.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use toolgate_types::Variables;

use super::{ControlClient, DaemonInfo};
use crate::{CommandFailure, RunFolder, wait_for_last_daemon};

/// How long that may take at most.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// Ends the daemon of whoever has these variables; which one it was, if one ran.
pub fn stop_daemon(variables: &Variables) -> Result<Option<DaemonInfo>, CommandFailure> {
    let Some(folder) = RunFolder::find(variables)? else { return Ok(None) };
    let stopped = match ControlClient::find(variables)? {
        Some(daemon) => {
            let info = daemon.info()?;
            daemon.stop()?;
            Some(info)
        }
        None => None,
    };
    // One that answers nobody any more may still be about to end.
    wait_for_last_daemon(&folder)?;
    if let Some(info) = &stopped {
        wait_for_the_process(info.pid);
    }
    Ok(stopped)
}

/// What a daemon holds it gives back a moment before its process is over; nothing else tells of that.
fn wait_for_the_process(pid: u32) {
    let until = Instant::now() + LAST_MOMENT;
    while is_there(pid) && Instant::now() < until {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a process is there and has not ended. Its first thread may be over before the others, and
/// they hold what it held.
fn is_there(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    let threads = || fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().count();
    !state.starts_with(['Z', 'X']) || threads() > 1
}

/// Has a daemon look at configuration and acceptances again, if one runs. What was changed is changed
/// whether or not it can be told.
pub fn reload_daemon(variables: &Variables) {
    if let Ok(Some(daemon)) = ControlClient::find(variables) {
        let _ = daemon.reload();
    }
}
