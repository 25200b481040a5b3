//! What `/proc` says about processes, and waiting until it says something else.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A process by its id and start time, so that another one with the same id is not taken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    started: u64,
    ended: bool,
}

impl Process {
    pub(crate) fn of(pid: u32) -> Self {
        Self::read(i32::try_from(pid).unwrap()).unwrap()
    }

    fn read(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |index: usize| fields[index].parse::<i32>().unwrap();
        let ended = matches!(fields[0], "Z" | "X");
        Some(Self {
            pid,
            parent: number(1),
            group: number(2),
            started: fields[19].parse().unwrap(),
            ended,
        })
    }

    pub(crate) fn parent(self) -> Self {
        Self::read(self.parent).unwrap()
    }

    /// An ended process that nobody has collected yet does not run any more.
    pub(crate) fn runs(self) -> bool {
        self.is_listed() && !Self::read(self.pid).unwrap_or(self).ended
    }

    /// Whether there is anything of it, be it uncollected.
    pub(crate) fn is_listed(self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.started == self.started)
    }

    pub(crate) fn send(self, signal: Signal) {
        kill(Pid::from_raw(self.pid), signal).unwrap();
    }

    pub(crate) fn children(self) -> Vec<Self> {
        all().into_values().filter(|process| process.parent == self.pid).collect()
    }
}

fn all() -> BTreeMap<i32, Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, Process::read(pid)?))).collect()
}

/// Everything below a process, without itself.
pub(crate) fn descendants(of: Process) -> Vec<Process> {
    let all = all();
    let is_below = |process: &&Process| {
        let mut parent = process.parent;
        while parent != of.pid {
            match all.get(&parent) {
                Some(next) => parent = next.parent,
                None => return false,
            }
        }
        true
    };
    all.values().filter(is_below).copied().collect()
}

/// Waits until none of them runs, and panics with those that do.
pub(crate) async fn gone(processes: &[Process], limit: Duration) {
    eventually(limit, || {
        let left: Vec<&Process> = processes.iter().filter(|process| process.runs()).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("still running: {left:?}")) }
    })
    .await;
}

/// Asks again and again until the answer is good, and panics with the last bad one.
pub(crate) async fn eventually(limit: Duration, mut ask: impl FnMut() -> Result<(), String>) {
    let start = Instant::now();
    while let Err(problem) = ask() {
        assert!(start.elapsed() < limit, "{problem}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
