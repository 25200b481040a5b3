//! One server as it runs or not, for all hosts that share it: connected when somebody uses it,
//! stopped when nobody does, tried again when it fails, and what it has.
//!
//! It belongs to no host: what happens to it is told to all that have it, and what it may be used
//! for is decided by each of them. One session may have an instance of its own; lists then still
//! come from the shared one.

mod asking;
mod connecting;
mod describing;
mod ears;
mod flight;
mod ground;
mod instructing;
mod keeping;
mod key;
mod lifecycle;
mod listing;
mod live;
mod members;
mod performing;
mod pinning;
mod retiring;
mod sessions;
mod subscribing;

use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use toolgate_types::config::{Entry, Isolation, Server, Startup};
use toolgate_types::{HostEvent, ServerId, ServerState, Standing};
use toolgate_wire::Revision;

use self::flight::Flight;
use self::lifecycle::Lifecycle;
use self::live::Live;
use self::sessions::Sessions;
use self::subscribing::Subscriptions;
use crate::UpstreamError;
use crate::catalog::Catalog;
use crate::pool::PlaceId;

pub(crate) use ground::Ground;
pub(crate) use key::pool_key;
pub use listing::PATIENCE;
pub(crate) use live::Using;
pub(crate) use members::{Members, Seat};
pub(crate) use performing::own_attendant;
pub use retiring::Retiring;

/// How long the goodbye to a server may take.
const GRACE: Duration = Duration::from_secs(2);

/// A server that hosts share.
pub(crate) struct Instance {
    id: ServerId,
    entry: Entry<Server>,
    standing: Standing,
    ground: Ground,
    members: Arc<Members>,
    /// Of a session's own: the one whose lists are shown.
    shared: Option<Weak<Self>>,
    sessions: Sessions,
    state: Mutex<State>,
    subscriptions: watch::Sender<Subscriptions>,
    /// How many operations were begun, and how many are under way.
    performed: AtomicU64,
    under_way: AtomicUsize,
    me: Weak<Self>,
}

struct State {
    lifecycle: Lifecycle,
    live: Option<Arc<Live>>,
    attempt: Option<Flight<Result<Arc<Live>, UpstreamError>>>,
    fetches: [Option<Flight<Result<(), UpstreamError>>>; 4],
    catalog: Catalog,
    is_restored: bool,
    /// What it spoke, where that is known.
    hint: Option<Revision>,
    /// Counts connections, so that news of an old one is not taken for news of this one.
    serial: u64,
    /// No host has it any more: it is used to the end by those who do already.
    is_retired: bool,
    /// The one in whose place it is, while that one ends.
    predecessor: Option<Flight<()>>,
}

impl Instance {
    /// The entry has to be accepted; otherwise it is never opened.
    pub(crate) fn new(
        id: ServerId,
        entry: Entry<Server>,
        standing: Standing,
        ground: Ground,
    ) -> Arc<Self> {
        Self::make(id, entry, standing, ground, Arc::default(), None)
    }

    fn make(
        id: ServerId,
        entry: Entry<Server>,
        standing: Standing,
        ground: Ground,
        members: Arc<Members>,
        shared: Option<Weak<Self>>,
    ) -> Arc<Self> {
        let state = State {
            lifecycle: Lifecycle::default(),
            live: None,
            attempt: None,
            fetches: Default::default(),
            catalog: Catalog::default(),
            is_restored: false,
            hint: None,
            serial: 0,
            is_retired: false,
            predecessor: None,
        };
        Arc::new_cyclic(|me| Self {
            id,
            entry,
            standing,
            ground,
            members,
            shared,
            sessions: Sessions::default(),
            state: Mutex::new(state),
            subscriptions: watch::Sender::default(),
            performed: AtomicU64::new(0),
            under_way: AtomicUsize::new(0),
            me: me.clone(),
        })
    }

    pub(crate) fn members(&self) -> &Members {
        &self.members
    }

    /// Whether hosts of different workspaces may have it.
    pub(crate) fn is_of_machine(&self) -> bool {
        self.entry.value.isolation == Isolation::Machine
    }

    /// Whether it starts with its host and stays; a session's own never does.
    pub(crate) fn is_eager(&self) -> bool {
        let server = &self.entry.value;
        self.shared.is_none() && (server.startup == Startup::Eager || server.required)
    }

    /// Since when nobody uses what runs at this place of the pool.
    pub(crate) fn unused_since(&self, place: PlaceId) -> Option<Instant> {
        self.live_at(place)?.unused_since()
    }

    /// The process that runs at this place of the pool.
    pub(crate) fn pid_at(&self, place: PlaceId) -> Option<u32> {
        self.live_at(place)?.connection.pid()
    }

    fn live_at(&self, place: PlaceId) -> Option<Arc<Live>> {
        self.state().live.clone().filter(|live| live.place() == Some(place))
    }

    /// Its process, and what the tree of that took when it was last looked at.
    fn process(&self) -> Option<(u32, Option<u64>)> {
        let live = self.state().live.clone()?;
        let memory = live.place().and_then(|place| self.ground.pool.memory(place));
        Some((live.connection.pid()?, memory))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Changes are single assignments, so a panic elsewhere left it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who have it in which state it is now. Never called with the state locked.
    fn tell(&self) {
        let (word, error) = {
            let state = self.state();
            let word = state.lifecycle.state();
            let troubled = matches!(word, ServerState::Error | ServerState::AuthRequired);
            (word, state.lifecycle.last_error().filter(|_| troubled).map(str::to_owned))
        };
        self.members.tell(|| {
            let (server, error) = (self.id.clone(), error.clone());
            HostEvent::State { server, state: word, error }
        });
    }
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("id", &self.id).finish_non_exhaustive()
    }
}
