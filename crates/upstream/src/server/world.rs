//! What all servers of one host share: where they run, who is asked, who listens, what is kept.

use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indexmap::IndexMap;
use tokio::io::DuplexStream;
use toolgate_auth::login::ServerLogins;
use toolgate_sandbox::{ProcessSpawner, SandboxGround};
use toolgate_store::{ArtifactStore, ProjectRoot, Store};
use toolgate_types::config::{
    Entry, LimitsSection, SandboxSection, SecondLook, Server, TokenCommand,
};
use toolgate_types::{Asker, HostListener, LogLevel, ServerId};

use crate::{CredentialProviders, SpillPlace, TokenCommandProviders};

/// Serves one more connection in our own process, and gives our end of it.
pub type BuiltinServers = Arc<dyn Fn() -> DuplexStream + Send + Sync>;

/// The same for an entry as it stands now: a load may bring another.
pub type BuiltinByEntry = Arc<dyn Fn(&Entry<Server>) -> BuiltinServers + Send + Sync>;

/// The surroundings of a host's servers.
pub struct ServerSurroundings {
    pub number: HostNumber,
    /// The folder that local processes run in unless their entry names one; absolute.
    pub workspace: PathBuf,
    /// The project whose entries a load brought, where that is another folder than the workspace;
    /// each load may bring another.
    pub project: RwLock<Option<ProjectRoot>>,
    /// Who looks at files of that project before something of it is started.
    pub second_look: RwLock<Option<Arc<dyn SecondLook>>>,
    /// The environment that entries may take from; each load may bring another.
    pub variables: RwLock<Arc<BTreeMap<String, String>>>,
    pub spawner: ProcessSpawner,
    /// What no confined process is shown.
    pub hidden: Vec<PathBuf>,
    pub asker: Arc<dyn Asker>,
    pub listener: Arc<dyn HostListener>,
    /// Where snapshots, eras and pins are kept; without one nothing is remembered, nor held to
    /// its word.
    pub store: Option<Arc<dyn Store>>,
    /// Where the packages of servers that are made of some are kept.
    pub packages: Option<PathBuf>,
    /// Whether a snapshot may answer before a server runs. It is written either way.
    pub uses_snapshots: bool,
    /// Those that the embedding program brings.
    pub providers: CredentialProviders,
    /// Those that are the person's own programs; each load may bring others.
    pub token_commands: RwLock<TokenCommandProviders>,
    /// The logins that servers may use; without them there are none.
    pub logins: Option<Arc<ServerLogins>>,
    pub builtins: BTreeMap<ServerId, BuiltinByEntry>,
    pub allowances: Arc<Allowances>,
    /// For whom the servers run; snapshots of one are never shown to another.
    pub principal: String,
    /// How much every operation asks servers to say.
    pub log_level: Mutex<Option<LogLevel>>,
    /// The lowest level that any of the host's callers wants to hear. It is told to servers that have one
    /// for all; no other caller's operations go by it.
    pub callers_level: Mutex<Option<LogLevel>>,
    /// How often anything in any catalog changed.
    pub epoch: AtomicU64,
}

impl ServerSurroundings {
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Something that a list depends on is no longer as it was.
    pub fn changed(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// The project as it was last given.
    pub fn project(&self) -> Option<ProjectRoot> {
        self.project.read().clone()
    }

    /// Another project, for entries that are loaded from now on.
    pub fn replace_project(&self, project: Option<ProjectRoot>) {
        *self.project.write() = project;
    }

    /// Another second look, for entries that are loaded from now on.
    pub fn replace_second_look(&self, look: Option<Arc<dyn SecondLook>>) {
        *self.second_look.write() = look;
    }

    /// What walls around processes that are started from now on are built by.
    pub fn build_walls_by(&self, section: &SandboxSection) {
        let hidden = self.hidden.clone();
        self.spawner.stand_on(SandboxGround::by(section, &self.variables(), hidden));
    }

    /// The environment as it was last given.
    pub fn variables(&self) -> Arc<BTreeMap<String, String>> {
        Arc::clone(&self.variables.read())
    }

    /// Another environment, for entries that are loaded from now on.
    pub fn replace_variables(&self, variables: BTreeMap<String, String>) {
        let mut known = self.variables.write();
        *known = Arc::new(variables);
    }

    /// The person's own programs that give tokens, for entries that are loaded from now on. One that did
    /// not change keeps what it gave.
    pub fn replace_token_commands(&self, configured: &IndexMap<String, TokenCommand>) {
        let mut known = self.token_commands.write();
        *known = known.replaced(configured, &self.spawner, &self.variables());
    }

    /// Everybody who gives credentials; the embedding program's own go first.
    pub(crate) fn credential_providers(&self) -> CredentialProviders {
        let mut all = self.token_commands.read().providers();
        all.extend(self.providers.iter().map(|(id, one)| (id.clone(), Arc::clone(one))));
        all
    }

    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        *self.log_level.lock()
    }

    /// The lowest that it or anybody behind it wants.
    pub(crate) fn lowest_level(&self) -> Option<LogLevel> {
        let wanted = [self.log_level(), *self.callers_level.lock()];
        LogLevel::ALL.iter().copied().find(|level| wanted.contains(&Some(*level)))
    }
}

impl std::fmt::Debug for ServerSurroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerSurroundings")
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// Tells the hosts of one process apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostNumber(u64);

impl HostNumber {
    /// One that no other host has.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

/// What may be set anew while servers run: it holds from the next connection, or list, on.
pub struct Allowances {
    measures: RwLock<Measures>,
    /// Where answers that are too long to hold can go.
    artifacts: Option<Arc<dyn ArtifactStore>>,
}

#[derive(Debug, Clone, Copy)]
struct Measures {
    message_bytes: usize,
    spill: (u64, &'static str),
    list_ttl: Duration,
}

impl Allowances {
    pub fn of(limits: &LimitsSection, artifacts: Option<Arc<dyn ArtifactStore>>) -> Self {
        Self { measures: RwLock::new(Measures::of(limits)), artifacts }
    }

    pub fn replace(&self, limits: &LimitsSection) {
        *self.measures.write() = Measures::of(limits);
    }

    /// The longest message that is held.
    pub(crate) fn message_bytes(&self) -> usize {
        self.measures.read().message_bytes
    }

    /// Where longer answers go.
    pub(crate) fn spill(&self) -> Option<SpillPlace> {
        let store = Arc::clone(self.artifacts.as_ref()?);
        let (most, setting) = self.measures.read().spill;
        Some(SpillPlace { store, most, setting })
    }

    /// How long a list holds when its server does not say.
    pub(crate) fn list_ttl(&self) -> Duration {
        self.measures.read().list_ttl
    }
}

impl std::fmt::Debug for Allowances {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Allowances").field(&*self.measures.read()).finish()
    }
}

impl Measures {
    fn of(limits: &LimitsSection) -> Self {
        let most = (limits.result_spill_bytes, "limits.result_spill_bytes");
        // What would be pruned at once is not kept.
        let all = (limits.artifact_bytes, "limits.artifact_bytes");
        Self {
            message_bytes: usize::try_from(limits.message_bytes).unwrap_or(usize::MAX),
            spill: if all.0 < most.0 { all } else { most },
            list_ttl: limits.tools_ttl.duration(),
        }
    }
}
