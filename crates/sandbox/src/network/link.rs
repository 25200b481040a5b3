//! The one socket between a sandbox and the gate: a message for each connection, with the connection.
//!
//! A message is a line of words, and at most one descriptor goes with it:
//!
//! - `connect HOST PORT`, with a socket that was accepted for this host;
//! - `proxy`, with a socket on which a program speaks to an HTTP proxy;
//! - `lookup NAME`, of a name that was asked for and is not listed.
//!
//! Nothing comes back: the gate answers on the connection, or closes it. Whoever says something else is
//! not heard any more.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use nix::cmsg_space;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg,
    sendmsg, socketpair,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use toolgate_types::config::{HostName, RequestedHost};

/// Longer than any message that makes sense.
const LONGEST: usize = 512;

/// The gate's end and the sandbox's.
pub fn link_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    // Of packets, so that a message comes whole and with its own descriptor.
    let flags = SockFlag::SOCK_CLOEXEC;
    Ok(socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?)
}

/// What is said over the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkMessage {
    Connect(RequestedHost, u16),
    Proxy,
    Lookup(HostName),
}

impl LinkMessage {
    fn to_words(&self) -> String {
        match self {
            Self::Connect(host, port) => format!("connect {host} {port}"),
            Self::Proxy => "proxy".to_owned(),
            Self::Lookup(name) => format!("lookup {name}"),
        }
    }

    pub(super) fn of_words(words: &[u8]) -> Option<Self> {
        let words = std::str::from_utf8(words).ok()?;
        let words: Vec<&str> = words.split(' ').collect();
        match words.as_slice() {
            ["connect", host, port] => {
                let port = port.parse().ok().filter(|port| *port != 0)?;
                Some(Self::Connect(RequestedHost::parse(host).ok()?, port))
            }
            ["proxy"] => Some(Self::Proxy),
            ["lookup", name] => HostName::parse(name).ok().map(Self::Lookup),
            _ => None,
        }
    }
}

/// Says something from inside; never waits, since the gate may be busy and the program is not to blame.
pub(super) fn send(
    link: BorrowedFd<'_>,
    message: &LinkMessage,
    connection: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let words = message.to_words();
    let bytes = [IoSlice::new(words.as_bytes())];
    let numbers: Vec<RawFd> = connection.iter().map(|one| one.as_raw_fd()).collect();
    let rights = [ControlMessage::ScmRights(&numbers)];
    let rights = if numbers.is_empty() { &[][..] } else { &rights[..] };
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
    sendmsg::<()>(link.as_raw_fd(), &bytes, rights, flags, None)?;
    Ok(())
}

/// The gate's end of the link.
pub(super) struct LinkReceiver(AsyncFd<OwnedFd>);

impl LinkReceiver {
    #[allow(unsafe_code, reason = "the runtime watches a descriptor by its number")]
    pub(super) fn new(link: OwnedFd) -> io::Result<Self> {
        // SAFETY: it owns its descriptor, which stays the same and open for as long as it is watched.
        Ok(Self(unsafe { AsyncFd::register_with_interest(link, Interest::READABLE)? }))
    }

    /// The next message; `None` when the sandbox is gone. An error ends the link: whoever is at the other
    /// end does not speak as our own code does.
    pub(super) async fn receive(&self) -> io::Result<Option<(LinkMessage, Option<OwnedFd>)>> {
        let mut bytes = [0; LONGEST];
        let (length, mut passed) = self
            .0
            .async_io(Interest::READABLE, |link| receive_now(link.as_raw_fd(), &mut bytes))
            .await?;
        if length == 0 {
            return Ok(None);
        }
        let words = bytes.get(..length).unwrap_or_default();
        let connection = passed.pop();
        match LinkMessage::of_words(words) {
            Some(message) if passed.is_empty() => Ok(Some((message, connection))),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn receive_now(link: RawFd, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = cmsg_space!([RawFd; 4]);
    let mut buffers = [IoSliceMut::new(bytes)];
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(link, &mut buffers, Some(&mut space), flags)?;
    let mut passed = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(numbers) = control {
            passed.extend(numbers.into_iter().map(own));
        }
    }
    Ok((message.bytes, passed))
}

/// Takes a descriptor that has just been received.
#[allow(unsafe_code, reason = "descriptors arrive as numbers")]
fn own(number: RawFd) -> OwnedFd {
    // SAFETY: the kernel has just opened it for us, and nothing else in this process knows it.
    unsafe { OwnedFd::from_raw_fd(number) }
}

#[cfg(test)]
mod tests;
