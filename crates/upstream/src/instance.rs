//! One server as it runs or not, for all hosts that share it: connected when somebody uses it,
//! stopped when nobody does, tried again when it fails, and what it has.
//!
//! It belongs to no host: what happens to it is told to all that have it, and what it may be used
//! for is decided by each of them. One session may have an instance of its own; lists then still
//! come from the shared one.

mod change_streams;
mod connect;
mod describe;
mod ears;
mod fetch_lists;
mod flight;
mod ground;
mod hosts_asked;
mod instructions;
mod keep_lists;
mod key;
mod lifecycle;
mod live;
mod log_connection;
mod members;
mod older_connection;
mod perform;
mod retire;
mod server_pins;
mod sessions;
mod subscriptions;
mod watch_connection;

use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{OnceCell, watch};
use tokio::time::Instant;
use toolgate_types::config::{Entry, Isolation, Server, Startup};
use toolgate_types::{EntryStanding, HostEvent, ServerId, ServerState};
use toolgate_wire::ProtocolRevision;

use self::change_streams::HeardChanges;
use self::flight::SharedFlight;
use self::lifecycle::InstanceLifecycle;
use self::live::LiveConnection;
use self::older_connection::OlderConnection;
use self::sessions::SessionInstances;
use self::subscriptions::Subscriptions;
use crate::UpstreamError;
use crate::catalog::{KnownInstructions, ServerCatalog};
use crate::pool::PoolSlotId;

pub use fetch_lists::PATIENCE;
pub(crate) use ground::ProcessGround;
pub(crate) use key::pool_key;
pub(crate) use live::ConnectionUse;
pub(crate) use members::{HostSeat, InstanceMembers};
pub(crate) use perform::own_attendant;
pub use retire::RetiringInstance;

/// How long the goodbye to a server may take.
const GRACE: Duration = Duration::from_secs(2);

/// A server that hosts share.
pub(crate) struct ServerInstance {
    id: ServerId,
    entry: Entry<Server>,
    standing: EntryStanding,
    ground: ProcessGround,
    members: Arc<InstanceMembers>,
    /// Of a session's own: the one whose lists are shown.
    shared: Option<Weak<Self>>,
    sessions: SessionInstances,
    state: Mutex<InstanceState>,
    /// What an earlier run kept is read once, and whoever wants to know waits for that.
    restored: OnceCell<()>,
    subscriptions: watch::Sender<Subscriptions>,
    /// What a modern server said that it tells.
    heard: watch::Sender<HeardChanges>,
    older: OlderConnection,
    /// How many operations were begun, and how many are under way.
    performed: AtomicU64,
    under_way: AtomicUsize,
    me: Weak<Self>,
}

struct InstanceState {
    lifecycle: InstanceLifecycle,
    live: Option<Arc<LiveConnection>>,
    attempt: Option<SharedFlight<Result<Arc<LiveConnection>, UpstreamError>>>,
    fetches: [Option<SharedFlight<Result<(), UpstreamError>>>; 4],
    catalog: ServerCatalog,
    instructions: KnownInstructions,
    /// What an earlier run kept was read.
    is_restored: bool,
    /// When it was last heard of while it was being started.
    last_sign: Option<Instant>,
    /// What the program of the one caller can do whose it is.
    callers: Option<Arc<RawValue>>,
    /// What it spoke, where that is known.
    hint: Option<ProtocolRevision>,
    /// Counts connections, so that news of an old one is not taken for news of this one.
    serial: u64,
    /// No host has it any more: it is used to the end by those who do already.
    is_retired: bool,
    /// The one in whose place it is, while that one ends.
    predecessor: Option<SharedFlight<()>>,
    /// How the logins were when the server last wanted one.
    logins_then: Option<u128>,
}

impl ServerInstance {
    /// The entry has to be accepted; otherwise it is never opened.
    pub(crate) fn new(
        id: ServerId,
        entry: Entry<Server>,
        standing: EntryStanding,
        ground: ProcessGround,
    ) -> Arc<Self> {
        Self::make(id, entry, standing, ground, Arc::default(), None)
    }

    fn make(
        id: ServerId,
        entry: Entry<Server>,
        standing: EntryStanding,
        ground: ProcessGround,
        members: Arc<InstanceMembers>,
        shared: Option<Weak<Self>>,
    ) -> Arc<Self> {
        let state = InstanceState {
            lifecycle: InstanceLifecycle::default(),
            live: None,
            attempt: None,
            fetches: Default::default(),
            catalog: ServerCatalog::default(),
            instructions: KnownInstructions::default(),
            is_restored: false,
            last_sign: None,
            callers: None,
            hint: None,
            serial: 0,
            is_retired: false,
            predecessor: None,
            logins_then: None,
        };
        Arc::new_cyclic(|me| Self {
            id,
            entry,
            standing,
            ground,
            members,
            shared,
            sessions: SessionInstances::default(),
            state: Mutex::new(state),
            restored: OnceCell::new(),
            subscriptions: watch::Sender::default(),
            heard: watch::Sender::default(),
            older: OlderConnection::default(),
            performed: AtomicU64::new(0),
            under_way: AtomicUsize::new(0),
            me: me.clone(),
        })
    }

    pub(crate) fn id(&self) -> &ServerId {
        &self.id
    }

    pub(crate) fn members(&self) -> &InstanceMembers {
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
    pub(crate) fn unused_since(&self, place: PoolSlotId) -> Option<Instant> {
        self.live_at(place)?.unused_since()
    }

    /// The process that runs at this place of the pool.
    pub(crate) fn pid_at(&self, place: PoolSlotId) -> Option<u32> {
        self.live_at(place)?.connection.pid()
    }

    fn live_at(&self, place: PoolSlotId) -> Option<Arc<LiveConnection>> {
        self.state().live.clone().filter(|live| live.place() == Some(place))
    }

    /// Its process, and what the tree of that took when it was last looked at.
    fn process(&self) -> Option<(u32, Option<u64>)> {
        let live = self.state().live.clone()?;
        let memory = live.place().and_then(|place| self.ground.pool.memory(place));
        Some((live.connection.pid()?, memory))
    }

    fn state(&self) -> MutexGuard<'_, InstanceState> {
        // Changes are single assignments, so a panic elsewhere left it whole.
        self.state.lock()
    }

    /// Tells those who have it in which state it is now. Never called with the state locked.
    fn tell(&self) {
        let (word, error) = {
            let state = self.state();
            let word = state.lifecycle.state();
            let troubled = matches!(
                word,
                ServerState::Error | ServerState::AuthRequired | ServerState::RegistrationRequired
            );
            (word, state.lifecycle.last_error().filter(|_| troubled).map(str::to_owned))
        };
        self.members.tell(|| {
            let (server, error) = (self.id.clone(), error.clone());
            HostEvent::State { server, state: word, error }
        });
    }
}

impl std::fmt::Debug for ServerInstance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerInstance").field("id", &self.id).finish_non_exhaustive()
    }
}
