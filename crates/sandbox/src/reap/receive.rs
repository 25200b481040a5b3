//! What the parent hands over at the start: a plan, and the program's streams.

use std::io::{self, IoSliceMut, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

use crate::plan::SpawnPlan;
use crate::protocol::decode;

pub(super) struct Assignment {
    pub(super) plan: SpawnPlan,
    /// Standard input, output and error of the program.
    pub(super) streams: [OwnedFd; 3],
}

/// Waits for it. A parent that is gone before it said all is an error like any other.
pub(super) fn assignment(mut parent: &UnixStream) -> io::Result<Assignment> {
    let mut length = [0; 4];
    let (read, streams) = first_bytes(parent, &mut length)?;
    parent.read_exact(length.get_mut(read..).unwrap_or_default())?;
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    parent.read_exact(&mut body)?;
    let plan = decode(&body);
    match (plan, <[OwnedFd; 3]>::try_from(streams)) {
        (Some(plan), Ok(streams)) => Ok(Assignment { plan, streams }),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The descriptors come with the first bytes of the plan.
fn first_bytes(parent: &UnixStream, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = cmsg_space!([RawFd; 3]);
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
