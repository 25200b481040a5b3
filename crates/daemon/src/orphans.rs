//! Processes of ours that outlived whoever started them. None should: each watches its parent. One
//! that was stopped, or cannot be ended, is still there.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::thread;
use std::time::{Duration, Instant};

use toolgate_control::current_uid;

/// A process, as far as this question goes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OrphanProcess {
    parent: u32,
    name: String,
    /// What it was started with, its name left out.
    arguments: Vec<String>,
}

/// How long one may take to end what it watches over, once its owner is gone.
const PATIENCE: Duration = Duration::from_secs(3);

const EVERY: Duration = Duration::from_millis(50);

/// The processes that watch over servers whose owner is gone, and that go on doing so.
pub fn orphaned_reapers() -> Vec<u32> {
    lasting(PATIENCE, || orphans(&processes()))
}

/// Those that were there at first and still are: somebody may have ended a moment ago.
fn lasting(patience: Duration, look: impl Fn() -> Vec<u32>) -> Vec<u32> {
    let until = Instant::now() + patience;
    let mut there = look();
    while !there.is_empty() && Instant::now() < until {
        thread::sleep(EVERY);
        let now = look();
        there.retain(|pid| now.contains(pid));
    }
    there
}

/// Those who watch over servers for somebody who is not there any more: they have fallen to the
/// process that takes in orphans.
fn orphans(all: &BTreeMap<u32, OrphanProcess>) -> Vec<u32> {
    let is_reaper =
        |process: &OrphanProcess| process.arguments.first().is_some_and(|first| first == "__reap");
    let took_in = |pid: u32| match all.get(&pid) {
        Some(parent) => pid == 1 || matches!(parent.name.as_str(), "systemd" | "init"),
        // Not to be seen from here, so nobody who could have started it.
        None => true,
    };
    let is_orphan =
        |(_, process): &(&u32, &OrphanProcess)| is_reaper(process) && took_in(process.parent);
    all.iter().filter(is_orphan).map(|(pid, _)| *pid).collect()
}

/// All processes of this user, and the one that is everybody's.
fn processes() -> BTreeMap<u32, OrphanProcess> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let read = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let is_ours = entry.metadata().ok()?.uid() == current_uid();
        let path = entry.path();
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        let (name, fields) = stat.split_once('(')?.1.rsplit_once(')')?;
        let parent = fields.split_whitespace().nth(1)?.parse().ok()?;
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        let words = line.split(|byte| *byte == 0).skip(1);
        let arguments = words.map(|word| String::from_utf8_lossy(word).into_owned());
        let arguments = if is_ours { arguments.collect() } else { Vec::new() };
        Some((pid, OrphanProcess { parent, name: name.to_owned(), arguments }))
    };
    entries.filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(parent: u32, name: &str, arguments: &[&str]) -> OrphanProcess {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        OrphanProcess { parent, name: name.to_owned(), arguments }
    }

    #[test]
    fn a_reaper_that_fell_to_init_is_an_orphan_and_its_own_children_are_not() {
        let reap = ["__reap", "toolgate-reap/3"];
        let all = BTreeMap::from([
            (1, process(0, "systemd", &[])),
            (10, process(1, "toolgate", &["__daemon"])),
            (11, process(10, "toolgate", &reap)),
            (12, process(11, "toolgate", &reap)),
            (13, process(12, "node", &["server.js"])),
            (20, process(1, "toolgate", &reap)),
            (21, process(20, "toolgate", &reap)),
            (30, process(31, "toolgate", &reap)),
            (31, process(1, "systemd", &["--user"])),
            // Somebody else's program that embeds us.
            (40, process(1, "agent", &[])),
            (41, process(40, "toolgate", &reap)),
            (50, process(1, "other", &["--reap"])),
        ]);
        assert_eq!(orphans(&all), [20, 30]);
    }

    #[test]
    fn one_that_is_about_to_end_is_none() {
        let looks = std::cell::Cell::new(0);
        let look = || {
            looks.set(looks.get() + 1);
            if looks.get() == 1 { vec![1, 2] } else { vec![2, 3] }
        };
        assert_eq!(lasting(EVERY, look), [2]);
        assert_eq!(lasting(PATIENCE, Vec::new), [0; 0]);
    }

    #[test]
    fn the_process_itself_is_seen_with_its_parent_and_arguments() {
        let all = processes();
        let own = &all[&std::process::id()];
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(!own.arguments.iter().any(|word| word == "__reap"));
    }
}
