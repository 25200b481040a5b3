//! From the outer reaper to the inner one through `bwrap`, where that builds the outer wall.
//!
//! `bwrap` executes this program once more within, as the first process there, by a descriptor: its file
//! need not be seen. That process gets the plan, the socket to the parent and the program's streams over a
//! socket of its own, and from then on is the inner reaper that every local process has.

use std::convert::Infallible;
use std::ffi::{CStr, CString};
use std::io::{self, IoSlice, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl, open};
use nix::libc::STDIN_FILENO;
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use nix::sys::stat::Mode;
use nix::unistd::{ForkResult, Pid, dup2_stdin, execve};

use super::confine::BubblewrapOrder;
use super::receive::Assignment;
use super::{family, inner, launch, leave, receive, surroundings};
use crate::protocol::{WITHIN_ARGS, encode};

/// What the process within says first.
const HERE: u8 = b'w';

/// Two processes: `bwrap`, which is our child and waits, and the first one behind the wall.
pub(super) struct WithinBubblewrap {
    pub(super) child: Pid,
    pub(super) first: Pid,
}

/// Starts `bwrap`, and finds out who is the first process within.
pub(super) fn start(assignment: &Assignment) -> io::Result<(WithinBubblewrap, UnixStream)> {
    let walls = assignment.plan.walls.as_ref().ok_or(Errno::EINVAL)?;
    let program = walls.bubblewrap.as_deref().ok_or(Errno::EINVAL)?;
    let order = BubblewrapOrder::new(walls)?;
    let own = open(c"/proc/self/exe", OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())?;
    let (mut ours, theirs) = UnixStream::pair()?;
    let child = match launch::fork()? {
        ForkResult::Child => {
            assignment.enter_group();
            let Err(_) = become_bubblewrap(program, &order, &own, &theirs);
            leave(127)
        }
        ForkResult::Parent { child } => child,
    };
    drop((order, own, theirs));
    let mut here = [0];
    // It ends without a word where it cannot build what it was told to.
    ours.read_exact(&mut here)?;
    let first = family::children_of(child.as_raw());
    match (here, first.as_slice()) {
        ([HERE], [first]) => Ok((WithinBubblewrap { child, first: Pid::from_raw(*first) }, ours)),
        _ => Err(Errno::ECHILD.into()),
    }
}

fn become_bubblewrap(
    program: &CStr,
    order: &BubblewrapOrder,
    own: &OwnedFd,
    theirs: &UnixStream,
) -> nix::Result<Infallible> {
    dup2_stdin(theirs)?;
    for kept in order.shown.iter().chain([own]) {
        fcntl(kept, FcntlArg::F_SETFD(FdFlag::empty()))?;
    }
    let own = format!("/proc/self/fd/{}", own.as_raw_fd());
    let words = ["--", &own].into_iter().chain(WITHIN_ARGS);
    let words = words.map(|word| CString::new(word).map_err(|_| Errno::EINVAL));
    let words =
        order.words.iter().cloned().map(Ok).chain(words).collect::<nix::Result<Vec<_>>>()?;
    // No variable of ours is of any use to it, and some would be of use to others.
    execve::<_, &CStr>(program, &words, &[])
}

/// Gives the process within what it needs.
pub(super) fn hand_on(
    within: &mut UnixStream,
    parent: &UnixStream,
    assignment: &Assignment,
) -> io::Result<()> {
    let frame = encode(&assignment.plan);
    let mut descriptors: Vec<RawFd> = vec![parent.as_raw_fd()];
    descriptors.extend(assignment.descriptors());
    let (bytes, rights) = ([IoSlice::new(&frame)], [ControlMessage::ScmRights(&descriptors)]);
    let flags = MsgFlags::MSG_NOSIGNAL;
    let sent = sendmsg::<()>(within.as_raw_fd(), &bytes, &rights, flags, None)?;
    within.write_all(frame.get(sent..).unwrap_or_default())
}

/// What `toolgate __within` does: the first process behind a wall that `bwrap` built.
pub(super) fn run_within() -> io::Result<Infallible> {
    surroundings::leave_parent()?;
    let mut outer = UnixStream::from(receive::own(STDIN_FILENO));
    outer.write_all(&[HERE])?;
    let (parent, assignment) = receive::passed_on(&outer)?;
    drop(outer);
    // The parent of this process has no number in here.
    inner::run(&parent, assignment, Pid::from_raw(0))
}
