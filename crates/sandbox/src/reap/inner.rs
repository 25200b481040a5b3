//! The inner reaper: starts the program, carries out orders, reports the end, ends the tree.
//!
//! Its own end it leaves to the outer one to notice.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::signal::{Signal, killpg};
use nix::sys::socket::{MsgFlags, recv};
use nix::unistd::{Pid, getppid};

use super::children::{self, ReapedChild};
use super::confine::{CreationDesk, LimitWatch};
use super::family::{self, KillRounds};
use super::launch::{LaunchTie, LaunchedProgram};
use super::receive::Assignment;
use super::watch::ReaperWatch;
use super::{GRACE, confine, launch, leave, tell};
use crate::PassedLimit;
use crate::limit_group::LimitGroup;
use crate::network::{AddressPool, InsideNetwork};
use crate::protocol::{ReaperOrder, ReaperReport, StartStage};
use crate::walls::Walls;

pub(super) fn run(parent: &UnixStream, mut assignment: Assignment, outer: Pid) -> ! {
    // Only a tree of its own can be counted.
    let walls = assignment.plan.walls.as_ref().filter(|walls| walls.has_own_tree());
    let limits = walls.map(|walls| walls.limits);
    let (group, learned) = (assignment.group.take(), assignment.learned.take());
    let rules = walls.and_then(|walls| walls.creations.clone());
    let writable = walls.map(|walls| walls.writable.clone()).unwrap_or_default();
    match start(parent, assignment, outer) {
        Ok(StartedTree { program, network, watch }) => {
            tell(parent, ReaperReport::Started(program.pid.as_raw()));
            let ended = InnerReaper {
                parent,
                program: program.pid,
                running: true,
                phase: ReaperPhase::Serving,
                limits: limits.map(LimitWatch::new),
                group,
                desk: program
                    .listener
                    .map(|listener| CreationDesk::new(listener, rules, writable, learned)),
                network,
            }
            .stay(watch);
            leave(if ended.is_ok() { 0 } else { 1 })
        }
        Err((stage, errno)) => {
            tell(parent, ReaperReport::Failed(stage, errno as i32));
            leave(1)
        }
    }
}

struct StartedTree<'p> {
    program: LaunchedProgram,
    network: Option<InsideNetwork>,
    watch: ReaperWatch<'p>,
}

fn start<'p>(
    parent: &'p UnixStream,
    mut assignment: Assignment,
    outer: Pid,
) -> Result<StartedTree<'p>, (StartStage, Errno)> {
    let prepare = |errno| (StartStage::Prepare, errno);
    // Sent by the outer reaper's only thread, so it means that the process is gone.
    set_pdeathsig(Signal::SIGTERM).map_err(prepare)?;
    // Behind a wall of namespaces the parent has no number.
    if ![outer, Pid::from_raw(0)].contains(&getppid()) {
        return Err((StartStage::Prepare, Errno::ESRCH));
    }
    set_child_subreaper(true).map_err(prepare)?;
    let link = assignment.link.take();
    let network = match &assignment.plan.walls {
        Some(walls) => raise(walls, link).map_err(|errno| (StartStage::Walls, errno))?,
        None => None,
    };
    let watch = ReaperWatch::new(parent, PollFlags::POLLIN).map_err(prepare)?;
    let program = launch::start(assignment, LaunchTie::Reaper)?;
    Ok(StartedTree { program, network, watch })
}

fn raise(walls: &Walls, link: Option<OwnedFd>) -> nix::Result<Option<InsideNetwork>> {
    let Some(listeners) = confine::raise(walls)? else { return Ok(None) };
    let (access, names) = (walls.network.clone(), AddressPool::default());
    InsideNetwork::new(listeners, link.ok_or(Errno::ENOTCONN)?, access, names)
        .map(Some)
        .map_err(|error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))
}

struct InnerReaper<'p> {
    parent: &'p UnixStream,
    program: Pid,
    /// Whether the program still has its id; after that the id may be anybody's.
    running: bool,
    phase: ReaperPhase,
    /// Only behind walls.
    limits: Option<LimitWatch>,
    group: Option<LimitGroup>,
    desk: Option<CreationDesk>,
    network: Option<InsideNetwork>,
}

enum ReaperPhase {
    Serving,
    /// Everybody was asked to end.
    Ending {
        kill_at: Instant,
    },
    Killing(KillRounds),
}

impl InnerReaper<'_> {
    /// Stays until there is no descendant left.
    fn stay(mut self, mut watch: ReaperWatch<'_>) -> nix::Result<()> {
        loop {
            while let Some(reaped) = children::reap() {
                match reaped {
                    ReapedChild::One(pid, exit) if pid == self.program && self.running => {
                        self.running = false;
                        if self.group.as_ref().is_some_and(LimitGroup::ran_out_of_memory) {
                            tell(self.parent, ReaperReport::Passed(PassedLimit::Memory));
                        }
                        tell(self.parent, ReaperReport::Ended(exit));
                    }
                    ReapedChild::One(..) => {}
                    ReapedChild::Childless => return Ok(()),
                }
            }
            let limit = self.proceed()?;
            let bells = self.network.as_ref().map(InsideNetwork::bells).unwrap_or_default();
            let seen = watch.wait(limit, self.desk.as_ref().map(CreationDesk::bell), &bells)?;
            if let (true, Some(network)) = (seen.network, &mut self.network)
                && !network.attend().unwrap_or(false)
            {
                // Nobody is left to dial, so nothing is reached any more.
                self.network = None;
            }
            match &mut self.desk {
                Some(desk) if seen.rang => {
                    if let Some(refused) = desk.answer() {
                        tell(self.parent, ReaperReport::Refused(refused));
                    }
                }
                Some(_) if seen.nobody_rings => self.desk = None,
                _ => {}
            }
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
        if let ReaperPhase::Ending { kill_at } = self.phase {
            let left = kill_at.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Ok(Some(left));
            }
            self.phase = ReaperPhase::Killing(KillRounds::default());
        }
        if let (ReaperPhase::Serving, Some(limits)) = (&self.phase, &mut self.limits) {
            match limits.look() {
                Ok(pause) => return Ok(Some(pause)),
                Err(passed) => {
                    tell(self.parent, ReaperReport::Passed(passed));
                    self.phase = ReaperPhase::Killing(KillRounds::default());
                }
            }
        }
        let ReaperPhase::Killing(killing) = &mut self.phase else { return Ok(None) };
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
                    for order in
                        orders.iter().take(count).filter_map(|b| ReaperOrder::from_byte(*b))
                    {
                        self.carry_out(order);
                    }
                }
                Err(Errno::EAGAIN) => return true,
                Err(Errno::EINTR) => {}
                Err(_) => return false,
            }
        }
    }

    fn carry_out(&mut self, order: ReaperOrder) {
        match order {
            ReaperOrder::Kill => self.phase = ReaperPhase::Killing(KillRounds::default()),
            ReaperOrder::Signal(signal) if self.running => {
                let _ = killpg(self.program, signal);
            }
            ReaperOrder::Signal(signal) => family::signal_descendants(signal),
        }
    }

    fn end(&mut self) {
        if let ReaperPhase::Serving = self.phase {
            family::signal_descendants(Signal::SIGTERM);
            self.phase = ReaperPhase::Ending { kill_at: Instant::now() + GRACE };
        }
    }
}
