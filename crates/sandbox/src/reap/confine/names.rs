//! Where the names of a sandbox's network are listened for: the addresses that they are given lead to the
//! sandbox itself, and so do those that its list has as addresses.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};

use nix::errno::Errno;
use toolgate_types::config::NetworkAccess;

use super::loopback::LoopbackAddresses;
use crate::network::{AddressPool, InsideListeners, proxy_port};
use crate::walls::Walls;

/// The port of the resolver, which no list may have.
const RESOLVER: u16 = 53;

/// Those of a run to learn from, which no list has.
const USUAL_PORTS: [u16; 11] = [21, 22, 80, 443, 3306, 5432, 6379, 8080, 8443, 9418, 27017];

/// Listens, while it still may on any port; nothing where no host is named.
pub(super) fn listen(walls: &Walls) -> nix::Result<Option<InsideListeners>> {
    if !walls.asks_gate() {
        return Ok(None);
    }
    give_addresses(&walls.network)?;
    let ports = match walls.learns {
        true => USUAL_PORTS.into(),
        false => walls.network.ports(),
    };
    bind(&walls.network, ports)
        .map(Some)
        .map_err(|error| error.raw_os_error().map_or(Errno::EADDRNOTAVAIL, Errno::from_raw))
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

fn bind(access: &NetworkAccess, ports: BTreeSet<u16>) -> io::Result<InsideListeners> {
    let inside = Ipv4Addr::LOCALHOST;
    let mut named_ports = Vec::new();
    for port in ports {
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
