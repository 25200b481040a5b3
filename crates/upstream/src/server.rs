//! One configured server over time: connected when it is used, stopped when it is not, tried again
//! when it fails, and what it has.
//!
//! It decides nothing: whoever has something carried out brings the guard's proof. A changed entry
//! is a new `Upstream`; the old one is closed first.

mod connecting;
mod ears;
mod failure;
mod flight;
mod keeping;
mod key;
mod lifecycle;
mod listing;
mod live;
mod subscribing;
mod world;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use toolgate_guard::Permitted;
use toolgate_types::config::{Entry, Server, Startup};
use toolgate_types::{
    HostEvent, ListKind, Operation, Outcome, ServerId, ServerState, ServerStatus, Standing, Trust,
};
use toolgate_wire::{RawObject, Revision, Splice};

use self::flight::Flight;
use self::lifecycle::Lifecycle;
use self::live::Live;
use self::subscribing::Subscriptions;
use crate::catalog::Catalog;
use crate::{Attendant, HttpFailure, Manner, RequestError};

pub use failure::UpstreamError;
pub use listing::PATIENCE;
pub use world::{Builtin, World};

/// How long the goodbye to a server may take.
const GRACE: Duration = Duration::from_secs(2);

/// A configured server.
pub struct Upstream {
    id: ServerId,
    entry: Entry<Server>,
    standing: Standing,
    world: Arc<World>,
    state: Mutex<State>,
    subscriptions: watch::Sender<Subscriptions>,
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
    is_removed: bool,
}

impl Upstream {
    pub fn new(
        id: ServerId,
        entry: Entry<Server>,
        standing: Standing,
        world: Arc<World>,
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
            is_removed: false,
        };
        Arc::new_cyclic(|me| Self {
            id,
            entry,
            standing,
            world,
            state: Mutex::new(state),
            subscriptions: watch::Sender::default(),
            me: me.clone(),
        })
    }

    pub fn id(&self) -> &ServerId {
        &self.id
    }

    pub fn entry(&self) -> &Entry<Server> {
        &self.entry
    }

    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Whether this entry would make the same server: as written, and what it resolves to.
    pub fn is_for(&self, entry: &Entry<Server>, standing: &Standing) -> bool {
        // Compared and thrown away, so the key of the hash guards nothing.
        let resolved = |entry| key::snapshot_key(&[0; 32], entry, &self.world);
        self.standing == *standing
            && self.entry.value.enabled == entry.value.enabled
            && resolved(&self.entry) == resolved(entry)
    }

    /// How far it is believed; a server that is not accepted is not believed.
    pub fn trust(&self) -> Trust {
        match self.standing {
            Standing::Accepted(trust) => trust,
            Standing::Pending(_) => Trust::Untrusted,
        }
    }

    /// Whether it may be reached at all.
    pub fn is_usable(&self) -> bool {
        self.entry.value.enabled && matches!(self.standing, Standing::Accepted(_))
    }

    /// Whether it starts with the host and stays.
    pub fn is_eager(&self) -> bool {
        self.entry.value.startup == Startup::Eager || self.entry.value.required
    }

    pub fn status(&self) -> ServerStatus {
        let state = self.state();
        let lifecycle = &state.lifecycle;
        ServerStatus {
            id: self.id.clone(),
            state: self.state_word(&state),
            transport: self.entry.value.transport.as_str(),
            last_error: lifecycle.last_error().map(str::to_owned),
            last_connected_at: lifecycle.last_connected_at(),
            retry_in: lifecycle.retry_in(Instant::now()),
            failures: lifecycle.failures(),
            connection: state.live.as_ref().map(|live| live.spoken()),
            tools: state.catalog.known(ListKind::Tools).map(|tools| tools.items.len()),
        }
    }

    /// Carries out what the guard permitted, connecting first where there is no connection.
    pub async fn perform(
        &self,
        permitted: &Permitted<Operation>,
        manner: Manner<'_>,
    ) -> Result<Outcome, UpstreamError> {
        let live = self.connected().await?;
        let _in_use = live.in_use();
        let _alone = match live.connection.is_confused() {
            true => Some(live.alone.lock().await),
            false => None,
        };
        let attendant = manner.attendant.map(|one| self.permitted_to_ask(one));
        let manner = Manner { attendant, ..manner };
        let manner = Manner { log_level: manner.log_level.or(self.world.log_level()), ..manner };
        let outcome = live.connection.perform(permitted, manner).await;
        if let Err(error) = &outcome {
            self.take_note(&live, error);
        }
        Ok(outcome?)
    }

    /// A caller's model is offered only to servers that may use it.
    fn permitted_to_ask(&self, attendant: Attendant) -> Attendant {
        let may_sample = self.entry.value.sampling;
        let own = attendant.capabilities.as_deref().filter(|_| !may_sample);
        let Some(read) = own.and_then(|raw| RawObject::parse(raw).ok()) else { return attendant };
        let mut without = Splice::of(&read);
        without.remove("sampling");
        match without.to_raw() {
            Ok(capabilities) => Attendant { capabilities: Some(capabilities.into()), ..attendant },
            Err(_) => Attendant { capabilities: None, ..attendant },
        }
    }

    /// What an error says about the server and not only about the request.
    fn take_note(&self, live: &Live, error: &RequestError) {
        match error {
            RequestError::Unauthorized { .. } => self.needs_login(live.serial, error.to_string()),
            // An answer that broke off says nothing about the next one.
            RequestError::Http(HttpFailure::Lost) => {}
            RequestError::Closed(_) | RequestError::SessionLost | RequestError::Http(_) => {
                self.lost(live.serial, error.to_string());
            }
            _ => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Changes are single assignments, so a panic elsewhere left it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state_word(&self, state: &State) -> ServerState {
        match (&self.standing, self.entry.value.enabled) {
            (_, false) => ServerState::Disabled,
            (Standing::Pending(_), true) => ServerState::Pending,
            (Standing::Accepted(_), true) => state.lifecycle.state(),
        }
    }

    /// Tells the listener in which state it is now. Never called with the state locked.
    fn tell(&self) {
        let event = {
            let state = self.state();
            let word = self.state_word(&state);
            let troubled = matches!(word, ServerState::Error | ServerState::AuthRequired);
            let error = state.lifecycle.last_error().filter(|_| troubled).map(str::to_owned);
            HostEvent::State { server: self.id.clone(), state: word, error }
        };
        self.world.listener.happened(event);
    }
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upstream").field("id", &self.id).finish_non_exhaustive()
    }
}
