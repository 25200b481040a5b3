//! The number of one connection, asked of the kernel itself.
//!
//! Its lists have every connection that there is, and the kernel goes through all that they could ever hold to
//! write them. Asked for one by its ends it looks that one up. Where it does not answer so, or not with the
//! very connection that was meant, nothing is known here and the lists are read.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd as _, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

use super::{ConnectionEnds, same};

/// What is asked, and what such an answer is called (`SOCK_DIAG_BY_FAMILY`).
const BY_FAMILY: u16 = 20;
/// A message is a request (`NLM_F_REQUEST`).
const REQUEST: u16 = 1;
const TCP: u8 = 6;
const INET: u8 = 2;
const INET6: u8 = 10;
/// The state of a socket that listens, which has no other end.
const LISTENS: u8 = 10;

/// What stands before each message, and the parts of the two kinds.
const HEADER: usize = 16;
const ENDS: usize = 48;
const QUESTION: usize = HEADER + 8 + ENDS;
const ANSWER: usize = HEADER + 4 + ENDS + 20;

/// Asks about connections, one after the other.
pub(super) struct ConnectionQuestions(OwnedFd);

impl ConnectionQuestions {
    /// Nothing where the kernel takes none.
    pub(super) fn open() -> Option<Self> {
        let (family, kind) = (AddressFamily::Netlink, SockType::Datagram);
        let asking =
            socket(family, kind, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkSockDiag).ok()?;
        Some(Self(asking))
    }

    /// The number of the end from the first to the second, if it is this user's and somebody holds it.
    pub(super) fn number_of(&self, ends: &ConnectionEnds, owner: u32) -> Option<u64> {
        send(self.0.as_raw_fd(), &question(ends)?, MsgFlags::empty()).ok()?;
        let mut answer = [0; 512];
        // It is there when the question was taken.
        let length = recv(self.0.as_raw_fd(), &mut answer, MsgFlags::MSG_DONTWAIT).ok()?;
        let (found, uid, number) = read(answer.get(..length)?)?;
        let is_it = same(found.0, ends.0) && same(found.1, ends.1);
        (is_it && uid == owner && number != 0).then_some(number.into())
    }
}

/// The question, in the order of bytes that the kernel has it; ends of different kinds have none.
fn question((from, to): &ConnectionEnds) -> Option<[u8; QUESTION]> {
    let (from_ip, to_ip) = (from.ip().to_canonical(), to.ip().to_canonical());
    let family = match (from_ip, to_ip) {
        (IpAddr::V4(_), IpAddr::V4(_)) => INET,
        (IpAddr::V6(_), IpAddr::V6(_)) => INET6,
        _ => return None,
    };
    let mut bytes = Vec::with_capacity(QUESTION);
    bytes.extend_from_slice(&u32::try_from(QUESTION).ok()?.to_ne_bytes());
    bytes.extend_from_slice(&BY_FAMILY.to_ne_bytes());
    bytes.extend_from_slice(&REQUEST.to_ne_bytes());
    // Number and sender of the message: there is one at a time, and the kernel knows us.
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&[family, TCP, 0, 0]);
    // Whatever its state.
    bytes.extend_from_slice(&u32::MAX.to_ne_bytes());
    for port in [from.port(), to.port()] {
        bytes.extend_from_slice(&port.to_be_bytes());
    }
    for ip in [from_ip, to_ip] {
        let mut words = [0; 16];
        match ip {
            IpAddr::V4(ip) => words[..4].copy_from_slice(&ip.octets()),
            IpAddr::V6(ip) => words = ip.octets(),
        }
        bytes.extend_from_slice(&words);
    }
    // Through any interface, and with no cookie of it.
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&[0xFF; 8]);
    bytes.try_into().ok()
}

/// The ends, the owner and the number in an answer.
fn read(answer: &[u8]) -> Option<(ConnectionEnds, u32, u32)> {
    let about = answer.get(..ANSWER)?;
    let word = |at: usize| Some(u32::from_ne_bytes(about.get(at..at + 4)?.try_into().ok()?));
    let kind = u16::from_ne_bytes(about.get(4..6)?.try_into().ok()?);
    let (family, state) = (*about.get(HEADER)?, *about.get(HEADER + 1)?);
    if kind != BY_FAMILY || state == LISTENS {
        return None;
    }
    let ends = HEADER + 4;
    let end = |which: usize| {
        let port = about.get(ends + 2 * which..ends + 2 * which + 2)?;
        let ip: [u8; 16] =
            about.get(ends + 4 + 16 * which..ends + 20 + 16 * which)?.try_into().ok()?;
        let ip = match family {
            INET => IpAddr::from(<[u8; 4]>::try_from(ip.get(..4)?).ok()?),
            INET6 => IpAddr::from(ip),
            _ => return None,
        };
        Some(SocketAddr::new(ip, u16::from_be_bytes(port.try_into().ok()?)))
    };
    // After the ends: when something is due, what waits to be read and to be written, then these.
    let rest = ends + ENDS;
    Some(((end(0)?, end(1)?), word(rest + 12)?, word(rest + 16)?))
}

#[cfg(test)]
mod tests;
