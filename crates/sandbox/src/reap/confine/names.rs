//! Where the names of a sandbox's network are listened for: the addresses that they are given lead to the
//! sandbox itself, and so do those that its list has as addresses.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};

use nix::errno::Errno;
use toolgate_types::config::NetworkAccess;

use super::loopback::LoopbackAddresses;
use crate::network::{AddressPool, InsideListeners, proxy_port};

/// The port of the resolver, which no list may have.
const RESOLVER: u16 = 53;

/// Listens, while it still may on any port; nothing where no host is named.
pub(super) fn listen(access: &NetworkAccess) -> nix::Result<Option<InsideListeners>> {
    match access {
        NetworkAccess::Off | NetworkAccess::Everything => Ok(None),
        NetworkAccess::Named(_) => {
            give_addresses(access)?;
            bind(access)
                .map(Some)
                .map_err(|error| error.raw_os_error().map_or(Errno::EADDRNOTAVAIL, Errno::from_raw))
        }
    }
}

fn give_addresses(access: &NetworkAccess) -> nix::Result<()> {
    let mut own = LoopbackAddresses::open()?;
    let (network, bits) = AddressPool::NETWORK;
    own.add(IpAddr::V4(network), bits)?;
    for address in access.addresses() {
        // A machine without IPv6 has nobody who could connect there.
        match own.add(address, if address.is_ipv4() { 32 } else { 128 }) {
            Err(_) if address.is_ipv6() => {}
            added => added?,
        }
    }
    Ok(())
}

fn bind(access: &NetworkAccess) -> io::Result<InsideListeners> {
    let inside = Ipv4Addr::LOCALHOST;
    let mut named_ports = Vec::new();
    for port in access.ports() {
        named_ports.push(TcpListener::bind((Ipv4Addr::UNSPECIFIED, port))?);
    }
    for host in access.hosts() {
        if let Some(address @ IpAddr::V6(_)) = host.address() {
            named_ports.extend(TcpListener::bind(SocketAddr::new(address, host.port())));
        }
    }
    Ok(InsideListeners {
        dns_datagrams: UdpSocket::bind((inside, RESOLVER))?,
        dns_connections: TcpListener::bind((inside, RESOLVER))?,
        named_ports,
        proxy: Some(TcpListener::bind((inside, proxy_port(access)))?),
    })
}
