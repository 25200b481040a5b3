//! Namespaces of its own for the first process behind the wall.

use std::fs;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::{ForkResult, Pid};

use crate::walls::{OuterStage, Walls};

/// A copy of this process behind the outer wall. Where that is made of namespaces, it is the first of
/// its own process tree: when it ends, everything in there ends.
#[allow(unsafe_code, reason = "there is no safe fork with namespaces")]
pub(in super::super) fn fork_within(walls: &Walls) -> nix::Result<ForkResult> {
    if walls.outer == OuterStage::Container {
        return super::super::launch::fork();
    }
    let mut flags = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP;
    if !walls.is_on_network() {
        flags |= libc::CLONE_NEWNET;
    }
    let flags = flags | libc::SIGCHLD;
    let none = 0_usize;
    // SAFETY: as `fork`, which this is but for the flags: no stack and no shared memory is asked for,
    // and a process of this module has one thread.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags as usize, none, none, none, none) };
    match pid {
        -1 => Err(Errno::last()),
        0 => Ok(ForkResult::Child),
        pid => Ok(ForkResult::Parent { child: Pid::from_raw(pid as i32) }),
    }
}

/// The same user and group as outside, and no other.
pub(super) fn map_user(Walls { user, group, .. }: &Walls) -> nix::Result<()> {
    let write = |file: &str, text: String| {
        fs::write(file, text)
            .map_err(|error| error.raw_os_error().map_or(Errno::EPERM, Errno::from_raw))
    };
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", format!("{group} {group} 1"))
}
