//! The host: its servers from start to end, and how they are doing.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockWriteGuard};

use tokio::task::JoinSet;
use toolgate_audit::Journal;
use toolgate_guard::{Desk, Guard};
use toolgate_store::Artifacts;
use toolgate_types::config::{Config, Limits};
use toolgate_types::{
    Acceptances, HostEvent, LogLevel, RoleId, ServerId, ServerState, ServerStatus, Tool,
};
use toolgate_upstream::{Upstream, World};

use crate::adapter::HostTool;
use crate::asking::Asking;
use crate::claims::KnownClaims;
use crate::rulebook::Rulebook;
use crate::servers::Servers;
use crate::view::Views;
use crate::{Audience, HostBuilder};

/// The most that is passed on of each line of a server's words about its trouble.
pub(crate) const TROUBLE_LINE: usize = 500;

/// All servers of one configuration, for one principal in one workspace. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) world: Arc<World>,
    pub(crate) servers: Servers,
    /// Replaced whole by a reload.
    rulebook: RwLock<Arc<Rulebook>>,
    pub(crate) guard: Guard,
    pub(crate) journal: Journal,
    pub(crate) artifacts: Option<Arc<dyn Artifacts>>,
    /// Whether what is too old was taken away in this run.
    pub(crate) is_pruned: AtomicBool,
    limits: RwLock<Arc<Limits>>,
    pub(crate) desk: Desk,
    asking: RwLock<Arc<Asking>>,
    pub(crate) views: Mutex<Views>,
    pub(crate) claims: Mutex<KnownClaims>,
}

/// A required server did not start; those that did were closed again.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the required server `{server}` did not start: {reason}")]
pub struct StartError {
    pub server: ServerId,
    pub reason: String,
}

impl Host {
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    pub(crate) fn new(
        world: Arc<World>,
        (guard, desk): (Guard, Desk),
        journal: Journal,
        artifacts: Option<Arc<dyn Artifacts>>,
        rulebook: Rulebook,
        config: Config,
        acceptances: &Acceptances,
    ) -> Self {
        let asking = RwLock::new(Arc::new(Asking::of(&config)));
        let servers = Servers::new(&world, config.servers, acceptances);
        let rulebook = RwLock::new(Arc::new(rulebook));
        let is_pruned = AtomicBool::new(false);
        let (limits, views) = (RwLock::new(Arc::new(config.limits)), Mutex::default());
        let claims = Mutex::default();
        Self {
            inner: Arc::new(Inner {
                world,
                servers,
                rulebook,
                guard,
                journal,
                artifacts,
                is_pruned,
                limits,
                desk,
                asking,
                views,
                claims,
            }),
        }
    }

    pub(crate) fn rulebook(&self) -> Arc<Rulebook> {
        Arc::clone(&self.inner.rulebook.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// To be replaced; nobody reads them meanwhile.
    pub(crate) fn rules(&self) -> RwLockWriteGuard<'_, Arc<Rulebook>> {
        self.inner.rulebook.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn limits(&self) -> Arc<Limits> {
        Arc::clone(&self.inner.limits.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace_limits(&self, limits: Limits) {
        let mut known = self.inner.limits.write().unwrap_or_else(PoisonError::into_inner);
        *known = Arc::new(limits);
    }

    pub(crate) fn asking(&self) -> Arc<Asking> {
        Arc::clone(&self.inner.asking.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace_asking(&self, asking: Asking) {
        let mut known = self.inner.asking.write().unwrap_or_else(PoisonError::into_inner);
        *known = Arc::new(asking);
    }

    /// Where calls wait for a person's answer.
    pub fn desk(&self) -> &Desk {
        &self.inner.desk
    }

    /// Starts the servers that are to run from the beginning, all at once. A failure is only that
    /// server's, unless it is required.
    pub async fn start(&self) -> Result<(), StartError> {
        let mut starting = JoinSet::new();
        for upstream in self.inner.servers.all().into_iter().filter(|upstream| upstream.is_eager())
        {
            if upstream.is_usable() {
                starting.spawn(async move { (upstream.connect().await, upstream) });
            }
        }
        let (mut ready, mut failed) = (Vec::new(), Vec::new());
        let mut missing = None;
        while let Some(started) = starting.join_next().await {
            let Ok((result, upstream)) = started else { continue };
            let server = upstream.id().clone();
            match result {
                Ok(()) => ready.push(server),
                Err(error) => {
                    let reason = self.trouble(&error.to_string());
                    if upstream.entry().value.required {
                        missing.get_or_insert(StartError {
                            server: server.clone(),
                            reason: reason.clone(),
                        });
                    }
                    failed.push((server, reason));
                }
            }
        }
        ready.sort();
        failed.sort();
        self.inner.world.listener.happened(HostEvent::StartupComplete { ready, failed });
        match missing {
            Some(error) => {
                self.close_all().await;
                Err(error)
            }
            None => Ok(()),
        }
    }

    /// The tools as an agent's core takes them. What is in the list stays as it is now.
    pub async fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let view = self.list_tools(&Audience::MODEL).await;
        let tools = view.tools().map(|entry| HostTool::new(self.clone(), Arc::clone(entry)));
        tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect()
    }

    /// Whether the configuration has such a role, and a person accepted it.
    pub fn has_role(&self, role: &RoleId) -> bool {
        self.rulebook().has_role(role)
    }

    /// How much the servers say of what they do, from now on.
    pub async fn set_log_level(&self, level: LogLevel) {
        let known = {
            let mut known =
                self.inner.world.log_level.lock().unwrap_or_else(PoisonError::into_inner);
            known.replace(level)
        };
        if known != Some(level) {
            for upstream in self.inner.servers.all() {
                upstream.tell_log_level().await;
            }
        }
    }

    /// How every server is doing, in the order of the configuration.
    pub fn status(&self) -> Vec<ServerStatus> {
        let masked = |upstream: &Arc<Upstream>| {
            let status = upstream.status();
            let last_error = status.last_error.map(|error| self.trouble(&error));
            ServerStatus { last_error, ..status }
        };
        self.inner.servers.all().iter().map(masked).collect()
    }

    /// Why a server cannot be used, in words that are often its own: it may repeat what it was given.
    fn trouble(&self, words: &str) -> String {
        self.inner.journal.masker().mask_and_cut(words, TROUBLE_LINE)
    }

    /// Ends the connection to one server, unless another host wants it too. An unknown one, or one that is not connected, is fine.
    pub async fn close(&self, server: &ServerId) {
        if let Some(upstream) = self.inner.servers.get(server) {
            upstream.close().await;
        }
    }

    /// Ends all connections, each on its own: one that hangs holds up no other, and waits until
    /// what was recorded is written. What another host wants too goes on. Using a server again opens
    /// it again.
    pub async fn close_all(&self) {
        let mut closing = JoinSet::new();
        for upstream in self.inner.servers.all() {
            closing.spawn(async move { upstream.close().await });
        }
        self.inner.servers.end_retiring().await;
        while closing.join_next().await.is_some() {}
        self.inner.journal.settle().await;
    }

    /// Waits until what was recorded is written.
    pub async fn settle(&self) {
        self.inner.journal.settle().await;
    }

    /// Connects to a server anew, whatever it did before.
    pub async fn reconnect(&self, server: &ServerId) -> Option<ServerState> {
        let upstream: Arc<Upstream> = self.inner.servers.get(server)?;
        let _ = upstream.reconnect().await;
        Some(upstream.status().state)
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("servers", &self.inner.servers.all()).finish_non_exhaustive()
    }
}
