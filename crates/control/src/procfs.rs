//! Processes as `/proc` knows them: who started them, where they stand, what they were started with.
//!
//! It only looks. What a parent's environment is good for, and what follows from who descends from
//! whom, is decided elsewhere. Where there is no `/proc` nobody is found.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::process::parent_id;
use std::path::Path;

use toolgate_types::Variables;
use toolgate_types::visible;

use crate::current_uid;

/// A process for as long as it lives: numbers come back, with another start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessIdentity {
    pub pid: u32,
    /// As the kernel counts it.
    pub start: u64,
}

/// Where a process stands among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessPlace {
    pub process: ProcessIdentity,
    /// The number of its parent.
    pub parent: u32,
    /// The number of whoever leads, or led, its process group.
    pub group: i64,
    /// The number of whoever leads its session.
    pub session: i64,
    /// Its controlling terminal as the kernel numbers it; none is zero.
    pub terminal: i64,
}

/// A file as the system tells it from all others.
pub type FileIdentity = (u64, u64);

/// The process that started this one.
#[derive(Debug, Clone)]
pub struct ParentProcess {
    /// What it was started with, if it is the same user's; what is not UTF-8 is left out.
    pub environ: Option<Variables>,
}

impl ParentProcess {
    /// Ours, if it is still there.
    pub fn of_this_process() -> Option<Self> {
        let pid = parent_id();
        let process = process(pid)?;
        let environ = environ(pid);
        // It may have ended meanwhile, and its number may be another's by now.
        let is_same = parent_id() == pid && self::process(pid) == Some(process);
        is_same.then_some(Self { environ })
    }
}

/// The process with this number, if there is one now.
pub fn process(pid: u32) -> Option<ProcessIdentity> {
    place(pid).map(|place| place.process)
}

/// Where the process with this number stands, if there is one now.
pub fn place(pid: u32) -> Option<ProcessPlace> {
    read_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The run of the kernel that all of these belong to: numbers and starts come back in the next.
pub fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty() && !id.contains(char::is_whitespace))
}

/// What a process calls itself, with nothing hidden. The kernel lets that be 15 bytes.
pub fn name(pid: u32) -> String {
    let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    visible(String::from_utf8_lossy(&name).trim_end_matches('\n'))
}

/// The file name of the program that it runs, if that may be seen.
pub fn program(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let name = path.file_name()?.to_str()?;
    // So the kernel says that another one has taken its place, as after an update.
    Some(name.strip_suffix(" (deleted)").unwrap_or(name).to_owned())
}

/// What it was started with, its own name included.
pub fn arguments(pid: u32) -> Vec<String> {
    let mut line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if line.last() == Some(&0) {
        line.pop();
    }
    let words = line.split(|byte| *byte == 0);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The pipe or socket that it reads as its standard input, if it is one.
pub fn input(pid: u32) -> Option<FileIdentity> {
    let found = fs::metadata(format!("/proc/{pid}/fd/0")).ok()?;
    let kind = found.file_type();
    (kind.is_fifo() || kind.is_socket()).then(|| (found.dev(), found.ino()))
}

/// The very file that it runs.
pub fn executable(pid: u32) -> Option<FileIdentity> {
    let found = fs::metadata(format!("/proc/{pid}/exe")).ok()?;
    Some((found.dev(), found.ino()))
}

/// Whose process it is. One that does not let itself be looked at is the system's.
pub fn owner(pid: u32) -> Option<u32> {
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}

/// Whether the file that it runs is one that this user cannot have written.
pub fn runs_the_systems_file(pid: u32) -> bool {
    let found = fs::metadata(format!("/proc/{pid}/exe"));
    current_uid() != 0 && found.is_ok_and(|found| found.uid() == 0)
}

/// The numbers of all processes of this user.
pub fn of_this_user() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        (entry.metadata().ok()?.uid() == current_uid()).then_some(pid)
    })
}

/// The name of the program comes before all the rest and may be anything, parentheses and spaces
/// included.
fn read_stat(pid: u32, stat: &[u8]) -> Option<ProcessPlace> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(stat.get(end + 1..)?).ok()?.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let terminal = fields.next()?.parse().ok()?;
    let start = fields.nth(14)?.parse().ok()?;
    Some(ProcessPlace { process: ProcessIdentity { pid, start }, parent, group, session, terminal })
}

fn environ(pid: u32) -> Option<Variables> {
    let folder = Path::new("/proc").join(pid.to_string());
    let is_ours = fs::metadata(&folder).ok()?.uid() == current_uid();
    fs::read(folder.join("environ")).ok().filter(|_| is_ours).map(|bytes| read_environ(&bytes))
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
