//! From "somebody needs it" to a connection, once for all who need it at the same time.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, timeout};
use toolgate_types::config::{Server, Transport};
use toolgate_types::{Accepted, EventSink, HostEvent, ServerState, visible};
use toolgate_wire::{MessageLimits, ProtocolRevision};
use tracing::debug;

use super::ears::{ConnectionListener, OlderListener};
use super::flight::SharedFlight;
use super::hosts_asked::HostsAsked;
use super::live::{ConnectionUse, LiveConnection};
use super::{GRACE, InstanceState, ServerInstance};
use crate::pool::PoolSlot;
use crate::{ConnectError, ServerOpening, UpstreamConnection, UpstreamError};

/// How often a connection may be ended by others between being opened and being used.
const TRIES: usize = 5;

/// A server that is to stay and found no room looks for it again after so long.
const ROOM_AGAIN: Duration = Duration::from_secs(5);

type ConnectionAttempt = SharedFlight<Result<Arc<LiveConnection>, UpstreamError>>;

/// What there is for somebody who needs a connection.
enum FoundConnection {
    Open(Arc<LiveConnection>),
    Attempt { attempt: ConnectionAttempt, is_new: bool },
}

impl ServerInstance {
    /// Connects unless it is connected. After failures, nothing is tried for a while.
    pub(crate) async fn connect(&self) -> Result<(), UpstreamError> {
        self.connected().await.map(|_| ())
    }

    /// Lets it be tried at once, whatever it did before.
    pub(crate) fn forgive(&self) {
        self.state().lifecycle.forgive();
    }

    /// A connection that is not ended as long as the answer is held.
    pub(crate) async fn using(&self) -> Result<ConnectionUse, UpstreamError> {
        for _ in 0..TRIES {
            if let Some(using) = self.connected().await?.begin() {
                return Ok(using);
            }
        }
        Err(UpstreamError::Closed)
    }

    /// Ends the connection, if there is one. It may be used again.
    pub(crate) async fn close(&self) {
        let (live, was_open) = {
            let mut state = self.state();
            state.serial += 1;
            let attempt = state.attempt.take();
            if let Some(attempt) = &attempt {
                attempt.break_off();
            }
            let live = state.live.take();
            if let Some(live) = &live {
                live.end();
            }
            let was_open = live.is_some() || attempt.is_some();
            if was_open {
                state.lifecycle.stopped(Instant::now());
            }
            (live, was_open)
        };
        if was_open {
            self.tell();
        }
        if let Some(live) = live {
            self.log_end(live.serial, "nobody wants it any more");
            part_with(&live).await;
        }
        self.close_older().await;
    }

    pub(super) async fn connected(&self) -> Result<Arc<LiveConnection>, UpstreamError> {
        let (found, was_lost) = {
            let mut state = self.state();
            let before = state.live.as_ref().map(|live| live.serial);
            let found = self.find_or_begin(&mut state);
            (found, before.filter(|_| state.live.is_none()))
        };
        if let Some(serial) = was_lost {
            self.log_end(serial, "it was lost");
            self.log_back_off();
        }
        let (attempt, is_new) = match found? {
            FoundConnection::Open(live) => return Ok(live),
            FoundConnection::Attempt { attempt, is_new } => (attempt, is_new),
        };
        if is_new {
            self.tell();
        }
        attempt.landed().await.unwrap_or(Err(UpstreamError::Closed))
    }

    /// Another one whenever somebody logged in or out, in whichever process.
    pub(super) fn logins_state(&self) -> Option<u128> {
        self.ground.login.as_ref().map(|login| login.logins.vault().state(&login.holder))
    }

    /// Whether it waits for a login, and somebody logged in meanwhile, here or in another process.
    pub(super) fn has_new_login(&self, state: &InstanceState) -> bool {
        state.lifecycle.wants_login() && state.logins_then != self.logins_state()
    }

    fn find_or_begin(&self, state: &mut InstanceState) -> Result<FoundConnection, UpstreamError> {
        if let Some(live) = self.open_connection(state)? {
            return Ok(FoundConnection::Open(live));
        }
        let (attempt, is_new) = match &state.attempt {
            Some(attempt) => (attempt.clone(), false),
            None => (self.begin(state)?, true),
        };
        Ok(FoundConnection::Attempt { attempt, is_new })
    }

    fn open_connection(
        &self,
        state: &mut InstanceState,
    ) -> Result<Option<Arc<LiveConnection>>, UpstreamError> {
        if state.is_retired {
            return Err(UpstreamError::Closed);
        }
        match &state.live {
            Some(live) => match live.connection.ended() {
                None => Ok(Some(Arc::clone(live))),
                // Its end is told in a moment; whoever comes first takes note of it.
                Some(reason) => {
                    state.lifecycle.lost(Instant::now(), reason, live.answered());
                    state.live = None;
                    Ok(None)
                }
            },
            None => Ok(None),
        }
    }

    fn begin(&self, state: &mut InstanceState) -> Result<ConnectionAttempt, UpstreamError> {
        if self.has_new_login(state) {
            state.lifecycle.forgive();
        }
        let lifecycle = &mut state.lifecycle;
        if let Some(retry_in) = lifecycle.retry_in(Instant::now()) {
            let last_error = lifecycle.last_error().unwrap_or_default().to_owned();
            let wants_login = lifecycle.wants_login();
            return Err(UpstreamError::Waiting { retry_in, last_error, wants_login });
        }
        if lifecycle.state() == ServerState::Error {
            self.ground.pool.restarted(&self.id);
        }
        lifecycle.connecting();
        state.last_sign = Some(Instant::now());
        state.serial += 1;
        let (me, serial) = (self.me.clone(), state.serial);
        let attempt = SharedFlight::begin(async move {
            match me.upgrade() {
                Some(instance) => instance.attempt(serial).await,
                None => Err(UpstreamError::Closed),
            }
        });
        state.attempt = Some(attempt.clone());
        Ok(attempt)
    }

    async fn attempt(self: Arc<Self>, serial: u64) -> Result<Arc<LiveConnection>, UpstreamError> {
        let opened = self.open(serial).await;
        let result = {
            let mut state = self.state();
            if state.serial == serial {
                state.attempt = None;
                Ok(self.settle(&mut state, opened, serial))
            } else {
                Err(opened)
            }
        };
        let result = match result {
            Ok(result) => result,
            // It was closed meanwhile: nobody wants it any more.
            Err(opened) => {
                debug!(server = self.id.as_str(), "connection given up while it was opened");
                if let Ok((connection, _place)) = opened {
                    connection.close(GRACE).await;
                }
                return Err(UpstreamError::Closed);
            }
        };
        if let Ok(live) = &result {
            self.hold_instructions(live).await;
        }
        self.log_attempt(&result);
        self.tell();
        match &result {
            Ok(live) => {
                self.remember(live.connection.handshake().revision).await;
                self.watch_over(live);
                if live.place().is_some() {
                    // How much it takes is known from now on; nobody waits for that.
                    let pool = self.ground.pool.clone();
                    tokio::spawn(async move { pool.measure(Duration::ZERO).await });
                }
            }
            Err(UpstreamError::Connect(ConnectError::Unauthorized { .. })) => {
                self.members.tell(|| HostEvent::LoginNeeded { server: self.id.clone() });
            }
            Err(UpstreamError::Full(_)) => self.revive(ROOM_AGAIN),
            Err(_) => self.revive(Duration::ZERO),
        }
        result
    }

    fn settle(
        &self,
        state: &mut InstanceState,
        opened: Result<(UpstreamConnection, Option<PoolSlot>), UpstreamError>,
        serial: u64,
    ) -> Result<Arc<LiveConnection>, UpstreamError> {
        let now = Instant::now();
        match opened {
            Ok((connection, place)) => {
                state.lifecycle.connected(now, SystemTime::now());
                state.last_sign = Some(now);
                state.hint = Some(connection.handshake().revision);
                state.catalog.reconnected();
                let live = Arc::new(LiveConnection::new(connection, serial, place));
                state.live = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(error) => {
                match &error {
                    // Nothing was tried, and it is no fault of the server.
                    UpstreamError::Full(full) => state.lifecycle.not_tried(full.to_string()),
                    UpstreamError::Connect(ConnectError::Unauthorized {
                        registration: Some(_),
                        ..
                    }) => {
                        state.logins_then = self.logins_state();
                        state.lifecycle.registration_needed(now, error.to_string());
                    }
                    UpstreamError::Connect(ConnectError::Unauthorized { .. }) => {
                        state.logins_then = self.logins_state();
                        state.lifecycle.login_needed(now, error.to_string());
                    }
                    // Nobody can log in, and a token is not given while it waits: it is tried as rarely.
                    UpstreamError::Connect(
                        ConnectError::NoLogin { .. } | ConnectError::BadLogin(_),
                    ) => {
                        state.logins_then = self.logins_state();
                        state.lifecycle.login_needed(now, error.to_string());
                    }
                    // It ended however it was spoken to; next time it is started once and not
                    // twice. Where that was wrong, it is asked anew.
                    UpstreamError::Connect(ConnectError::Ended { .. }) => {
                        state.hint = Some(ProtocolRevision::NEWEST_LEGACY);
                        state.lifecycle.failed(now, error.to_string());
                    }
                    _ => state.lifecycle.failed(now, error.to_string()),
                }
                Err(error)
            }
        }
    }

    /// Opens it, a local process at its place among those that run.
    async fn open(
        &self,
        serial: u64,
    ) -> Result<(UpstreamConnection, Option<PoolSlot>), UpstreamError> {
        let predecessor = self.state().predecessor.take();
        if let Some(predecessor) = predecessor {
            predecessor.landed().await;
        }
        let ground = &self.ground;
        let is_process = matches!(self.entry.value.transport, Transport::Stdio(_));
        let place = match self.me.upgrade().filter(|_| is_process && ground.serve.is_none()) {
            Some(me) => Some(ground.pool.enter(&me).await?),
            None => None,
        };
        let opened = self.opened(serial).await.map_err(UpstreamError::Connect)?;
        Ok((opened, place))
    }

    async fn opened(&self, serial: u64) -> Result<UpstreamConnection, ConnectError> {
        let server = Accepted::new(&self.entry.value, &self.standing)
            .map_err(|reason| ConnectError::Setup { message: reason.to_string(), hint: None })?;
        let ground = &self.ground;
        // Accepted was the entry with these files as they were.
        if let Some(file) = ground.second_look.as_ref().and_then(|look| look.changed(&self.entry)) {
            return Err(ConnectError::Changed(visible(&file)));
        }
        let events = Arc::new(ConnectionListener { instance: self.me.clone(), serial });
        let opening = self.opening(server, events, self.known_revision().await);
        match &ground.serve {
            Some(serve) => opening.over_pipe(serve()).await,
            None => opening.open_heard(Some(self.hear())).await,
        }
    }

    /// Beside the connection that there is.
    pub(super) async fn open_in_older_era(&self) -> Result<UpstreamConnection, ConnectError> {
        let server = Accepted::new(&self.entry.value, &self.standing)
            .map_err(|reason| ConnectError::Setup { message: reason.to_string(), hint: None })?;
        let events = Arc::new(OlderListener(self.me.clone()));
        self.opening(server, events, None).open_in_older_era().await
    }

    fn opening<'a>(
        &'a self,
        server: Accepted<'a, Server>,
        events: Arc<dyn EventSink>,
        known: Option<ProtocolRevision>,
    ) -> ServerOpening<'a> {
        let ground = &self.ground;
        ServerOpening {
            id: &self.id,
            server,
            workspace: &ground.folder,
            variables: &ground.variables,
            spawner: &ground.spawner,
            asker: Arc::new(HostsAsked(self.me.clone())),
            events,
            known,
            callers: self.state().callers.clone(),
            limits: MessageLimits {
                bytes: ground.allowances.message_bytes(),
                ..MessageLimits::DEFAULT
            },
            spill: ground.allowances.spill(),
            providers: &ground.providers,
            login: ground.login.clone(),
            packages: ground.packages(),
        }
    }

    async fn known_revision(&self) -> Option<ProtocolRevision> {
        let hint = self.state().hint;
        if hint.is_some() {
            return hint;
        }
        let store = self.ground.store.as_ref()?;
        let kept = store.revision_of(self.entry.fingerprint.entry).await;
        if let Err(error) = &kept {
            debug!(server = self.id.as_str(), %error, "what it spoke the last time cannot be read");
        }
        kept.ok()??.parse().ok()
    }

    async fn remember(&self, revision: ProtocolRevision) {
        if let Some(store) = &self.ground.store {
            // What is kept saves a question; without it the server is asked.
            let _ = store.keep_revision(self.entry.fingerprint.entry, revision.as_str()).await;
        }
    }
}

/// Says goodbye within bounds, whatever the server does.
pub(super) async fn part_with(live: &LiveConnection) {
    let _ = timeout(GRACE * 3, live.connection.close(GRACE)).await;
}

/// The same once nobody waits for an answer any more: what one request met may be its own.
pub(super) async fn part_when_unused(live: &LiveConnection) {
    live.is_unused().await;
    part_with(live).await;
}
