//! Finding the descendants of this process, and signalling them.
//!
//! Killing goes by direct children only, round after round: the id of a child that was not reaped
//! yet cannot belong to anybody else, and the children of a killed one fall to us. So no stranger is
//! hit, however fast ids are used again. Asking (`SIGTERM`) goes to all at once and takes the
//! chance, which is a full turn of the id counter within microseconds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid};

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Rounds of killing, further and further apart: a death is noticed at once anyway.
pub(super) struct KillRounds {
    pause: Duration,
}

impl Default for KillRounds {
    fn default() -> Self {
        Self { pause: FIRST_PAUSE }
    }
}

impl KillRounds {
    /// Kills every direct child. Says when to do it again, or that none of them may be signalled:
    /// they belong to another user, and waiting for them would only leave one process more. What
    /// such a one has started may still be ours to kill.
    pub(super) fn round(&mut self) -> nix::Result<Duration> {
        let children = children_of(getpid().as_raw());
        let refused = |pid: &i32| kill(Pid::from_raw(*pid), Signal::SIGKILL) == Err(Errno::EPERM);
        let refusals = children.iter().filter(|pid| refused(pid)).count();
        if refusals > 0 && refusals == children.len() {
            signal_descendants(Signal::SIGKILL);
            return Err(Errno::EPERM);
        }
        let pause = self.pause;
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        Ok(pause)
    }
}

/// Sends a signal to every descendant there is at this moment.
pub(super) fn signal_descendants(signal: Signal) {
    let mut seen = BTreeSet::new();
    let mut open = children_of(getpid().as_raw());
    while let Some(pid) = open.pop() {
        if seen.insert(pid) {
            open.extend(children_of(pid));
        }
    }
    for pid in seen {
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// The children of a process, whichever of its threads started them.
pub(super) fn children_of(pid: i32) -> Vec<i32> {
    let own = format!("/proc/{0}/task/{0}/children", getpid());
    if !Path::new(&own).exists() {
        return children_by_parent(pid);
    }
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists =
        threads.flatten().flat_map(|thread| fs::read_to_string(thread.path().join("children")));
    lists.flat_map(|list| numbers(&list)).collect()
}

fn numbers(list: &str) -> Vec<i32> {
    list.split_whitespace().flat_map(str::parse).collect()
}

/// The same from a kernel built without those lists, by asking every process for its parent.
fn children_by_parent(parent: i32) -> Vec<i32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.flatten().flat_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| parent_of(*pid) == Some(parent)).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it is in parentheses and may hold anything, parentheses included.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests;
