//! What processes of this user hold open: connections by their numbers, and the far sides of terminals.
//!
//! It only looks; what follows from who holds what is decided elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use nix::sys::stat::{major, minor};
use toolgate_control::procfs::{self, FileIdentity, ProcessIdentity};

/// How many open files of all processes are looked at in one go.
const MOST_FILES: usize = 1 << 20;

/// The numbers that kinds of terminals have.
pub(super) const PSEUDO_TERMINALS: u64 = 136;
const CONSOLES: u64 = 4;

/// Something that a process holds open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenFile {
    /// A socket, by the number that the kernel lists it under.
    Socket(u64),
    /// The side of a pseudo terminal that a program types into and reads, by the terminal's number.
    FarSide(u32),
}

/// Everything of these kinds that processes of this user hold, each with its holder.
pub(super) fn of_this_user() -> impl Iterator<Item = (ProcessIdentity, OpenFile)> {
    let mut budget = MOST_FILES;
    procfs::of_this_user().flat_map(move |pid| {
        let held = held_by(pid, &mut budget);
        let process = (!held.is_empty()).then(|| procfs::process(pid)).flatten();
        held.into_iter().filter_map(move |held| Some((process?, held)))
    })
}

/// What one process holds of these kinds.
pub(super) fn of(pid: u32) -> Vec<OpenFile> {
    held_by(pid, &mut MOST_FILES.clone())
}

fn held_by(pid: u32, budget: &mut usize) -> Vec<OpenFile> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut held = Vec::new();
    for file in files {
        let Some(left) = budget.checked_sub(1) else { break };
        *budget = left;
        let target = fs::read_link(file.path());
        held.extend(target.ok().and_then(|target| named(pid, &file.file_name(), &target)));
    }
    held
}

/// What an open file is, by what the kernel calls it.
fn named(pid: u32, descriptor: &OsStr, target: &Path) -> Option<OpenFile> {
    let target = target.to_str()?;
    if let Some(number) = target.strip_prefix("socket:[") {
        return number.strip_suffix(']')?.parse().ok().map(OpenFile::Socket);
    }
    // One of a container's own is called `/dev/pts/ptmx`.
    if !target.ends_with("/ptmx") {
        return None;
    }
    let about = about(pid, descriptor)?;
    let index = about.lines().find_map(|line| line.strip_prefix("tty-index:"))?;
    index.trim().parse().ok().map(OpenFile::FarSide)
}

/// Whether a process has anything open, beside its standard streams, through which somebody could
/// see what it shows: a socket to a display, a network or a client, or a terminal that it does not
/// make itself.
pub(super) fn shows_something(pid: u32) -> bool {
    let own = of(pid);
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    files.into_iter().any(|file| {
        let is_standard = matches!(file.file_name().to_str(), Some("0" | "1" | "2"));
        fs::metadata(file.path()).is_ok_and(|found| match found.file_type() {
            kind if kind.is_socket() => !is_standard,
            kind if kind.is_char_device() => is_foreign_terminal(found.rdev(), &own),
            _ => false,
        })
    })
}

fn is_foreign_terminal(device: u64, own: &[OpenFile]) -> bool {
    match (major(device), u32::try_from(minor(device))) {
        (CONSOLES, _) => true,
        (PSEUDO_TERMINALS, Ok(number)) => !own.contains(&OpenFile::FarSide(number)),
        _ => false,
    }
}

/// Whether a process holds the end of this pipe that is written to.
pub(super) fn writes_to(pid: u32, pipe: FileIdentity) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    files.into_iter().any(|file| {
        let found = fs::metadata(file.path());
        let is_it = found
            .is_ok_and(|found| found.file_type().is_fifo() && (found.dev(), found.ino()) == pipe);
        is_it && is_open_for_writing(pid, &file.file_name())
    })
}

fn is_open_for_writing(pid: u32, descriptor: &OsStr) -> bool {
    let about = about(pid, descriptor).unwrap_or_default();
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The lowest bits: for reading, for writing, for both.
    flags.is_some_and(|flags| matches!(flags & 0o3, 1 | 2))
}

fn about(pid: u32, descriptor: &OsStr) -> Option<String> {
    let about = Path::new("/proc").join(pid.to_string()).join("fdinfo").join(descriptor);
    fs::read_to_string(about).ok()
}
