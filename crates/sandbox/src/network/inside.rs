//! The inside of a sandbox's network: answers DNS, accepts connections, and hands them to the gate.
//!
//! No thread and no runtime: the process that stays as the sandbox's init waits for it among other things.
//! It decides nothing: a name that the gate would refuse is not even given an address, and the gate decides all the
//! same.

mod dns_connection;

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use toolgate_types::config::{HostName, NetworkAccess, RequestedHost};

use self::dns_connection::DnsConnection;
use super::address_pool::AddressPool;
use super::dns_answer::{NameLookup, answer};
use super::link::{LinkMessage, send};

/// A question over UDP is shorter.
const LONGEST_DATAGRAM: usize = 4096;

/// So many connections that ask DNS at a time; the oldest goes for a next one.
const MOST_DNS_CONNECTIONS: usize = 32;

/// So much is taken from one socket before the others have their turn.
const AT_ONCE: usize = 64;

/// The first port from here on that the list does not have is the proxy's.
const PROXY_PORT: u16 = 3128;

/// Where the proxy listens, for programs that honour proxy variables.
pub fn proxy_port(access: &NetworkAccess) -> u16 {
    let taken = access.ports();
    (PROXY_PORT..u16::MAX).find(|port| !taken.contains(port)).unwrap_or(PROXY_PORT)
}

/// The sockets of the inside, bound by whoever made the sandbox.
#[derive(Debug)]
pub struct InsideListeners {
    pub dns_datagrams: UdpSocket,
    pub dns_connections: TcpListener,
    /// One for each port that the list has, on every address.
    pub named_ports: Vec<TcpListener>,
    /// For programs that honour proxy variables.
    pub proxy: Option<TcpListener>,
}

/// The inside, ready to run.
#[derive(Debug)]
pub struct InsideNetwork {
    listeners: InsideListeners,
    link: OwnedFd,
    access: NetworkAccess,
    names: AddressPool,
    dns_connections: Vec<DnsConnection>,
}

impl InsideNetwork {
    pub fn new(
        listeners: InsideListeners,
        link: OwnedFd,
        access: NetworkAccess,
        names: AddressPool,
    ) -> io::Result<Self> {
        let InsideListeners { dns_datagrams, dns_connections, named_ports, proxy } = &listeners;
        dns_datagrams.set_nonblocking(true)?;
        for listener in named_ports.iter().chain(proxy).chain([dns_connections]) {
            listener.set_nonblocking(true)?;
        }
        Ok(Self { listeners, link, access, names, dns_connections: Vec::new() })
    }

    /// All that may become readable and is then to be attended to.
    pub fn bells(&self) -> Vec<BorrowedFd<'_>> {
        let InsideListeners { dns_datagrams, dns_connections, named_ports, proxy } =
            &self.listeners;
        let mut all: Vec<BorrowedFd<'_>> =
            vec![self.link.as_fd(), dns_datagrams.as_fd(), dns_connections.as_fd()];
        all.extend(named_ports.iter().chain(proxy).map(|listener| listener.as_fd()));
        all.extend(self.dns_connections.iter().map(DnsConnection::as_fd));
        all
    }

    /// Does what there is to do, without waiting; `false` once the gate is gone, and then for ever.
    pub fn attend(&mut self) -> io::Result<bool> {
        let ready = self.ready()?;
        if ready.gate_is_gone {
            return Ok(false);
        }
        match self.turn(&ready) {
            Err(error) if is_gone(&error) => Ok(false),
            turn => turn.map(|()| true),
        }
    }

    fn ready(&self) -> io::Result<ReadySockets> {
        let mut polled: Vec<PollFd<'_>> =
            self.bells().into_iter().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        poll(&mut polled, PollTimeout::ZERO)?;
        let InsideListeners { named_ports, proxy, .. } = &self.listeners;
        let mut any = polled.iter().map(|one| one.any().unwrap_or(true));
        let (gate, datagrams, connections) = (any.next(), any.next(), any.next());
        let listeners = named_ports.len() + usize::from(proxy.is_some());
        Ok(ReadySockets {
            // The gate says nothing over the link, so that whatever is there is its end.
            gate_is_gone: gate == Some(true),
            dns_datagrams: datagrams == Some(true),
            dns_listener: connections == Some(true),
            listeners: any.by_ref().take(listeners).collect(),
            dns_connections: any.collect(),
        })
    }

    fn turn(&mut self, ready: &ReadySockets) -> io::Result<()> {
        if ready.dns_datagrams {
            self.answer_datagrams()?;
        }
        self.answer_connections(&ready.dns_connections)?;
        if ready.dns_listener {
            self.accept_dns();
        }
        for (index, _) in ready.listeners.iter().enumerate().filter(|(_, is_ready)| **is_ready) {
            self.accept(index)?;
        }
        Ok(())
    }

    fn answer_datagrams(&mut self) -> io::Result<()> {
        let mut bytes = [0; LONGEST_DATAGRAM];
        for _ in 0..AT_ONCE {
            let Ok((length, asker)) = self.listeners.dns_datagrams.recv_from(&mut bytes) else {
                return Ok(());
            };
            let query = bytes.get(..length).unwrap_or_default();
            if let Some(answer) = self.answer(query)? {
                let _ = self.listeners.dns_datagrams.send_to(&answer, asker);
            }
        }
        Ok(())
    }

    fn answer_connections(&mut self, ready: &[bool]) -> io::Result<()> {
        let connections = std::mem::take(&mut self.dns_connections);
        let mut kept = Vec::with_capacity(connections.len());
        for (index, mut connection) in connections.into_iter().enumerate() {
            let mut is_open = true;
            if ready.get(index) == Some(&true) {
                is_open = connection.read();
                while let (true, Some(query)) = (is_open, connection.next_query()) {
                    let answer = self.answer(&query)?;
                    is_open = answer.is_some_and(|answer| connection.write(&answer));
                }
            }
            if is_open {
                kept.push(connection);
            }
        }
        self.dns_connections = kept;
        Ok(())
    }

    fn accept_dns(&mut self) {
        for _ in 0..AT_ONCE {
            let Ok((connection, _)) = self.listeners.dns_connections.accept() else { return };
            if self.dns_connections.len() >= MOST_DNS_CONNECTIONS {
                self.dns_connections.remove(0);
            }
            self.dns_connections.extend(DnsConnection::new(connection));
        }
    }

    /// Takes connections of one listener: those of the named ports first, the proxy's last.
    fn accept(&mut self, index: usize) -> io::Result<()> {
        let InsideListeners { named_ports, proxy, .. } = &self.listeners;
        let Some(listener) = named_ports.iter().chain(proxy).nth(index) else { return Ok(()) };
        let is_proxy = index >= named_ports.len();
        for _ in 0..AT_ONCE {
            let connection = match listener.accept() {
                Ok((connection, _)) => connection,
                // It went away again, or nothing is left for it: the next one may be luckier.
                Err(_) => return Ok(()),
            };
            let message = match is_proxy {
                true => Some(LinkMessage::Proxy),
                false => self.meant_by(&connection),
            };
            let Some(message) = message else { continue };
            match send(self.link.as_fd(), &message, Some(connection.as_fd())) {
                Err(error) if is_gone(&error) => return Err(error),
                // Where the gate has more than enough to do, the connection closes here.
                _ => {}
            }
        }
        Ok(())
    }

    /// Which host a connection is for, by the address that it was made to.
    fn meant_by(&self, connection: &TcpStream) -> Option<LinkMessage> {
        let local: SocketAddr = connection.local_addr().ok()?;
        let address = local.ip().to_canonical();
        let named = match address {
            IpAddr::V4(address) => self.names.name_of(address),
            IpAddr::V6(_) => None,
        };
        let host = match named {
            Some(name) => RequestedHost::Name(name.clone()),
            None => RequestedHost::Address(address),
        };
        let may_be = named.is_some() || self.access.allows(&host, local.port());
        may_be.then(|| LinkMessage::Connect(host, local.port()))
    }

    fn answer(&mut self, query: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let mut unlisted = None;
        let answer = answer(query, |asked| {
            let Ok(name) = HostName::parse(asked) else { return NameLookup::Unknown };
            if !self.access.knows(&name) {
                unlisted = Some(name);
                return NameLookup::Unknown;
            }
            self.names.address_of(&name).map_or(NameLookup::Full, NameLookup::Address)
        });
        if let Some(name) = unlisted {
            match send(self.link.as_fd(), &LinkMessage::Lookup(name), None) {
                Err(error) if is_gone(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(answer)
    }
}

/// What can be read, or has ended.
struct ReadySockets {
    gate_is_gone: bool,
    dns_datagrams: bool,
    dns_listener: bool,
    listeners: Vec<bool>,
    dns_connections: Vec<bool>,
}

/// Whether the gate has closed its end.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::NotConnected
    )
}
