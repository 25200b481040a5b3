//! How much a confined tree may use: limits of the kernel's for each process, and a look at the whole
//! tree from its first process.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, setrlimit};
use toolgate_types::config::ResourceLimits;

use crate::PassedLimit;
use crate::core_file::NO_CORE;

/// Below this the kernel takes no lower bound for process numbers.
const LEAST_NUMBERS: u32 = 301;

/// How often a tree that does something is looked at, and one that does nothing.
const BUSY: Duration = Duration::from_millis(100);
const IDLE: Duration = Duration::from_secs(2);

/// Where the kernel can (from 6.14 on), the numbers of this process tree alone are bounded, which
/// bounds its processes whoever runs them; root is bound by no other limit.
pub(super) fn cap_processes(limits: &ResourceLimits) {
    let most = limits.processes.max(LEAST_NUMBERS);
    // The kernel's own bound counts for the tree that the writer is in.
    let _ = fs::write("/proc/sys/kernel/pid_max", most.to_string());
}

pub(super) fn apply(limits: &ResourceLimits) -> nix::Result<()> {
    let set = |resource, most| setrlimit(resource, most, most);
    set(Resource::RLIMIT_CORE, NO_CORE)?;
    set(Resource::RLIMIT_NPROC, u64::from(limits.processes))?;
    set(Resource::RLIMIT_FSIZE, limits.file_bytes)?;
    match limits.cpu_seconds {
        0 => Ok(()),
        seconds => set(Resource::RLIMIT_CPU, seconds),
    }
}

/// The eyes of the first process on its tree.
pub(in super::super) struct LimitWatch {
    limits: ResourceLimits,
    last: TreeUse,
    pause: Duration,
    due: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct TreeUse {
    processes: u32,
    pages: u64,
}

impl LimitWatch {
    pub(in super::super) fn new(limits: ResourceLimits) -> Self {
        Self { limits, last: TreeUse::default(), pause: BUSY, due: Instant::now() + BUSY }
    }

    /// Looks if it is time to. When to come back, or that the tree uses too much.
    pub(in super::super) fn look(&mut self) -> Result<Duration, PassedLimit> {
        let now = Instant::now();
        if now >= self.due {
            let seen = TreeUse::now();
            if seen.processes > self.limits.processes {
                return Err(PassedLimit::Processes);
            }
            if seen.pages.saturating_mul(PAGE) > self.limits.memory_bytes {
                return Err(PassedLimit::Memory);
            }
            let is_same = seen == self.last;
            self.pause = if is_same { (self.pause * 2).min(IDLE) } else { BUSY };
            (self.last, self.due) = (seen, now + self.pause);
        }
        Ok(self.due.saturating_duration_since(now))
    }
}

/// The size that the kernel counts in, on every machine that this runs on.
const PAGE: u64 = 4096;

impl TreeUse {
    /// Of every process but the first. What several share counts once for each.
    fn now() -> Self {
        let Ok(listed) = fs::read_dir("/proc") else { return Self::default() };
        let pids = listed.flatten().filter_map(|one| one.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| *pid != 1).fold(Self::default(), |sum, pid| Self {
            processes: sum.processes + 1,
            pages: sum.pages + own_pages(pid).unwrap_or_default(),
        })
    }
}

/// What a process has in memory and does not share with a file.
fn own_pages(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut fields = text.split_whitespace().skip(1).map(|field| field.parse::<u64>().ok());
    let (resident, shared) = (fields.next()??, fields.next()??);
    Some(resident.saturating_sub(shared))
}
