//! What was decided about a connection, for whoever records it.

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

/// Hears of every decision, on the tasks that make the connections: it must not block.
pub trait NetworkListener: Send + Sync {
    fn decided(&self, decision: NetworkDecision);
}
