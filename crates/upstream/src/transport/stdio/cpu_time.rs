//! How long a process and those below it have computed, as Linux tells it in `/proc`. Where that is not
//! there, nothing is known.
//!
//! It reads a few small files, and only while a server starts.

use std::fs;

/// So many processes of one tree are looked at: what starts a server starts few.
const MOST: usize = 32;

/// In ticks of the kernel's clock, a hundredth of a second on every common system.
pub(super) fn of_tree(leader: u32) -> Option<u64> {
    let mut open = vec![leader];
    let mut ticks = of_process(leader)?;
    let mut seen = 1;
    while let Some(process) = open.pop() {
        for child in children(process) {
            if seen < MOST {
                seen += 1;
                ticks += of_process(child).unwrap_or(0);
                open.push(child);
            }
        }
    }
    Some(ticks)
}

fn of_process(process: u32) -> Option<u64> {
    ticks(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Its own time and that of children that ended: four fields, the twelfth of those after the name,
/// which is in parentheses and may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(4).map(str::parse::<u64>);
    times.sum::<Result<u64, _>>().ok()
}

fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let children = fs::read_to_string(path).unwrap_or_default();
    children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_process_and_of_its_children_that_ended_are_added() {
        let stat = "7 (a) b (c)) S 42 7 7 0 -1 4194560 100 0 0 0 5 6 70 800 20 0 1 0 9 0 0";
        assert_eq!(ticks(stat), Some(881));
        assert_eq!(ticks("7 (a"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_child_computes_counts_and_waiting_does_not() {
        use std::io::{BufRead as _, BufReader};
        use std::process::{Command, Stdio};
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; read end";
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sh -c '{busy}'; true")]);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let after = of_tree(shell.id()).unwrap();
        assert!(after > of_process(shell.id()).unwrap(), "its child has computed");
        assert!(after > 2, "{after}");
        drop(shell.stdin.take());
        shell.wait().unwrap();
    }
}
