//! What the parent hands over at the start: a plan, the program's streams, and its way to the network.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

use crate::plan::SpawnPlan;
use crate::protocol::{ReaperReport, decode};

pub(super) struct Assignment {
    pub(super) plan: SpawnPlan,
    /// Standard input, output and error of the program.
    pub(super) streams: [OwnedFd; 3],
    /// Over which the gate is asked for the network, where it is one of names.
    pub(super) link: Option<OwnedFd>,
}

/// Waits for it. A parent that is gone before it said all is an error like any other.
pub(super) fn assignment(mut parent: &UnixStream) -> io::Result<Assignment> {
    let mut length = [0; 4];
    let (read, streams) = first_bytes(parent, &mut length)?;
    parent.read_exact(length.get_mut(read..).unwrap_or_default())?;
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    parent.read_exact(&mut body)?;
    let plan = decode(&body);
    let mut streams = streams;
    let link = streams.get(3).is_some().then(|| streams.pop()).flatten();
    match (plan, <[OwnedFd; 3]>::try_from(streams)) {
        (Some(plan), Ok(streams)) => Ok(Assignment { plan, streams, link }),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
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
    let mut space = cmsg_space!([RawFd; 4]);
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
