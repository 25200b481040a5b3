//! A control group (version 2) of its own for what stands behind walls, where this process may make one:
//! the kernel itself then holds the whole tree to its memory and its number of processes.
//!
//! It comes on top of the other limits and is never needed: most machines let only some processes have one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use toolgate_types::config::ResourceLimits;

const NAME: &str = "toolgate-";

/// What must be handed down to a group for it to be of any use.
const NEEDED: [&str; 2] = ["memory", "pids"];

/// Processes of ours that are in there too.
const OWN_PROCESSES: u32 = 3;

/// Where such a group can be made: our own one, or the one that ours is in. Nothing is switched on for it:
/// a group with processes in it, as ours is, could not hand anything down.
pub(crate) fn place() -> Option<PathBuf> {
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    place_by(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
}

fn place_by(own: &str, mounts: &str) -> Option<PathBuf> {
    let own = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let (root, point) = mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut fields = before.split(' ').skip(3);
        after.starts_with("cgroup2 ").then_some((fields.next()?, fields.next()?))
    })?;
    let own = Path::new(own).strip_prefix(root).ok()?;
    let own = Path::new(point).join(own);
    let above = own.parent().filter(|above| above.starts_with(point)).map(Path::to_owned);
    [Some(own), above].into_iter().flatten().find(|place| is_fit(place))
}

fn is_fit(place: &Path) -> bool {
    let handed_down = fs::read_to_string(place.join("cgroup.subtree_control")).unwrap_or_default();
    let has = |needed: &str| handed_down.split_whitespace().any(|one| one == needed);
    let may_write = |path: PathBuf| access(&path, AccessFlags::W_OK).is_ok();
    NEEDED.into_iter().all(has)
        && may_write(place.to_owned())
        && may_write(place.join("cgroup.procs"))
}

/// One group, empty at first, gone with [`LimitGroup::remove`].
pub(crate) struct LimitGroup {
    folder: PathBuf,
    /// Opened by somebody who may; whoever writes to it moves.
    processes: File,
    events: Option<File>,
}

impl LimitGroup {
    /// In that place, named after a process that outlives it.
    pub(crate) fn make(place: &Path, owner: u32, limits: &ResourceLimits) -> io::Result<Self> {
        sweep(place);
        let folder = place.join(format!("{NAME}{owner}"));
        fs::create_dir(&folder)?;
        Self::set_up(&folder, limits).inspect_err(|_| drop(fs::remove_dir(&folder)))
    }

    fn set_up(folder: &Path, limits: &ResourceLimits) -> io::Result<Self> {
        let processes = limits.processes.saturating_add(OWN_PROCESSES);
        fs::write(folder.join("memory.max"), limits.memory_bytes.to_string())?;
        fs::write(folder.join("pids.max"), processes.to_string())?;
        // What may not be kept in memory may not be kept beside it either; not every kernel has that.
        if folder.join("memory.swap.max").exists() {
            fs::write(folder.join("memory.swap.max"), "0")?;
        }
        let processes = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join("cgroup.procs"))?;
        let events = File::open(folder.join("memory.events")).ok();
        Ok(Self { folder: folder.to_owned(), processes, events })
    }

    /// The calling process moves there, with all that come of it.
    pub(crate) fn enter(&self) -> io::Result<()> {
        (&self.processes).write_all(b"0")
    }

    /// Whether the kernel has ended something in there for want of memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let Some(mut events) = self.events.as_ref() else { return false };
        let mut text = String::new();
        let read = events.rewind().and_then(|()| events.read_to_string(&mut text));
        let kills = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        read.is_ok() && kills.is_some_and(|kills| kills.trim() != "0")
    }

    pub(crate) fn remove(self) {
        let _ = fs::remove_dir(self.folder);
    }
}

/// What was left by an owner that was killed.
fn sweep(place: &Path) {
    let Ok(groups) = fs::read_dir(place) else { return };
    for group in groups.flatten() {
        let name = group.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(NAME)).map(str::to_owned);
        let runs = |owner: &String| Path::new("/proc").join(owner).exists();
        if owner.is_some_and(|owner| owner.parse::<u32>().is_ok() && !runs(&owner)) {
            // Refused where somebody is still in there.
            let _ = fs::remove_dir(group.path());
        }
    }
}

#[cfg(test)]
mod tests;
