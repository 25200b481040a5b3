//! The gate's end of a sandbox's network: takes connections over the link, decides, dials, copies, tells.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use toolgate_types::config::{HostName, NetworkAccess, RequestedHost};

use super::dialled::{NameResolver, SystemResolver, dial};
use super::guarded_copy::copy_guarded;
use super::link::{LinkMessage, LinkReceiver};
use super::passed_socket::PassedSocket;
use super::proxy_front::serve_proxy;
use crate::NetworkListener;
use toolgate_types::{NetworkDecision, NetworkRefusal, NetworkVerdict};

/// So many connections of one sandbox at a time, open or being opened; a next one is closed at once.
const MOST_CONNECTIONS: usize = 256;

/// Of so many names that are not listed it is told that they were looked up.
const MOST_LOOKUPS: usize = 256;

/// What one sandbox reaches.
pub struct NetworkGate {
    access: NetworkAccess,
    listener: Arc<dyn NetworkListener>,
    resolver: Arc<dyn NameResolver>,
}

impl fmt::Debug for NetworkGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkGate").field("access", &self.access).finish_non_exhaustive()
    }
}

impl NetworkGate {
    pub fn new(access: NetworkAccess, listener: Arc<dyn NetworkListener>) -> Self {
        Self { access, listener, resolver: Arc::new(SystemResolver) }
    }

    /// With somebody else to find addresses.
    #[must_use]
    pub fn resolver(self, resolver: Arc<dyn NameResolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Serves one sandbox until it is gone, and ends all its connections then. An error means that the
    /// other end does not speak as our own code does.
    pub async fn serve(self, link: OwnedFd) -> io::Result<()> {
        let link = LinkReceiver::new(link)?;
        let gate = Arc::new(self);
        let mut connections = JoinSet::new();
        let mut looked_up: HashSet<HostName> = HashSet::new();
        while let Some((message, connection)) = link.receive().await? {
            while connections.try_join_next().is_some() {}
            let (host, connection) = match (message, connection) {
                (LinkMessage::Lookup(name), None) => {
                    if !gate.access.knows(&name) && looked_up.len() < MOST_LOOKUPS {
                        gate.look_up(&mut looked_up, name);
                    }
                    continue;
                }
                (LinkMessage::Connect(host, port), Some(connection)) => {
                    (Some((host, port)), connection)
                }
                (LinkMessage::Proxy, Some(connection)) => (None, connection),
                _ => return Err(io::ErrorKind::InvalidData.into()),
            };
            if connections.len() >= MOST_CONNECTIONS {
                gate.refused(host.as_ref(), NetworkRefusal::TooMany);
                continue;
            }
            let Ok(program) = PassedSocket::new(connection) else {
                gate.refused(host.as_ref(), NetworkRefusal::Garbled);
                continue;
            };
            let gate = Arc::clone(&gate);
            connections.spawn(async move {
                match host {
                    Some((host, port)) => gate.connect(program, &host, port).await,
                    None => gate.proxy(program).await,
                }
            });
        }
        Ok(())
    }

    fn look_up(&self, looked_up: &mut HashSet<HostName>, name: HostName) {
        let host = name.to_string();
        if looked_up.insert(name) {
            let verdict = NetworkVerdict::Refused(NetworkRefusal::NotListed);
            self.listener.decided(NetworkDecision { host, port: None, verdict });
        }
    }

    async fn connect(&self, program: PassedSocket, host: &RequestedHost, port: u16) {
        let Ok(server) = self.dial(host, port).await else { return };
        let name = match host {
            RequestedHost::Name(name) => Some(name),
            RequestedHost::Address(_) => None,
        };
        if let Err(refusal) = copy_guarded(program, Vec::new(), server, name).await {
            self.refused(Some(&(host.clone(), port)), refusal);
        }
    }

    async fn proxy(&self, program: PassedSocket) {
        let mut dialled = None;
        let served = serve_proxy(program, async |host: &RequestedHost, port| {
            dialled = Some((host.clone(), port));
            self.dial(host, port).await
        });
        if let Err(refusal) = served.await {
            self.refused(dialled.as_ref(), refusal);
        }
    }

    /// Dials, and tells what came of it.
    async fn dial(&self, host: &RequestedHost, port: u16) -> Result<TcpStream, NetworkRefusal> {
        match dial(&self.access, &*self.resolver, host, port).await {
            Ok((server, address)) => {
                let verdict = NetworkVerdict::Connected(address);
                let decision =
                    NetworkDecision { host: host.to_string(), port: Some(port), verdict };
                self.listener.decided(decision);
                Ok(server)
            }
            Err(refusal) => {
                self.refused(Some(&(host.clone(), port)), refusal.clone());
                Err(refusal)
            }
        }
    }

    fn refused(&self, requested: Option<&(RequestedHost, u16)>, refusal: NetworkRefusal) {
        let host = requested.map(|(host, _)| host.to_string()).unwrap_or_default();
        let (port, verdict) = (requested.map(|(_, port)| *port), NetworkVerdict::Refused(refusal));
        self.listener.decided(NetworkDecision { host, port, verdict });
    }
}
