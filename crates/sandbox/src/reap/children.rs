//! Collecting children that have ended.

use nix::errno::Errno;
use nix::libc;
use nix::unistd::Pid;

use crate::ProgramExit;

pub(super) enum ReapedChild {
    One(Pid, ProgramExit),
    /// There is no child at all, running or ended.
    Childless,
}

/// One child that has ended; `None` while those there are all run.
///
/// The bare call, because the safe one fails on a child that a real-time signal ended, and loses it.
#[allow(unsafe_code, reason = "the safe wrapper knows no real-time signals")]
pub(super) fn reap() -> Option<ReapedChild> {
    loop {
        let mut status = 0;
        // SAFETY: `status` is ours and outlives the call, which writes one integer to it.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
        return match pid {
            0 => None,
            -1 if Errno::last() == Errno::EINTR => continue,
            // The only other error of these arguments is that there is no child.
            -1 => Some(ReapedChild::Childless),
            pid => Some(ReapedChild::One(Pid::from_raw(pid), exit(status))),
        };
    }
}

fn exit(status: i32) -> ProgramExit {
    if libc::WIFSIGNALED(status) {
        ProgramExit::Signal(libc::WTERMSIG(status))
    } else {
        ProgramExit::Code(libc::WEXITSTATUS(status))
    }
}
