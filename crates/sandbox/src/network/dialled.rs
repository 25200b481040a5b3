//! From a name to a connection: resolved once, looked at, and dialled as it was looked at.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use toolgate_types::config::{HostName, NetworkAccess, RequestedHost};

use toolgate_types::{NetworkRefusal, is_public_address};

/// How long a name, and then each of its addresses, may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Of a name with more addresses than this the rest is not tried.
const MOST_ADDRESSES: usize = 4;

/// What a name leads to.
pub type ResolvedAddresses<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Who finds the addresses of a name.
pub trait NameResolver: Send + Sync {
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolvedAddresses<'a>;
}

/// As every program of this machine does.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolvedAddresses<'a> {
        Box::pin(async move {
            let found = lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Dials a host that the list has, or says why not.
pub(super) async fn dial(
    access: &NetworkAccess,
    resolver: &dyn NameResolver,
    host: &RequestedHost,
    port: u16,
) -> Result<(TcpStream, SocketAddr), NetworkRefusal> {
    if !access.allows(host, port) {
        return Err(NetworkRefusal::NotListed);
    }
    let found = match host {
        RequestedHost::Address(address) => vec![*address],
        RequestedHost::Name(name) => match timeout(PATIENCE, resolver.resolve(name)).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) | Err(_) => return Err(NetworkRefusal::NotResolved),
        },
    };
    let found: Vec<IpAddr> = found.into_iter().map(|address| address.to_canonical()).collect();
    let first = *found.first().ok_or(NetworkRefusal::NotResolved)?;
    let is_listed = |address: &IpAddr| {
        matches!(access, NetworkAccess::Named(_))
            && access.allows(&RequestedHost::Address(*address), port)
    };
    let may_be_dialled = |address: &&IpAddr| is_public_address(**address) || is_listed(address);
    let mut reachable = found.iter().filter(may_be_dialled).take(MOST_ADDRESSES).peekable();
    if reachable.peek().is_none() {
        return Err(NetworkRefusal::ForbiddenAddress(first));
    }
    for address in reachable {
        let address = SocketAddr::new(*address, port);
        if let Ok(Ok(stream)) = timeout(PATIENCE, TcpStream::connect(address)).await {
            let _ = stream.set_nodelay(true);
            return Ok((stream, address));
        }
    }
    Err(NetworkRefusal::NotReached)
}
