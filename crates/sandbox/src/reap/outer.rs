//! The outer reaper: watches over the inner one, and takes its place when it is gone.
//!
//! It obeys no orders; while the inner reaper lives, ending the tree is left to that.

use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::libc::STDIN_FILENO;
use nix::poll::PollFlags;
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{ForkResult, Pid, getpid};

use super::children::{self, ReapedChild};
use super::family::KillRounds;
use super::receive::Assignment;
use super::watch::ReaperWatch;
use super::{PATIENCE, bubblewrap, confine, inner, launch, receive, surroundings, tell};
use crate::limit_group::{self, LimitGroup};
use crate::plan::SpawnPlan;
use crate::protocol::{ReaperReport, StartStage};
use crate::walls::Walls;

pub(super) fn run() -> io::Result<()> {
    surroundings::leave_parent()?;
    let parent = UnixStream::from(receive::own(STDIN_FILENO));
    tell(&parent, ReaperReport::Hello);
    let mut assignment = receive::assignment(&parent)?;
    assignment.group = limit_group(&assignment.plan);
    if assignment.plan.walls.as_ref().is_some_and(|walls| walls.bubblewrap.is_some()) {
        return run_through(parent, assignment);
    }
    let outer = getpid();
    let (stage, forked) = match (set_child_subreaper(true), &assignment.plan.walls) {
        (Err(errno), _) => (StartStage::Prepare, Err(errno)),
        (Ok(()), None) => (StartStage::Prepare, launch::fork()),
        (Ok(()), Some(walls)) => (StartStage::Walls, confine::fork_within(walls)),
    };
    match forked {
        Ok(ForkResult::Child) => {
            assignment.enter_group();
            inner::run(&parent, assignment, outer)
        }
        Ok(ForkResult::Parent { child }) => {
            if assignment.plan.walls.as_ref().is_some_and(Walls::has_own_tree) {
                tell(&parent, ReaperReport::First(child.as_raw()));
            }
            keep(&parent, assignment, child, child)
        }
        Err(errno) => {
            assignment.group.into_iter().for_each(LimitGroup::remove);
            tell(&parent, ReaperReport::Failed(stage, errno as i32));
            Err(errno.into())
        }
    }
}

/// The same where `bwrap` builds the outer wall, and so stands between the two reapers.
fn run_through(parent: UnixStream, assignment: Assignment) -> io::Result<()> {
    let started = set_child_subreaper(true).map_err(io::Error::from).and_then(|()| {
        let (within, mut link) = bubblewrap::start(&assignment)?;
        tell(&parent, ReaperReport::First(within.first.as_raw()));
        bubblewrap::hand_on(&mut link, &parent, &assignment)?;
        Ok(within)
    });
    match started {
        Ok(within) => keep(&parent, assignment, within.child, within.first),
        Err(error) => {
            assignment.group.into_iter().for_each(LimitGroup::remove);
            let errno = error.raw_os_error().unwrap_or_default();
            tell(&parent, ReaperReport::Failed(StartStage::Bubblewrap, errno));
            Err(error)
        }
    }
}

/// A group of its own for what is confined, where we may make one; its limits do not depend on it.
fn limit_group(plan: &SpawnPlan) -> Option<LimitGroup> {
    let walls = plan.walls.as_ref()?;
    LimitGroup::make(&limit_group::place()?, std::process::id(), &walls.limits).ok()
}

fn keep(parent: &UnixStream, mut assignment: Assignment, child: Pid, inner: Pid) -> io::Result<()> {
    let group = assignment.group.take();
    // The program's streams must not stay open here after it closed them.
    drop(assignment);
    let kept = stay(parent, child, inner);
    group.into_iter().for_each(LimitGroup::remove);
    kept
}

/// Stays until there is no descendant left. The child is the inner reaper, or waits for it.
fn stay(parent: &UnixStream, child: Pid, inner: Pid) -> io::Result<()> {
    // Interested in nothing but the end: what there is to read is for the inner reaper.
    let mut watch = ReaperWatch::new(parent, PollFlags::empty())?;
    let mut child = Some(child);
    let mut killing = KillRounds::default();
    let mut deadline = None;
    loop {
        while let Some(reaped) = children::reap() {
            match reaped {
                ReapedChild::One(pid, _) if Some(pid) == child => child = None,
                ReapedChild::One(..) => {}
                ReapedChild::Childless => return Ok(()),
            }
        }
        let limit = match child {
            // Whatever is a child of ours now has lost the inner reaper.
            None => Some(killing.round()?),
            Some(child) => patience(child, deadline),
        };
        let seen = watch.wait(limit, None, &[])?;
        if seen.gone {
            watch.forget_parent();
            deadline = Some(Instant::now() + PATIENCE);
        }
        if seen.terminate && child.is_some() {
            let _ = kill(inner, Signal::SIGTERM);
        }
    }
}

/// How long to wait for an inner reaper; one that does not get done (because somebody stopped it,
/// for one) is killed, and its tree falls to us. So does one that `bwrap` waited for, if that is.
fn patience(child: Pid, deadline: Option<Instant>) -> Option<Duration> {
    let left = deadline?.saturating_duration_since(Instant::now());
    if left.is_zero() {
        let _ = kill(child, Signal::SIGKILL);
        return None;
    }
    Some(left)
}
