//! The host: its servers from start to end, and how they are doing.

use parking_lot::{Mutex, RwLock, RwLockWriteGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use indexmap::IndexMap;
use tokio::task::JoinSet;
use tokio::time::timeout;
use toolgate_audit::CallJournal;
use toolgate_guard::{ActingAs, ApprovalQueue, Guard};
use toolgate_store::ArtifactStore;
use toolgate_types::config::{Config, Entry, LimitsSection, Server};
use toolgate_types::{
    Acceptances, HostEvent, LogLevel, RoleId, ServerId, ServerState, ServerStatus,
};
use toolgate_upstream::{ServerSurroundings, Upstream};

use crate::AudienceAddress;
use crate::approval_channels::ApprovalChannels;
use crate::call::ParkedCalls;
use crate::claims::KnownClaims;
use crate::exposure::ExposureDecisions;
use crate::named_servers::NamedServers;
use crate::past_success::PastSuccess;
use crate::rulebook::{Rulebook, StepBundles};
use crate::selections::Selections;
use crate::servers::{HostPool, HostServers};
use crate::view::LastViews;

/// The most that is passed on of each line of a server's words about its trouble.
pub(crate) const TROUBLE_LINE: usize = 500;

/// All servers of one configuration, for one principal in one workspace. Cheap to clone.
#[derive(Clone)]
pub struct Host {
    pub(crate) inner: Arc<HostInner>,
}

pub(crate) struct HostInner {
    pub(crate) world: Arc<ServerSurroundings>,
    pub(crate) servers: HostServers,
    pub(crate) own_servers: IndexMap<ServerId, Entry<Server>>,
    pub(crate) step_bundles: StepBundles,
    /// Replaced whole by a reload.
    rulebook: RwLock<Arc<Rulebook>>,
    pub(crate) guard: Guard,
    pub(crate) journal: CallJournal,
    pub(crate) artifacts: Option<Arc<dyn ArtifactStore>>,
    /// Whether what is too old was taken away in this run.
    pub(crate) is_pruned: AtomicBool,
    /// How much of the disk results take that pass from there.
    pub(crate) passing: Arc<AtomicU64>,
    limits: RwLock<Arc<LimitsSection>>,
    pub(crate) approvals: ApprovalQueue,
    asking: RwLock<Arc<ApprovalChannels>>,
    notice: RwLock<Option<String>>,
    pub(crate) views: Mutex<LastViews>,
    pub(crate) selections: Mutex<Selections>,
    pub(crate) named: Mutex<NamedServers>,
    pub(crate) exposures: Mutex<ExposureDecisions>,
    pub(crate) claims: Mutex<KnownClaims>,
    pub(crate) parked: ParkedCalls,
    pub(crate) past_success: PastSuccess,
}

/// What a host is made of.
pub(crate) struct HostParts<'a> {
    pub(crate) world: Arc<ServerSurroundings>,
    pub(crate) pool: HostPool,
    pub(crate) guard: Guard,
    pub(crate) approvals: ApprovalQueue,
    pub(crate) journal: CallJournal,
    pub(crate) artifacts: Option<Arc<dyn ArtifactStore>>,
    pub(crate) rulebook: Rulebook,
    pub(crate) config: Config,
    /// The embedding program's own.
    pub(crate) own_servers: IndexMap<ServerId, Entry<Server>>,
    pub(crate) step_bundles: StepBundles,
    pub(crate) acceptances: &'a Acceptances,
}

/// A required server did not start; those that did were closed again.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the required server `{server}` did not start: {reason}")]
pub struct StartError {
    /// Which one.
    pub server: ServerId,
    /// Why, in a sentence.
    pub reason: String,
}

impl Host {
    pub(crate) fn new(parts: HostParts<'_>) -> Self {
        let HostParts {
            world, pool, guard, approvals, journal, artifacts, rulebook, config, ..
        } = parts;
        let asking = ApprovalChannels::of(&config);
        let servers = HostServers::new(&world, pool, config.servers, parts.acceptances);
        Self {
            inner: Arc::new(HostInner {
                world,
                servers,
                own_servers: parts.own_servers,
                step_bundles: parts.step_bundles,
                rulebook: RwLock::new(Arc::new(rulebook)),
                guard,
                journal,
                artifacts,
                is_pruned: AtomicBool::new(false),
                passing: Arc::default(),
                limits: RwLock::new(Arc::new(config.limits)),
                approvals,
                asking: RwLock::new(Arc::new(asking)),
                notice: RwLock::new(config.notice),
                views: Mutex::default(),
                selections: Mutex::default(),
                named: Mutex::default(),
                exposures: Mutex::default(),
                claims: Mutex::default(),
                parked: ParkedCalls::default(),
                past_success: PastSuccess::default(),
            }),
        }
    }

    pub(crate) fn rulebook(&self) -> Arc<Rulebook> {
        Arc::clone(&self.inner.rulebook.read())
    }

    /// To be replaced; nobody reads them meanwhile.
    pub(crate) fn rules(&self) -> RwLockWriteGuard<'_, Arc<Rulebook>> {
        self.inner.rulebook.write()
    }

    pub(crate) fn limits(&self) -> Arc<LimitsSection> {
        Arc::clone(&self.inner.limits.read())
    }

    pub(crate) fn replace_limits(&self, limits: LimitsSection) {
        let mut known = self.inner.limits.write();
        *known = Arc::new(limits);
    }

    pub(crate) fn asking(&self) -> Arc<ApprovalChannels> {
        Arc::clone(&self.inner.asking.read())
    }

    pub(crate) fn replace_asking(&self, asking: ApprovalChannels) {
        let mut known = self.inner.asking.write();
        *known = Arc::new(asking);
    }

    pub(crate) fn replace_notice(&self, notice: Option<String>) {
        let mut known = self.inner.notice.write();
        *known = notice;
    }

    /// What agents are to be told before anything else: that something of the configuration could
    /// not be read.
    pub fn notice(&self) -> Option<String> {
        self.inner.notice.read().clone()
    }

    /// Where calls wait for a person's answer.
    pub fn approvals(&self) -> &ApprovalQueue {
        &self.inner.approvals
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

    /// Whether the configuration has such a role, and a person accepted it. Where some of it could
    /// not be read, any role may be in that: who takes one sees nothing, and is told why.
    pub fn has_role(&self, role: &RoleId) -> bool {
        self.notice().is_some() || self.rulebook().has_role(role)
    }

    /// The same of what a caller acts as. A step that is not mapped is there, and shows nothing; its
    /// workflow must have steps for its role. A part of a step has bundles of that step alone.
    pub fn has_acting(&self, acting: &ActingAs) -> bool {
        match acting {
            ActingAs::Role(role) => self.has_role(role),
            ActingAs::Step(step) => self.notice().is_some() || self.rulebook().has_step_role(step),
            ActingAs::StepPart(step, bundles) => {
                self.notice().is_some() || self.rulebook().has_step_bundles(step, bundles)
            }
        }
    }

    /// Whether an address may be narrowed to this server: one that is configured, accepted and enabled,
    /// off by a switch or not, and that the address has anything to do with.
    pub fn has_server_at(&self, address: &AudienceAddress, server: &ServerId) -> bool {
        let upstream = self.inner.servers.get(server);
        let rulebook = self.rulebook();
        let is_there = upstream.is_some_and(|one| one.is_usable() || rulebook.is_off(server));
        is_there && rulebook.leads_to(address, server)
    }

    /// How much the servers say of what they do, from now on, to whomever.
    pub async fn set_log_level(&self, level: LogLevel) {
        let known = {
            let mut known = self.inner.world.log_level.lock();
            known.replace(level)
        };
        if known != Some(level) {
            self.tell_log_level().await;
        }
    }

    /// The lowest level that any of its callers wants, nothing where none does. A server of the older
    /// era has one for all; what each caller hears, and what a modern server is asked, is with each
    /// operation.
    pub async fn set_callers_log_level(&self, lowest: Option<LogLevel>) {
        let known = std::mem::replace(&mut *self.inner.world.callers_level.lock(), lowest);
        if known != lowest {
            self.tell_log_level().await;
        }
    }

    /// All at once; one that hangs is not waited for.
    async fn tell_log_level(&self) {
        let mut telling = JoinSet::new();
        for upstream in self.inner.servers.all() {
            telling.spawn(async move { upstream.tell_log_level().await });
        }
        let told = async { while telling.join_next().await.is_some() {} };
        let is_late = timeout(self.limits().list_wait.duration(), told).await.is_err();
        if is_late {
            telling.detach_all();
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

    /// The servers at an address whose things are there once somebody has logged in.
    pub fn wanting_login(&self, address: &AudienceAddress) -> Vec<ServerStatus> {
        let rulebook = self.rulebook();
        let all = self.status().into_iter();
        let wanting = all.filter(|status| status.state == ServerState::AuthRequired);
        wanting.filter(|status| rulebook.leads_to(address, &status.id)).collect()
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

    /// Whether a call of it waits for its caller to come back.
    pub fn has_parked_calls(&self) -> bool {
        self.inner.parked.is_any()
    }

    /// Whether this is the very same one.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// How many records of its calls wait to be written.
    pub fn records_waiting(&self) -> usize {
        self.inner.journal.waiting()
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
