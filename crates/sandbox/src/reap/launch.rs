//! From the inner reaper, or from the one that lets a program go, to the running program.
//!
//! The program was looked up by the parent; here nothing is searched and nothing decided.

use std::convert::Infallible;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{
    ForkResult, Pid, chdir, dup2_stderr, dup2_stdin, dup2_stdout, execve, getpid, getppid, setpgid,
    setsid,
};

use super::confine::{self, SyscallFilter};
use super::receive::Assignment;
use super::{leave, receive, surroundings, tell};
use crate::core_file;
use crate::protocol::{ReaperReport, StartStage};

type LaunchFailure = (StartStage, Errno);

/// A program that runs.
pub(super) struct LaunchedProgram {
    pub(super) pid: Pid,
    /// Over what we are told of things that it makes, where we are.
    pub(super) listener: Option<OwnedFd>,
}

/// What a program has to do with the process that starts it.
#[derive(Clone, Copy)]
pub(super) enum LaunchTie {
    /// It leads a group and ends with its reaper.
    Reaper,
    /// It leads a session and goes its own way.
    None,
}

/// A copy of this process.
#[allow(unsafe_code, reason = "forking is unsafe where there are threads")]
pub(super) fn fork() -> nix::Result<ForkResult> {
    // SAFETY: a process of this module has one thread, so no lock can be held by a thread that is not copied, and
    // the child may do whatever the parent may.
    unsafe { nix::unistd::fork() }
}

/// Starts the program and answers once it has taken over its process.
pub(super) fn start(
    assignment: Assignment,
    tie: LaunchTie,
) -> Result<LaunchedProgram, LaunchFailure> {
    let prepare = |errno| (StartStage::Prepare, errno);
    // Closes by itself when the program is executed; until then it can carry why it was not, and over
    // what we are told of things that the program makes.
    let (ours, theirs) = UnixStream::pair().map_err(|error| prepare(errno(&error)))?;
    let starter = getpid();
    let learns = assignment.plan.walls.as_ref().is_some_and(|walls| walls.learns);
    let filter = assignment.plan.walls.as_ref().map(SyscallFilter::new).transpose();
    let filter = filter.map_err(|errno| (StartStage::Walls, errno))?;
    match fork().map_err(prepare)? {
        ForkResult::Child => {
            let Err((stage, errno)) =
                become_program(&assignment, filter.as_ref(), (tie, starter), &theirs);
            tell(&theirs, ReaperReport::Failed(stage, errno as i32));
            leave(127)
        }
        ForkResult::Parent { child } => {
            drop(theirs);
            drop(assignment);
            let mut listener = None;
            loop {
                if let Some(listener) = listener.as_ref().filter(|_| learns) {
                    confine::let_go_on_until(listener, ours.as_fd());
                }
                match receive::report(&ours) {
                    Some((ReaperReport::Failed(stage, errno), _)) => {
                        return Err((stage, Errno::from_raw(errno)));
                    }
                    Some((_, given)) => listener = given,
                    None => return Ok(LaunchedProgram { pid: child, listener }),
                }
            }
        }
    }
}

/// In the child: everything that must be so before the program's first instruction.
fn become_program(
    assignment: &Assignment,
    filter: Option<&SyscallFilter>,
    (tie, starter): (LaunchTie, Pid),
    teller: &UnixStream,
) -> Result<Infallible, LaunchFailure> {
    let prepare = |errno| (StartStage::Prepare, errno);
    let Assignment { plan, streams: [stdin, stdout, stderr], .. } = assignment;
    match tie {
        LaunchTie::None => drop(setsid().map_err(prepare)?),
        LaunchTie::Reaper => {
            setpgid(Pid::from_raw(0), Pid::from_raw(0)).map_err(prepare)?;
            // For the one case that no reaper can handle: that both are killed at the same moment.
            set_pdeathsig(Signal::SIGKILL).map_err(prepare)?;
            if getppid() != starter {
                return Err((StartStage::Prepare, Errno::ESRCH));
            }
        }
    }
    // Standard streams of a reaper are open, so these have other numbers and lose close-on-exec.
    dup2_stdin(stdin).and_then(|()| dup2_stdout(stdout)).map_err(prepare)?;
    dup2_stderr(stderr).map_err(prepare)?;
    chdir(plan.folder.as_c_str()).map_err(|errno| (StartStage::Folder, errno))?;
    surroundings::reset_signals().map_err(prepare)?;
    core_file::restore(plan.core_bytes);
    if let (Some(walls), Some(filter)) = (&plan.walls, filter) {
        let (learns, is_offline) = (walls.learns, walls.is_offline());
        if (walls.creations.is_some() || walls.learns) && walls.has_own_tree() {
            let walls = |errno| (StartStage::Walls, errno);
            let listener = confine::ask_about_creations(learns, is_offline).map_err(walls)?;
            receive::hand_over(teller, ReaperReport::Hello, &listener).map_err(walls)?;
        }
        confine::enter(walls, filter).map_err(|errno| (StartStage::Walls, errno))?;
    }
    execve(&plan.program, &plan.args, &plan.env).map_err(|errno| (StartStage::Execute, errno))
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or_default())
}
