//! Whether a daemon runs and can be reached, and what one that is gone left behind.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use toolgate_control::{ControlClient, RunFolder};

use super::DoctorFinding;
use crate::surroundings::Surroundings;

const ABOUT: &str = "daemon";

pub(super) fn look(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let folder = match RunFolder::find(&surroundings.variables) {
        Ok(Some(folder)) => folder,
        Ok(None) => return vec![DoctorFinding::fine(ABOUT, "none was started yet")],
        Err(failure) => return vec![DoctorFinding::wrong(ABOUT, failure.message, failure.hint)],
    };
    let mut found = vec![match ControlClient::find(&surroundings.variables) {
        Ok(Some(daemon)) => of_running(&daemon, &folder),
        Ok(None) => of_absent(&folder),
        Err(failure) => DoctorFinding::wrong(ABOUT, failure.message, failure.hint),
    }];
    found.extend(open_to_others(folder.path()));
    found
}

fn of_running(daemon: &ControlClient, folder: &RunFolder) -> DoctorFinding {
    let ours = env!("CARGO_PKG_VERSION");
    match daemon.info() {
        Ok(info) if info.version == ours => {
            DoctorFinding::fine(ABOUT, format!("version {ours} runs as pid {}", info.pid))
        }
        Ok(info) => {
            let message = format!(
                "version {} runs as pid {}, and this is version {ours}",
                info.version, info.pid
            );
            DoctorFinding::wrong(ABOUT, message, "toolgate restart".to_owned())
        }
        Err(failure) => {
            let hint = process(folder).map(|pid| format!("end it: kill {pid}"));
            DoctorFinding::wrong(ABOUT, failure.message, hint)
        }
    }
}

fn of_absent(folder: &RunFolder) -> DoctorFinding {
    let sockets = [folder.agent_socket(), folder.control_socket()];
    let left: Vec<_> = sockets.iter().filter(|socket| socket.exists()).collect();
    match (left.as_slice(), is_locked(&folder.path().join("daemon.lock"))) {
        ([], true) => DoctorFinding::fine(ABOUT, "one is about to start or to end"),
        ([], false) => DoctorFinding::fine(ABOUT, "none runs"),
        (_, true) => {
            let hint = process(folder).map(|pid| format!("end it: kill {pid}"));
            DoctorFinding::wrong(ABOUT, "one runs and cannot be reached", hint)
        }
        (left, false) => {
            let left: Vec<_> = left.iter().map(|socket| socket.display().to_string()).collect();
            let message = format!("one that is gone left {}", left.join(" and "));
            let hint = "the next one takes them away, when a client starts it or with: \
                        toolgate restart";
            DoctorFinding::wrong(ABOUT, message, hint.to_owned())
        }
    }
}

/// The pid that it wrote down.
fn process(folder: &RunFolder) -> Option<String> {
    folder.daemons_words()?.split(' ').next().map(str::to_owned)
}

/// Whether somebody holds a lock, found out without asking for it.
fn is_locked(path: &Path) -> bool {
    let Ok(found) = fs::metadata(path) else { return false };
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let inode = format!(":{}", found.ino());
    locks.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.any(|word| word == "FLOCK") && words.any(|word| word.ends_with(&inode))
    })
}

/// The folder is made for its owner alone.
fn open_to_others(folder: &Path) -> Option<DoctorFinding> {
    let mode = fs::metadata(folder).ok()?.mode() & 0o777;
    (mode & 0o077 != 0).then(|| {
        let shown = folder.display();
        let message = format!("others may look into {shown} (mode {mode:o})");
        DoctorFinding::wrong(ABOUT, message, format!("chmod 700 {shown}"))
    })
}
