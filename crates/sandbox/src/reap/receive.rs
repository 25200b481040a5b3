//! What the parent hands over at the start: a plan, the program's streams, and its way to the network.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

use crate::limit_group::LimitGroup;
use crate::plan::SpawnPlan;
use crate::protocol::{ReaperReport, decode};

pub(super) struct Assignment {
    pub(super) plan: SpawnPlan,
    /// Standard input, output and error of the program.
    pub(super) streams: [OwnedFd; 3],
    /// Over which the gate is asked for the network, where it is one of names.
    pub(super) link: Option<OwnedFd>,
    /// Where is written down what it uses, where it is learned from.
    pub(super) learned: Option<OwnedFd>,
    /// What the kernel itself holds the tree to, where it does.
    pub(super) group: Option<LimitGroup>,
}

impl Assignment {
    fn of(plan: SpawnPlan, mut descriptors: impl Iterator<Item = OwnedFd>) -> io::Result<Self> {
        let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidData);
        let streams = [next()?, next()?, next()?];
        let walls = plan.walls.as_ref();
        let link = walls.filter(|walls| walls.asks_gate()).map(|_| next()).transpose()?;
        let learned = walls.filter(|walls| walls.learns).map(|_| next()).transpose()?;
        match descriptors.next() {
            None => Ok(Self { plan, streams, link, learned, group: None }),
            Some(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// All that came with the plan, in the order in which it comes.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        self.streams.iter().chain(&self.link).chain(&self.learned).map(|one| one.as_raw_fd())
    }

    /// Moves this process to the group of the tree. Where that is refused, the other limits stand.
    pub(super) fn enter_group(&self) {
        let _ = self.group.as_ref().map(LimitGroup::enter);
    }
}

/// Waits for it. A parent that is gone before it said all is an error like any other.
pub(super) fn assignment(parent: &UnixStream) -> io::Result<Assignment> {
    let (plan, descriptors) = plan(parent)?;
    Assignment::of(plan, descriptors.into_iter())
}

/// The same from the outer reaper, with the socket to the parent before the streams.
pub(super) fn passed_on(outer: &UnixStream) -> io::Result<(UnixStream, Assignment)> {
    let (plan, descriptors) = plan(outer)?;
    let mut descriptors = descriptors.into_iter();
    let parent = descriptors.next().ok_or(io::ErrorKind::InvalidData)?;
    Ok((UnixStream::from(parent), Assignment::of(plan, descriptors)?))
}

fn plan(mut from: &UnixStream) -> io::Result<(SpawnPlan, Vec<OwnedFd>)> {
    let mut length = [0; 4];
    let (read, descriptors) = first_bytes(from, &mut length)?;
    from.read_exact(length.get_mut(read..).unwrap_or_default())?;
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut body)?;
    let plan = decode(&body).ok_or(io::ErrorKind::InvalidData)?;
    Ok((plan, descriptors))
}

/// The next report, and a descriptor that came with it; nothing once the other end is closed.
pub(super) fn report(from: &UnixStream) -> Option<(ReaperReport, Option<OwnedFd>)> {
    let mut bytes = [0; ReaperReport::SIZE];
    let (read, descriptors) = first_bytes(from, &mut bytes).ok()?;
    let mut from = from;
    from.read_exact(bytes.get_mut(read..).filter(|_| read > 0)?).ok()?;
    Some((ReaperReport::from_bytes(bytes)?, descriptors.into_iter().next()))
}

/// Sends a report with a descriptor.
pub(super) fn hand_over(
    to: &UnixStream,
    report: ReaperReport,
    descriptor: &OwnedFd,
) -> nix::Result<()> {
    let descriptors = [descriptor.as_raw_fd()];
    let (bytes, rights) = (report.to_bytes(), [ControlMessage::ScmRights(&descriptors)]);
    let flags = MsgFlags::MSG_NOSIGNAL;
    sendmsg::<()>(to.as_raw_fd(), &[IoSlice::new(&bytes)], &rights, flags, None).map(drop)
}

/// The descriptors come with the first bytes of the plan.
fn first_bytes(parent: &UnixStream, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = cmsg_space!([RawFd; 6]);
    let mut buffers = [IoSliceMut::new(bytes)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(parent.as_raw_fd(), &mut buffers, Some(&mut space), flags)?;
    let mut streams = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(numbers) = control {
            streams.extend(numbers.into_iter().map(own));
        }
    }
    Ok((message.bytes, streams))
}

/// Takes a descriptor that came as a number: one just received, or standard input, which a reaper
/// uses for nothing else.
#[allow(unsafe_code, reason = "descriptors arrive as numbers")]
pub(super) fn own(number: RawFd) -> OwnedFd {
    // SAFETY: both kinds are open, and nothing else in this process has or uses them.
    unsafe { OwnedFd::from_raw_fd(number) }
}
