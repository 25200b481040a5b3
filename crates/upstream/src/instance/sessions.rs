//! The instances that sessions have for themselves: one process each, started when it is first
//! called, and ended with the session.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::time::Instant;
use toolgate_types::SessionId;
use toolgate_types::config::{Isolation, Transport};

use super::ServerInstance;

/// By session.
#[derive(Default)]
pub(super) struct SessionInstances(Mutex<HashMap<SessionId, Arc<ServerInstance>>>);

impl SessionInstances {
    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<ServerInstance>>> {
        self.0.lock()
    }

    pub(super) fn take(&self) -> Vec<Arc<ServerInstance>> {
        self.all().drain().map(|(_, instance)| instance).collect()
    }

    pub(super) fn list(&self) -> Vec<Arc<ServerInstance>> {
        self.all().values().cloned().collect()
    }
}

impl ServerInstance {
    /// The instance that serves a session: its own where the entry says so, else the shared one.
    /// That one is told which extensions its caller's program knows, and what it tries out: a server
    /// that others share has been told already.
    pub(crate) fn serving(
        self: &Arc<Self>,
        session: Option<&SessionId>,
        capabilities: Option<&Arc<RawValue>>,
    ) -> Arc<Self> {
        let is_process = matches!(self.entry.value.transport, Transport::Stdio(_));
        let has_own = is_process && self.entry.value.isolation == Isolation::Session;
        let Some(session) = session.filter(|_| has_own) else { return Arc::clone(self) };
        let mut all = self.sessions.all();
        if let Some(instance) = all.get(session) {
            return Arc::clone(instance);
        }
        // Sessions whose end nobody told are forgotten when theirs has been stopped.
        all.retain(|_, instance| instance.is_worth_keeping());
        let instance = Self::make(
            self.id.clone(),
            self.entry.clone(),
            self.standing.clone(),
            self.ground.clone(),
            Arc::clone(&self.members),
            Some(Arc::downgrade(self)),
        );
        {
            // What the shared one learnt about the era is true of this one.
            let (shared, mut own) = (self.state(), instance.state());
            (own.hint, own.is_retired) = (shared.hint, shared.is_retired);
            own.callers = capabilities.cloned();
        }
        all.insert(session.clone(), Arc::clone(&instance));
        instance
    }

    fn is_worth_keeping(&self) -> bool {
        let state = self.state();
        let must_wait = state.lifecycle.retry_in(Instant::now()).is_some();
        state.live.is_some() || state.attempt.is_some() || must_wait
    }

    /// Ends what a session had for itself, whatever it is doing: nobody waits for that any more.
    pub(crate) async fn end_session(&self, session: &SessionId) {
        let instance = self.sessions.all().remove(session);
        if let Some(instance) = instance {
            instance.close().await;
        }
    }
}
