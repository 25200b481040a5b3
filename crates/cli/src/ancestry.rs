//! Who started this process: its parent as `/proc` knows it, and everybody above.
//!
//! It only looks. What a parent's environment is good for, and what follows from who descends from
//! whom, is decided elsewhere. Where there is no `/proc` nobody is found.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::parent_id;

use toolgate_config::Variables;
pub(crate) use toolgate_gateway::socket::hello::Process;

/// No chain of processes is longer; a longer one was read while it changed.
const LONGEST_CHAIN: usize = 1000;

/// The process that started this one.
#[derive(Debug, Clone)]
pub(crate) struct Parent {
    pub(crate) process: Process,
    /// What it was started with, if it is the same user's; what is not UTF-8 is left out.
    pub(crate) environ: Option<Variables>,
}

impl Parent {
    /// Ours, if it is still there.
    pub(crate) fn of_this_process() -> Option<Self> {
        let pid = parent_id();
        let (process, _) = look(pid)?;
        let environ = environ(pid);
        // It may have ended meanwhile, and its number may be another's by now.
        let is_same = parent_id() == pid && look(pid).is_some_and(|(now, _)| now == process);
        is_same.then_some(Self { process, environ })
    }
}

/// The process with this number, if there is one now.
pub(crate) fn process(pid: u32) -> Option<Process> {
    look(pid).map(|(process, _)| process)
}

/// A process and everybody above it, the nearest first.
#[expect(dead_code, reason = "approvals look at the chain of the one who approves")]
pub(crate) fn chain(pid: u32) -> Vec<Process> {
    chain_with(pid, look)
}

fn chain_with(pid: u32, look: impl Fn(u32) -> Option<(Process, u32)>) -> Vec<Process> {
    let mut chain = Vec::new();
    let mut next = pid;
    while let Some((process, parent)) = look(next).filter(|_| chain.len() < LONGEST_CHAIN) {
        chain.push(process);
        next = parent;
    }
    chain
}

/// A process and the number of its parent.
fn look(pid: u32) -> Option<(Process, u32)> {
    let (parent, start) = read_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)?;
    Some((Process { pid, start }, parent))
}

/// The parent's number and the start. The name of the program comes before both and may be anything,
/// parentheses and spaces included.
fn read_stat(stat: &[u8]) -> Option<(u32, u64)> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(stat.get(end + 1..)?).ok()?.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some((parent, start))
}

fn environ(pid: u32) -> Option<Variables> {
    let folder = format!("/proc/{pid}");
    let is_ours = fs::metadata(&folder).ok()?.uid() == crate::rundir::uid();
    fs::read(format!("{folder}/environ")).ok().filter(|_| is_ours).map(|bytes| read_environ(&bytes))
}

/// Of a name that comes twice the first counts, as it does for programs.
fn read_environ(bytes: &[u8]) -> Variables {
    let mut variables = BTreeMap::new();
    for pair in bytes.split(|byte| *byte == 0) {
        let pair = std::str::from_utf8(pair).ok().and_then(|pair| pair.split_once('='));
        if let Some((name, value)) = pair.filter(|(name, _)| !name.is_empty()) {
            variables.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    variables
}

#[cfg(test)]
mod tests;
