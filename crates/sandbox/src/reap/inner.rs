//! The inner reaper: starts the program, carries out orders, reports the end, ends the tree.
//!
//! Its own end it leaves to the outer one to notice.

use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::signal::{Signal, killpg};
use nix::sys::socket::{MsgFlags, recv};
use nix::unistd::{Pid, getppid};

use super::children::{self, Reaped};
use super::family::{self, Killing};
use super::launch::Tie;
use super::receive::Assignment;
use super::watch::Watch;
use super::{GRACE, launch, leave, tell};
use crate::protocol::{Order, Report, Stage};

pub(super) fn run(parent: &UnixStream, assignment: Assignment, outer: Pid) -> ! {
    match start(parent, assignment, outer) {
        Ok((program, watch)) => {
            tell(parent, Report::Started(program.as_raw()));
            let ended = Inner { parent, program, running: true, phase: Phase::Serving }.stay(watch);
            leave(if ended.is_ok() { 0 } else { 1 })
        }
        Err((stage, errno)) => {
            tell(parent, Report::Failed(stage, errno as i32));
            leave(1)
        }
    }
}

fn start<'p>(
    parent: &'p UnixStream,
    assignment: Assignment,
    outer: Pid,
) -> Result<(Pid, Watch<'p>), (Stage, Errno)> {
    let prepare = |errno| (Stage::Prepare, errno);
    // Sent by the outer reaper's only thread, so it means that the process is gone.
    set_pdeathsig(Signal::SIGTERM).map_err(prepare)?;
    if getppid() != outer {
        return Err((Stage::Prepare, Errno::ESRCH));
    }
    set_child_subreaper(true).map_err(prepare)?;
    let watch = Watch::new(parent, PollFlags::POLLIN).map_err(prepare)?;
    Ok((launch::start(assignment, Tie::Reaper)?, watch))
}

struct Inner<'p> {
    parent: &'p UnixStream,
    program: Pid,
    /// Whether the program still has its id; after that the id may be anybody's.
    running: bool,
    phase: Phase,
}

enum Phase {
    Serving,
    /// Everybody was asked to end.
    Ending {
        kill_at: Instant,
    },
    Killing(Killing),
}

impl Inner<'_> {
    /// Stays until there is no descendant left.
    fn stay(mut self, mut watch: Watch<'_>) -> nix::Result<()> {
        loop {
            while let Some(reaped) = children::reap() {
                match reaped {
                    Reaped::One(pid, exit) if pid == self.program && self.running => {
                        self.running = false;
                        tell(self.parent, Report::Ended(exit));
                    }
                    Reaped::One(..) => {}
                    Reaped::Childless => return Ok(()),
                }
            }
            let limit = self.proceed()?;
            let seen = watch.wait(limit)?;
            if seen.terminate {
                self.end();
            }
            if (seen.readable || seen.gone) && !self.obey() {
                watch.forget_parent();
                self.end();
            }
        }
    }

    /// Does what is due, and says when to look again if nothing happens.
    fn proceed(&mut self) -> nix::Result<Option<Duration>> {
        if let Phase::Ending { kill_at } = self.phase {
            let left = kill_at.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Ok(Some(left));
            }
            self.phase = Phase::Killing(Killing::default());
        }
        let Phase::Killing(killing) = &mut self.phase else { return Ok(None) };
        if self.running {
            // The group at once: most trees are nothing else, and it needs no `/proc`.
            let _ = killpg(self.program, Signal::SIGKILL);
        }
        killing.round().map(Some)
    }

    /// Carries out what the parent ordered; `false` when there is no parent any more.
    fn obey(&mut self) -> bool {
        let mut orders = [0; 16];
        loop {
            match recv(self.parent.as_raw_fd(), &mut orders, MsgFlags::MSG_DONTWAIT) {
                Ok(0) => return false,
                Ok(count) => {
                    for order in orders.iter().take(count).filter_map(|b| Order::from_byte(*b)) {
                        self.carry_out(order);
                    }
                }
                Err(Errno::EAGAIN) => return true,
                Err(Errno::EINTR) => {}
                Err(_) => return false,
            }
        }
    }

    fn carry_out(&mut self, order: Order) {
        match order {
            Order::Kill => self.phase = Phase::Killing(Killing::default()),
            Order::Signal(signal) if self.running => {
                let _ = killpg(self.program, signal);
            }
            Order::Signal(signal) => family::signal_descendants(signal),
        }
    }

    fn end(&mut self) {
        if let Phase::Serving = self.phase {
            family::signal_descendants(Signal::SIGTERM);
            self.phase = Phase::Ending { kill_at: Instant::now() + GRACE };
        }
    }
}
