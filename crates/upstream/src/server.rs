//! A configured server as one host has it: its entry, how far it is believed, and the instance that
//! serves it, which other hosts may have too.
//!
//! It decides nothing: whoever has something carried out brings the guard's proof. An entry that is
//! loaded anew is a new `Upstream`; where nothing changed, it has the instance of the old one.

mod commands;
mod connection_lease;
mod failure;
mod pins;
mod world;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use toolgate_guard::Permitted;
use toolgate_types::config::{Entry, Server, Startup};
use toolgate_types::{
    Digest, EntryStanding, ListKind, Operation, OperationOutcome, ServerId, ServerState,
    ServerStatus, SessionId, Trust,
};

use crate::catalog::CatalogListing;
use crate::instance::{
    HostSeat, ProcessGround, RetiringInstance, ServerInstance, own_attendant, pool_key,
};
use crate::{ListWait, OperationOptions, Pool};

pub use connection_lease::{ConnectionLease, ConnectionUser};
pub use failure::UpstreamError;
pub(crate) use failure::is_refusal;
pub use world::{Allowances, BuiltinByEntry, BuiltinServers, HostNumber, ServerSurroundings};

/// A configured server.
pub struct Upstream {
    id: ServerId,
    entry: Entry<Server>,
    standing: EntryStanding,
    world: Arc<ServerSurroundings>,
    pool: Pool,
    /// Nothing where it may not be reached at all.
    part: Option<InstancePart>,
    /// Known once somebody asked for it.
    rules_digest: OnceLock<Digest>,
}

/// A host's part in an instance.
struct InstancePart {
    instance: Arc<ServerInstance>,
    seat: Arc<HostSeat>,
}

impl Upstream {
    pub fn new(
        id: ServerId,
        entry: Entry<Server>,
        standing: EntryStanding,
        world: Arc<ServerSurroundings>,
        pool: &Pool,
    ) -> Arc<Self> {
        let is_usable = entry.value.enabled && matches!(standing, EntryStanding::Accepted(_));
        let part = is_usable.then(|| {
            let ground = ProcessGround::of(&world, pool, &id, &entry);
            let key = pool_key(&id, &entry, &ground, &world);
            let seat = HostSeat::new(&world);
            let instance = pool.join(key, &seat, || {
                ServerInstance::new(id.clone(), entry.clone(), standing.clone(), ground)
            });
            InstancePart { instance, seat }
        });
        let (pool, rules_digest) = (pool.clone(), OnceLock::new());
        Arc::new(Self { id, entry, standing, world, pool, part, rules_digest })
    }

    pub fn id(&self) -> &ServerId {
        &self.id
    }

    pub fn entry(&self) -> &Entry<Server> {
        &self.entry
    }

    pub fn standing(&self) -> &EntryStanding {
        &self.standing
    }

    /// The folder that its host is for.
    pub fn workspace(&self) -> &Path {
        &self.world.workspace
    }

    /// The hash of what its entry says that decides, worked out once: it does not change, and there are
    /// hundreds of servers.
    pub fn rules_digest(&self, hash: impl FnOnce() -> Digest) -> Digest {
        *self.rules_digest.get_or_init(hash)
    }

    /// How far it is believed; a server that is not accepted is not believed.
    pub fn trust(&self) -> Trust {
        match self.standing {
            EntryStanding::Accepted(trust) => trust,
            EntryStanding::Pending(_) => Trust::Untrusted,
        }
    }

    /// Whether it may be reached at all.
    pub fn is_usable(&self) -> bool {
        self.part.is_some()
    }

    /// Whether it starts with the host and stays.
    pub fn is_eager(&self) -> bool {
        self.entry.value.startup == Startup::Eager || self.entry.value.required
    }

    /// Whether both are served by the same instance, or by none.
    pub fn is_same_as(&self, other: &Self) -> bool {
        match (&self.part, &other.part) {
            (Some(one), Some(other)) => Arc::ptr_eq(&one.instance, &other.instance),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// How it is doing. It waits for nothing: not for the server, nor for anybody who does.
    pub fn status(&self) -> ServerStatus {
        let mut status = ServerStatus {
            id: self.id.clone(),
            state: self.state(),
            transport: self.entry.value.transport.as_str(),
            source: self.entry.origin.layer.as_str(),
            origin: self.entry.origin.to_string(),
            enabled: self.entry.value.enabled,
            isolation: self.entry.value.isolation,
            last_error: None,
            last_connected_at: None,
            retry_in: None,
            failures: 0,
            connection: None,
            tools: None,
            pid: None,
            processes: 0,
            memory_bytes: None,
            calls: 0,
            in_flight: 0,
        };
        if let Some(part) = &self.part {
            part.instance.describe(&mut status);
        }
        status
    }

    fn state(&self) -> ServerState {
        match (&self.standing, self.entry.value.enabled) {
            (_, false) => ServerState::Disabled,
            (EntryStanding::Pending(_), true) => ServerState::Pending,
            (EntryStanding::Accepted(_), true) => ServerState::Idle,
        }
    }

    /// Carries out what the guard permitted, with what is held for it.
    pub async fn perform(
        &self,
        held: &ConnectionLease,
        permitted: &Permitted<Operation>,
        manner: OperationOptions<'_>,
    ) -> Result<OperationOutcome, UpstreamError> {
        let mut manner = manner;
        if let Some(command) = manner.command.take() {
            // Boxed: few calls are of a command, and none should carry the size of one.
            let running = self.run_command(held, permitted, command, manner);
            return Box::pin(running).await;
        }
        let attendant = match manner.attendant {
            Some(attendant) => Some(attendant),
            // What it asks meanwhile is for this host and no other.
            None => held.instance.is_shared().then(|| own_attendant(&self.world)),
        };
        let log_level = manner.log_level.or(self.world.log_level());
        let manner = OperationOptions { attendant, log_level, ..manner };
        held.instance.perform(held, permitted, manner).await
    }

    /// Wants to hear when a resource changes. As often as it was wanted it must be given up.
    pub async fn subscribe(&self, permitted: Permitted<Operation>) -> Result<(), UpstreamError> {
        self.wanted()?.subscribe(permitted).await
    }

    /// No longer wants to hear of it.
    pub async fn unsubscribe(&self, permitted: Permitted<Operation>) -> Result<(), UpstreamError> {
        match &self.part {
            Some(part) => part.instance.unsubscribe(permitted).await,
            None => Ok(()),
        }
    }

    /// What is known of a list now, without asking anybody.
    pub fn known(&self, kind: ListKind) -> Option<Arc<CatalogListing>> {
        self.part.as_ref()?.instance.known(kind)
    }

    /// How long a list holds from when its server said it; nothing where it has none.
    pub fn list_ttl(&self, kind: ListKind) -> Option<Duration> {
        Some(self.part.as_ref()?.instance.list_ttl(kind))
    }

    /// Whether [`Self::refresh`] would have nothing to do.
    pub fn is_settled(&self, kind: ListKind) -> bool {
        self.part.as_ref().is_none_or(|part| part.instance.is_settled(kind))
    }

    /// Reads what earlier runs kept of it, where that was not done yet. Nothing is started.
    pub async fn recall(&self) {
        if let Some(part) = &self.part {
            part.instance.recall().await;
        }
    }

    /// What it may say of how to use it, as far as that is known now.
    pub fn instructions(&self) -> Option<String> {
        self.part.as_ref()?.instance.instructions()
    }

    /// Brings a list up to date where that is needed, as far as that can be waited for.
    pub async fn refresh(&self, kind: ListKind, wait: ListWait) {
        if let Ok(instance) = self.wanted() {
            instance.refresh(kind, wait).await;
        }
    }

    /// Connects unless it is connected. After failures, nothing is tried for a while.
    pub async fn connect(&self) -> Result<(), UpstreamError> {
        self.wanted()?.connect().await
    }

    /// Connects anew, whatever it did before. What others are using goes on to be used.
    pub async fn reconnect(&self) -> Result<(), UpstreamError> {
        let instance = self.wanted()?;
        match instance.is_shared() {
            true => instance.set_aside().await,
            false => instance.close_all().await,
        }
        instance.forgive();
        instance.connect().await
    }

    /// Ends the connection, if there is one and no other host wants it. It may be used again.
    pub async fn close(&self) {
        let Some(InstancePart { instance, seat }) = &self.part else { return };
        if seat.has_left() {
            return;
        }
        seat.want(false);
        if !instance.members().want_it() {
            instance.close_all().await;
        }
    }

    /// Ends what a session had for itself.
    pub async fn end_session(&self, session: &SessionId) {
        if let Some(part) = &self.part {
            part.instance.end_session(session).await;
        }
    }

    /// Tells a running server how much to say, after the host's own level changed.
    pub async fn tell_log_level(&self) {
        if let Some(part) = &self.part {
            part.instance.tell_log_level().await;
        }
    }

    /// The host does not have it any more: nobody begins to use it, and what is under way is done to
    /// its end. Where no other host has the instance, that ends too; it is given, to be waited for.
    pub fn retire(&self) -> Option<RetiringInstance> {
        let InstancePart { instance, seat } = self.part.as_ref()?;
        if seat.has_left() || !self.pool.leave(instance, seat) {
            return None;
        }
        Some(instance.retire())
    }

    /// It takes the place of another, which ends before this one is connected, unless it is in use.
    pub fn follow(&self, predecessor: &Self, retiring: Option<&RetiringInstance>) {
        let Some(part) = &self.part else { return };
        if let Some(retiring) = retiring {
            part.instance.follow(retiring);
        }
        part.seat.want(predecessor.part.as_ref().is_some_and(|part| part.seat.wants()));
    }

    /// Whether its host does not have it any more.
    pub fn is_retired(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.seat.has_left())
    }

    /// The instance, which is used from now on.
    fn wanted(&self) -> Result<&Arc<ServerInstance>, UpstreamError> {
        let Some(InstancePart { instance, seat }) = &self.part else {
            return Err(match &self.standing {
                EntryStanding::Pending(reason) if self.entry.value.enabled => {
                    UpstreamError::Pending(reason.clone())
                }
                _ => UpstreamError::Disabled,
            });
        };
        if seat.has_left() {
            return Err(UpstreamError::Closed);
        }
        if !seat.wants() {
            seat.want(true);
        }
        Ok(instance)
    }
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upstream").field("id", &self.id).finish_non_exhaustive()
    }
}
