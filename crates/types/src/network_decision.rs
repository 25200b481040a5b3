//! What was decided about a connection out of a sandbox, for whoever records it.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// One decision of the gate. A connection that was made and ended for what it said has two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkDecision {
    /// Name or address as it was asked for; empty where nobody could tell.
    pub host: String,
    /// None of a name that was only looked up.
    pub port: Option<u16>,
    pub verdict: NetworkVerdict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkVerdict {
    Connected(SocketAddr),
    Refused(NetworkRefusal),
}

/// Why a connection was not made, or ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkRefusal {
    #[error("not in allow_network")]
    NotListed,
    #[error("the name has no address")]
    NotResolved,
    #[error("the name leads to {0}, an address that is not public and not in allow_network")]
    ForbiddenAddress(IpAddr),
    #[error("nobody answers there")]
    NotReached,
    #[error("the connection says that it is for another host (SNI {0:?})")]
    OtherServerName(String),
    #[error("the connection does not say which host it is for (no SNI)")]
    NoServerName,
    #[error("the connection begins as TLS and does not go on as TLS")]
    GarbledHello,
    #[error("the request makes no sense")]
    Garbled,
    #[error("too many connections are open")]
    TooMany,
}

/// One line of it.
impl fmt::Display for NetworkDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, verdict } = self;
        let host = if host.is_empty() { "an unnamed host" } else { host.as_str() };
        match port {
            Some(port) => write!(f, "{host}:{port} ")?,
            None => write!(f, "{host} ")?,
        }
        match verdict {
            NetworkVerdict::Connected(address) => write!(f, "reached at {address}"),
            NetworkVerdict::Refused(refusal) => write!(f, "refused: {refusal}"),
        }
    }
}
