//! How much memory the trees of processes take: what is resident of every process in them, as Linux
//! tells it in `/proc`. Where that is not there, nothing is known.
//!
//! Memory that two processes share is counted for both. It reads files: never on the path of a call.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// The memory in bytes of each tree, by the process that leads it; one that cannot be read has none.
///
/// A server stands below a reaper of its own, to which falls whatever loses its parent: so all that
/// is below the reaper is the server's.
pub(super) fn of_trees(leaders: &[u32]) -> HashMap<u32, u64> {
    let parents = parents(Path::new("/proc"));
    let children = children(&parents);
    let of_tree = |leader: &u32| {
        let reaper = parents.get(leader)?;
        let mut open = match is_below_us(&parents, *reaper) {
            true => children.get(reaper).cloned().unwrap_or_default(),
            false => vec![*leader],
        };
        let mut bytes = 0;
        while let Some(process) = open.pop() {
            bytes += resident(process).unwrap_or(0);
            open.extend(children.get(&process).into_iter().flatten());
        }
        Some((*leader, bytes))
    };
    leaders.iter().filter_map(of_tree).collect()
}

/// Otherwise the reaper is gone, and whoever took the server in has children of its own.
fn is_below_us(parents: &HashMap<u32, u32>, process: u32) -> bool {
    let above = std::iter::successors(parents.get(&process), |process| parents.get(process));
    // A table that was read while processes came and went might hold a circle.
    above.take(parents.len()).any(|process| *process == std::process::id())
}

/// The parent of every process there is.
fn parents(proc: &Path) -> HashMap<u32, u32> {
    let Ok(entries) = fs::read_dir(proc) else { return HashMap::new() };
    let parent = |entry: fs::DirEntry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        Some((process, parent(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
    };
    entries.flatten().filter_map(parent).collect()
}

/// The second field after the name, which is in parentheses and may hold anything.
fn parent(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

fn children(parents: &HashMap<u32, u32>) -> HashMap<u32, Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for (child, parent) in parents {
        children.entry(*parent).or_default().push(*child);
    }
    children
}

fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_hides_no_parent() {
        assert_eq!(parent("7 (a) b (c)) S 42 7 7 0"), Some(42));
        assert_eq!(parent("7 (a"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_there_takes_some_and_one_that_is_not_takes_none() {
        let us = std::process::id();
        let trees = of_trees(&[us, u32::MAX]);
        assert!(trees[&us] > 100 * 1024, "{trees:?}");
        assert!(!trees.contains_key(&u32::MAX));
    }
}
