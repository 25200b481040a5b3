//! From "somebody needs it" to a connection, once for all who need it at the same time.

use std::sync::Arc;
use std::time::SystemTime;

use tokio::time::{Instant, timeout};
use toolgate_types::{Accepted, HostEvent, ServerState, Standing};
use toolgate_wire::{Limits, Revision};

use super::ears::Ears;
use super::flight::Flight;
use super::live::Live;
use super::{GRACE, State, Upstream, UpstreamError};
use crate::{ConnectError, Connection, Opening};

impl Upstream {
    /// Connects unless it is connected. After failures, nothing is tried for a while.
    pub async fn connect(&self) -> Result<(), UpstreamError> {
        self.connected().await.map(|_| ())
    }

    /// Connects anew, whatever it did before.
    pub async fn reconnect(&self) -> Result<(), UpstreamError> {
        self.close().await;
        self.state().lifecycle.forgive();
        self.connect().await
    }

    /// Ends the connection, if there is one. It may be used again.
    pub async fn close(&self) {
        let (live, was_open) = {
            let mut state = self.state();
            state.serial += 1;
            let attempt = state.attempt.take();
            if let Some(attempt) = &attempt {
                attempt.break_off();
            }
            let live = state.live.take();
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
            part_with(&live).await;
        }
    }

    /// Ends it for good.
    pub async fn remove(&self) {
        self.state().is_removed = true;
        self.close().await;
        self.world.changed();
    }

    pub(super) async fn connected(&self) -> Result<Arc<Live>, UpstreamError> {
        let (attempt, is_new) = {
            let mut state = self.state();
            if let Some(live) = self.open_connection(&mut state)? {
                return Ok(live);
            }
            match &state.attempt {
                Some(attempt) => (attempt.clone(), false),
                None => (self.begin(&mut state)?, true),
            }
        };
        if is_new {
            self.tell();
        }
        attempt.landed().await.unwrap_or(Err(UpstreamError::Closed))
    }

    fn open_connection(&self, state: &mut State) -> Result<Option<Arc<Live>>, UpstreamError> {
        if !self.entry.value.enabled {
            return Err(UpstreamError::Disabled);
        }
        if let Standing::Pending(reason) = &self.standing {
            return Err(UpstreamError::Pending(reason.clone()));
        }
        if state.is_removed {
            return Err(UpstreamError::Closed);
        }
        match &state.live {
            Some(live) => match live.connection.ended() {
                None => Ok(Some(Arc::clone(live))),
                // Its end is told in a moment; whoever comes first takes note of it.
                Some(reason) => {
                    state.lifecycle.lost(Instant::now(), reason);
                    state.live = None;
                    Ok(None)
                }
            },
            None => Ok(None),
        }
    }

    fn begin(
        &self,
        state: &mut State,
    ) -> Result<Flight<Result<Arc<Live>, UpstreamError>>, UpstreamError> {
        let lifecycle = &mut state.lifecycle;
        if let Some(retry_in) = lifecycle.retry_in(Instant::now()) {
            let last_error = lifecycle.last_error().unwrap_or_default().to_owned();
            let wants_login = lifecycle.state() == ServerState::AuthRequired;
            return Err(UpstreamError::Waiting { retry_in, last_error, wants_login });
        }
        lifecycle.connecting();
        state.serial += 1;
        let (me, serial) = (self.me.clone(), state.serial);
        let attempt = Flight::begin(async move {
            match me.upgrade() {
                Some(upstream) => upstream.attempt(serial).await,
                None => Err(UpstreamError::Closed),
            }
        });
        state.attempt = Some(attempt.clone());
        Ok(attempt)
    }

    async fn attempt(self: Arc<Self>, serial: u64) -> Result<Arc<Live>, UpstreamError> {
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
                if let Ok(connection) = opened {
                    connection.close(GRACE).await;
                }
                return Err(UpstreamError::Closed);
            }
        };
        self.tell();
        match &result {
            Ok(live) => {
                self.remember(live.connection.handshake().revision).await;
                self.watch_over(live);
            }
            Err(UpstreamError::Connect(ConnectError::Unauthorized { .. })) => {
                let server = self.id.clone();
                self.world.listener.happened(HostEvent::LoginNeeded { server });
            }
            Err(_) => self.revive(),
        }
        result
    }

    fn settle(
        &self,
        state: &mut State,
        opened: Result<Connection, ConnectError>,
        serial: u64,
    ) -> Result<Arc<Live>, UpstreamError> {
        let now = Instant::now();
        match opened {
            Ok(connection) => {
                state.lifecycle.connected(now, SystemTime::now());
                state.hint = Some(connection.handshake().revision);
                state.catalog.reconnected();
                let live = Arc::new(Live::new(connection, serial));
                state.live = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(error) => {
                match &error {
                    ConnectError::Unauthorized { .. } => {
                        state.lifecycle.login_needed(now, error.to_string());
                    }
                    // It ended however it was spoken to; next time it is started once and not
                    // twice. Where that was wrong, it is asked anew.
                    ConnectError::Ended { .. } => {
                        state.hint = Some(Revision::NEWEST_LEGACY);
                        state.lifecycle.failed(now, error.to_string());
                    }
                    _ => state.lifecycle.failed(now, error.to_string()),
                }
                Err(UpstreamError::Connect(error))
            }
        }
    }

    async fn open(&self, serial: u64) -> Result<Connection, ConnectError> {
        let server = Accepted::new(&self.entry.value, &self.standing)
            .map_err(|reason| ConnectError::Setup { message: reason.to_string(), hint: None })?;
        let world = &*self.world;
        let opening = Opening {
            id: &self.id,
            server,
            workspace: &world.workspace,
            variables: &world.variables,
            spawner: &world.spawner,
            asker: Arc::clone(&world.asker),
            events: Arc::new(Ears { upstream: self.me.clone(), serial }),
            known: self.known_revision().await,
            limits: Limits { bytes: world.message_bytes, ..Limits::DEFAULT },
            providers: &world.providers,
        };
        match world.builtins.get(&self.id) {
            Some(serve) => opening.over_pipe(serve()).await,
            None => opening.open_heard(Some(self.hear())).await,
        }
    }

    async fn known_revision(&self) -> Option<Revision> {
        let hint = self.state().hint;
        if hint.is_some() {
            return hint;
        }
        let store = self.world.store.as_ref()?;
        let kept = store.revision_of(self.entry.fingerprint.entry).await.ok()??;
        kept.parse().ok()
    }

    async fn remember(&self, revision: Revision) {
        if let Some(store) = &self.world.store {
            // What is kept saves a question; without it the server is asked.
            let _ = store.keep_revision(self.entry.fingerprint.entry, revision.as_str()).await;
        }
    }
}

/// Says goodbye within bounds, whatever the server does.
pub(super) async fn part_with(live: &Live) {
    let _ = timeout(GRACE * 3, live.connection.close(GRACE)).await;
}

/// The same once nobody waits for an answer any more: what one request met may be its own.
pub(super) async fn part_when_unused(live: &Live) {
    live.is_unused().await;
    part_with(live).await;
}
