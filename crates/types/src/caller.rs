//! Who calls, from where.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Era;

/// Who a call is for: the user of this machine, a named client token, a subject of an issuer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// The user whose process this is.
    pub fn local_user() -> Self {
        Self("local".into())
    }

    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One run of an agent, where there is such a thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(pub String);

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    pub session: Option<SessionId>,
    /// The folder the caller works in.
    pub workspace: PathBuf,
    /// The program that calls, as it is known here.
    pub client: Option<String>,
    /// How it speaks, where it speaks over a connection.
    pub era: Option<Era>,
    pub requester: Requester,
}

/// The processes behind a call, as far as the system tells.
#[derive(Debug, Clone, Default)]
pub enum Requester {
    #[default]
    Unknown,
    /// By number and start: a number alone may be another's by now.
    Processes {
        processes: Arc<[(u32, u64)]>,
        /// Not all of them are known.
        is_hidden: bool,
    },
    /// Whoever is at the other end of a TCP connection.
    Peer(PeerLink),
}

/// The TCP connection over which somebody was last heard. Clones are the same one.
#[derive(Debug, Clone)]
pub struct PeerLink(Arc<Mutex<Ends>>);

/// Both ends of a connection, ours second.
type Ends = (SocketAddr, SocketAddr);

impl PeerLink {
    pub fn new(peer: SocketAddr, local: SocketAddr) -> Self {
        Self(Arc::new(Mutex::new((peer, local))))
    }

    /// The other end and ours.
    pub fn ends(&self) -> (SocketAddr, SocketAddr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Heard over that one now.
    pub fn moved_to(&self, other: &Self) {
        let ends = other.ends();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ends;
    }
}

impl Caller {
    /// Somebody of whom nothing else is known.
    pub fn new(principal: Principal, workspace: impl Into<PathBuf>) -> Self {
        Self {
            principal,
            session: None,
            workspace: workspace.into(),
            client: None,
            era: None,
            requester: Requester::Unknown,
        }
    }
}
