//! The one network interface that a sandbox has: itself.

use std::mem::zeroed;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

/// Loopback is the first interface of every network.
const LOOPBACK_INDEX: libc::c_int = 1;

/// Switches it on.
pub(super) fn raise() -> nix::Result<()> {
    let any = datagrams(AddressFamily::Inet)?;
    let mut request = request(c"lo".to_bytes());
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    change(&any, libc::SIOCSIFFLAGS, &mut request)
}

/// Gives it more addresses. Whole networks lead to it then, as all of 127.0.0.0/8 does.
pub(super) struct LoopbackAddresses {
    v4: OwnedFd,
    given: usize,
}

/// An IPv6 address for an interface, as the kernel takes it.
#[repr(C)]
struct Address6Request {
    address: libc::in6_addr,
    prefix_bits: u32,
    interface: libc::c_int,
}

impl LoopbackAddresses {
    pub(super) fn open() -> nix::Result<Self> {
        Ok(Self { v4: datagrams(AddressFamily::Inet)?, given: 0 })
    }

    pub(super) fn add(&mut self, address: IpAddr, prefix_bits: u32) -> nix::Result<()> {
        match address {
            // They lead here already.
            address if address.is_loopback() => Ok(()),
            IpAddr::V4(address) => self.add_v4(address, prefix_bits),
            IpAddr::V6(address) => add_v6(address, prefix_bits),
        }
    }

    fn add_v4(&mut self, address: Ipv4Addr, prefix_bits: u32) -> nix::Result<()> {
        // Each has a label of its own, or it would take the place of the one before.
        self.given += 1;
        let label = format!("lo:{}", self.given);
        let mask = Ipv4Addr::from_bits(u32::MAX.checked_shl(32 - prefix_bits).unwrap_or(0));
        for (what, value) in [(libc::SIOCSIFADDR, address), (libc::SIOCSIFNETMASK, mask)] {
            let mut request = request(label.as_bytes());
            request.ifr_ifru.ifru_addr = socket_address(value);
            change(&self.v4, what, &mut request)?;
        }
        Ok(())
    }
}

fn add_v6(address: Ipv6Addr, prefix_bits: u32) -> nix::Result<()> {
    let any = datagrams(AddressFamily::Inet6)?;
    let address = libc::in6_addr { s6_addr: address.octets() };
    let mut request = Address6Request { address, prefix_bits, interface: LOOPBACK_INDEX };
    change(&any, libc::SIOCSIFADDR, &mut request)
}

fn datagrams(family: AddressFamily) -> nix::Result<OwnedFd> {
    socket(family, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
}

#[allow(unsafe_code, reason = "the kernel's own layout, most of it unused")]
fn request(label: &[u8]) -> libc::ifreq {
    // SAFETY: all zero is a valid request that names no interface.
    let mut request: libc::ifreq = unsafe { zeroed() };
    let room = request.ifr_name.len() - 1;
    for (to, from) in request.ifr_name.iter_mut().zip(label.iter().take(room)) {
        *to = *from as libc::c_char;
    }
    request
}

fn socket_address(address: Ipv4Addr) -> libc::sockaddr {
    let mut data = [0; 14];
    // Two bytes of port, then the address.
    for (to, from) in data.iter_mut().skip(2).zip(address.octets()) {
        *to = from as libc::c_char;
    }
    libc::sockaddr { sa_family: libc::AF_INET as libc::sa_family_t, sa_data: data }
}

#[allow(unsafe_code, reason = "an interface is changed by a bare system call")]
fn change<R>(socket: &OwnedFd, what: libc::c_ulong, request: &mut R) -> nix::Result<()> {
    // SAFETY: the kernel reads the request, which has the layout of its kind and outlives the call.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), what as _, &raw mut *request) };
    Errno::result(done).map(drop)
}
