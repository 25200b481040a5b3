//! Parts that say what a process was given at its start.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use crate::say;

pub(crate) fn environment() {
    for (name, value) in std::env::vars_os() {
        say(&format!("{}={}", name.to_string_lossy(), value.as_bytes().escape_ascii()));
    }
}

/// Every open descriptor except the one that reading the list takes.
pub(crate) fn descriptors() {
    for entry in fs::read_dir("/proc/self/fd").unwrap().map(Result::unwrap) {
        let target = fs::read_link(entry.path()).unwrap();
        if !target.starts_with("/proc/") {
            say(&format!("{} {}", entry.file_name().to_str().unwrap(), target.display()));
        }
    }
}

/// Ids, folder and signals.
pub(crate) fn status() {
    let ids = fs::read_to_string("/proc/self/stat").unwrap();
    let ids: Vec<&str> = ids.rsplit_once(')').unwrap().1.split_whitespace().collect();
    say(&format!("pid {}", std::process::id()));
    say(&format!("group {}", ids[2]));
    say(&format!("terminal {}", ids[4]));
    say(&format!("folder {}", std::env::current_dir().unwrap().display()));
    say(&format!("session {}", ids[3]));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    for line in status.lines().filter(|line| line.starts_with("Sig")) {
        say(&line.replace(":\t", " "));
    }
}
