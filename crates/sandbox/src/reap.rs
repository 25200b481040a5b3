//! The program as a reaper: what `toolgate __reap` does (Linux).
//!
//! The process that was started is the *outer* reaper. It forks the *inner* one, which starts the
//! program. Both are subreapers, so a descendant that loses its parent falls to the inner one, or
//! to the outer one if the inner is gone; and each notices the end of the other and of the parent.
//!
//! There is no thread and no runtime here, and after the start hardly an allocation: it is meant to
//! wait for years and to be forgotten.

mod bubblewrap;
mod children;
mod confine;
mod family;
mod inner;
mod launch;
mod letting_go;
mod outer;
mod receive;
mod surroundings;
mod watch;

use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::sys::socket::{MsgFlags, send};

use crate::protocol::ReaperReport;

pub(crate) use confine::refuse_network_sockets;

/// How long a tree may take to end by itself once nobody needs it any more.
const GRACE: Duration = Duration::from_millis(500);

/// How long the outer reaper leaves that to the inner one.
const PATIENCE: Duration = Duration::from_millis(1000);

/// Acts as a reaper until nothing is left to reap.
pub(crate) fn run() -> ! {
    let ended = outer::run();
    leave(if ended.is_ok() { 0 } else { 1 })
}

/// Starts a program that nobody watches over, and ends.
pub(crate) fn let_go() -> ! {
    let started = letting_go::run();
    leave(if started.is_ok() { 0 } else { 1 })
}

/// Goes on as the inner reaper, behind a wall that was built by another program.
pub(crate) fn stay_within() -> ! {
    match bubblewrap::run_within() {
        Ok(never) => match never {},
        Err(_) => leave(1),
    }
}

/// Ends this process and nothing else: no handler that the embedding program registered may run.
#[allow(unsafe_code, reason = "nothing safe ends a process without its exit handlers")]
fn leave(code: i32) -> ! {
    // SAFETY: `_exit` takes any number, touches no memory and does not return.
    unsafe { nix::libc::_exit(code) }
}

/// A parent that no longer listens is noticed elsewhere.
fn tell(parent: &UnixStream, report: ReaperReport) {
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
    let _ = send(parent.as_raw_fd(), &report.to_bytes(), flags);
}
