//! The processes that take part, each started here and ended here by its id: this very program in
//! other roles, and what `/proc` tells of them. Linux only.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Failure;

/// The clock of `/proc`, which Linux has as 100 for all programs.
const TICKS: u32 = 100;

/// This program in another role; it ends with this value.
pub(crate) struct Role {
    child: Child,
    pub(crate) url: String,
}

impl Role {
    /// Starts a role that says its URL first.
    pub(crate) fn start(words: &[&str]) -> Result<Self, Failure> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        let stdout = child.stdout.take().ok_or("no output")?;
        BufReader::new(stdout).read_line(&mut url)?;
        let url = url.trim().to_owned();
        Ok(Self { child, url })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processor's time that a process has used, of all its threads.
pub(crate) fn cpu_of(process: u32) -> Result<Duration, Failure> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name comes in brackets and may have blanks; the times are the 12th and 13th after it.
    let after = stat.rsplit_once(") ").ok_or("an odd /proc")?.1;
    let mut times = after.split(' ').skip(11).take(2).map(str::parse::<u32>);
    let (user, system) = (times.next().ok_or("no time")??, times.next().ok_or("no time")??);
    Ok(Duration::from_secs(1) * (user + system) / TICKS)
}

/// The same of one thread of it, by the thread's name.
pub(crate) fn cpu_of_thread(process: u32, name: &str) -> Result<Duration, Failure> {
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let thread = thread?.path();
        if fs::read_to_string(thread.join("comm"))?.trim_end() == name {
            let times = fs::read_to_string(thread.join("schedstat"))?;
            let ran = times.split(' ').next().ok_or("no time")?;
            return Ok(Duration::from_nanos(ran.parse()?));
        }
    }
    Err(format!("no thread {name}").into())
}

/// The memory of a process that is in use, in bytes.
pub(crate) fn memory_of(process: u32) -> Result<u64, Failure> {
    status_of(process, "VmRSS:")
}

/// What of it is no mapped file: without the pages of the program itself.
pub(crate) fn own_memory_of(process: u32) -> Result<u64, Failure> {
    status_of(process, "RssAnon:")
}

/// The most that it ever had, or since it was last forgotten.
pub(crate) fn peak_of(process: u32) -> Result<u64, Failure> {
    status_of(process, "VmHWM:")
}

/// Forgets how much it had before.
pub(crate) fn reset_peak(process: u32) -> Result<(), Failure> {
    Ok(fs::write(format!("/proc/{process}/clear_refs"), "5")?)
}

fn status_of(process: u32, key: &str) -> Result<u64, Failure> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)).ok_or("an odd /proc")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}

/// The processes that this one started and that still run.
pub(crate) fn children_of(process: u32) -> Result<usize, Failure> {
    let mut found = 0;
    for entry in fs::read_dir("/proc")? {
        let stat = fs::read_to_string(entry?.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
        found += usize::from(parent == Some(process.to_string().as_str()));
    }
    Ok(found)
}

/// How many processes run this program with this word among theirs.
pub(crate) fn playing(word: &str) -> Result<usize, Failure> {
    let ours = std::env::current_exe()?;
    let mut found = 0;
    for entry in fs::read_dir("/proc")? {
        let path = entry?.path();
        let is_ours = fs::read_link(path.join("exe")).is_ok_and(|exe| exe == ours);
        // A process may end while it is looked at.
        let words = fs::read(path.join("cmdline")).unwrap_or_default();
        found += usize::from(
            is_ours && words.split(|byte| *byte == 0).any(|one| one == word.as_bytes()),
        );
    }
    Ok(found)
}
