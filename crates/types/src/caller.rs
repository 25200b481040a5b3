//! Who calls, from where.

use parking_lot::Mutex;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::{Era, SessionOverrides};

/// Who a call is for: the user of this machine, a named client token, a subject of an issuer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// The member of `_meta` by which a server within this process is told who calls. Nobody else may say it,
    /// and no other server hears it.
    pub const KEY: &'static str = "toolgate/principal";

    /// The user whose process this is.
    pub fn local_user() -> Self {
        static LOCAL: LazyLock<Principal> = LazyLock::new(|| Principal("local".into()));
        LOCAL.clone()
    }

    /// Who may see and do nothing.
    pub fn nobody() -> Self {
        Self("nobody".into())
    }

    /// Whoever brings the client token of this name.
    pub fn of_token(name: &str) -> Self {
        Self(format!("token:{name}").into())
    }

    /// A subject that an issuer speaks for. An issuer is a URL without a fragment, so no two pairs make
    /// the same text.
    pub fn of_subject(issuer: &str, subject: &str) -> Self {
        Self(format!("oauth:{issuer}#{subject}").into())
    }

    /// Whether an issuer speaks for it.
    pub fn is_subject(&self) -> bool {
        self.0.starts_with("oauth:")
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

/// How much of a session's id is shown.
const SHOWN_OF_SESSION: usize = 8;

/// One run of an agent, where there is such a thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(pub String);

impl SessionId {
    /// As a log shows it: enough to tell sessions apart, too little to be taken for the caller.
    pub fn shown(&self) -> &str {
        let end = self.0.floor_char_boundary(SHOWN_OF_SESSION);
        &self.0[..end]
    }
}

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    pub session: Option<SessionId>,
    /// The folder the caller works in.
    pub workspace: Arc<Path>,
    /// The program that calls, as it is known here.
    pub client: Option<String>,
    /// How it speaks, where it speaks over a connection.
    pub era: Option<Era>,
    pub requester: Requester,
    /// What its session changes about the command tools that let it.
    pub overrides: Option<Arc<SessionOverrides>>,
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
pub struct PeerLink(Arc<Mutex<Arc<PeerConnection>>>);

/// A TCP connection to us, and whoever was seen to hold its other end.
#[derive(Debug)]
pub struct PeerConnection {
    peer: SocketAddr,
    local: SocketAddr,
    is_known: AtomicBool,
    /// By number and start, with those above them that count as much.
    seen: OnceLock<Arc<[(u32, u64)]>>,
}

impl PeerConnection {
    /// The other end and ours.
    pub fn ends(&self) -> (SocketAddr, SocketAddr) {
        (self.peer, self.local)
    }

    /// Whether nobody asked this before: its processes are looked for once.
    pub fn is_new(&self) -> bool {
        !self.is_known.load(Ordering::Relaxed) && !self.is_known.swap(true, Ordering::Relaxed)
    }

    /// Who was seen at the other end; nothing where nobody looked or nobody was found.
    pub fn seen(&self) -> &[(u32, u64)] {
        self.seen.get().map_or(&[], |seen| seen)
    }

    /// Keeps who was found when it was looked for.
    pub fn keep_seen(&self, processes: Arc<[(u32, u64)]>) {
        let _ = self.seen.set(processes);
    }
}

impl PeerLink {
    pub fn new(peer: SocketAddr, local: SocketAddr) -> Self {
        let (is_known, seen) = (AtomicBool::default(), OnceLock::new());
        Self(Arc::new(Mutex::new(Arc::new(PeerConnection { peer, local, is_known, seen }))))
    }

    /// The one that it is now.
    pub fn connection(&self) -> Arc<PeerConnection> {
        Arc::clone(&self.0.lock())
    }

    /// One that begins where this is, and may be heard over others later.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self(Arc::new(Mutex::new(self.connection())))
    }

    /// Heard over that one now.
    pub fn moved_to(&self, other: &Self) {
        let connection = other.connection();
        *self.0.lock() = connection;
    }
}

impl Caller {
    /// Somebody of whom nothing else is known.
    pub fn new(principal: Principal, workspace: impl AsRef<Path>) -> Self {
        Self {
            principal,
            session: None,
            workspace: workspace.as_ref().into(),
            client: None,
            era: None,
            requester: Requester::Unknown,
            overrides: None,
        }
    }
}
