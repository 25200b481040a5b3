//! What a host is made of. Building one starts nothing and dials nothing.

mod event_forwarder;

use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use indexmap::IndexMap;
use sha2::{Digest as _, Sha256};
use toolgate_audit::CallJournal;
use toolgate_auth::login::ServerLogins;
use toolgate_guard::{Administrator, ApprovalQueue, Guard, StepAddress};
use toolgate_mask::Masker;
use toolgate_sandbox::EmbeddersWalls;
use toolgate_store::{ArtifactStore, AuditLog, ProjectRoot, Store};
use toolgate_types::config::{ApprovalMode, CommandTool, Config, Entry, Server, Transport};
use toolgate_types::{
    Acceptances, Asker, AuthProvider, BundleId, ConfigSource, Digest, Fingerprint, HostListener,
    Layer, LayerGrade, LogLevel, NoListener, NobodyToAsk, Origin, Principal, ServerId, Tool, Trust,
};
use toolgate_upstream::{
    Allowances, BuiltinByEntry, BuiltinServers, CredentialProviders, HelperPath, HostNumber,
    OwnToolServer, Pool, PoolBounds, ProcessSpawner, ServerSurroundings, command_server,
    serve_own_tools,
};

use crate::Host;
use crate::host::HostParts;
use crate::rulebook::{Rulebook, StepBundles, switch_off_forbidden};
use crate::servers::HostPool;
use event_forwarder::EventForwarder;

/// Collects what a host needs; everything has a default but the servers.
#[derive(Clone)]
pub struct HostBuilder {
    config: Config,
    acceptances: Acceptances,
    workspace: PathBuf,
    variables: BTreeMap<String, String>,
    masker: Option<Masker>,
    helper: HelperPath,
    walls: Option<Arc<dyn EmbeddersWalls>>,
    hidden: Vec<PathBuf>,
    packages: Option<PathBuf>,
    asker: Arc<dyn Asker>,
    listener: Arc<dyn HostListener>,
    store: Option<Arc<dyn Store>>,
    audit: Option<Arc<dyn AuditLog>>,
    artifacts: Option<Arc<dyn ArtifactStore>>,
    uses_snapshots: bool,
    providers: CredentialProviders,
    logins: Option<Arc<ServerLogins>>,
    builtins: BTreeMap<ServerId, BuiltinByEntry>,
    own_servers: IndexMap<ServerId, Entry<Server>>,
    guard: Guard,
    approvals: Option<ApprovalQueue>,
    principal: Principal,
    administrator: Option<Arc<Administrator>>,
    step_bundles: StepBundles,
    log_level: Option<LogLevel>,
    pool: Option<Pool>,
    number: Option<HostNumber>,
}

impl Default for HostBuilder {
    fn default() -> Self {
        Self {
            config: Config::default(),
            acceptances: Acceptances::default(),
            workspace: PathBuf::from("."),
            variables: BTreeMap::new(),
            masker: None,
            helper: HelperPath::current_exe(),
            walls: None,
            hidden: Vec::new(),
            packages: None,
            asker: Arc::new(NobodyToAsk),
            listener: Arc::new(NoListener),
            store: None,
            audit: None,
            artifacts: None,
            uses_snapshots: true,
            providers: CredentialProviders::new(),
            logins: None,
            builtins: BTreeMap::new(),
            own_servers: IndexMap::new(),
            guard: Guard::default(),
            approvals: None,
            principal: Principal::local_user(),
            administrator: None,
            step_bundles: Vec::new(),
            log_level: None,
            pool: None,
            number: None,
        }
    }
}

impl HostBuilder {
    /// The servers and the settings.
    pub fn config(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// What a person accepted of the project's own entries.
    pub fn acceptances(self, acceptances: Acceptances) -> Self {
        Self { acceptances, ..self }
    }

    /// The folder that local servers run in unless their entry names one.
    pub fn workspace(self, workspace: impl Into<PathBuf>) -> Self {
        Self { workspace: workspace.into(), ..self }
    }

    /// The environment that entries may take from. Without it they find no variable set.
    pub fn variables(self, variables: BTreeMap<String, String>) -> Self {
        Self { variables, ..self }
    }

    /// What masks secrets in errors and records. By default it knows those of the configuration and
    /// of the variables; who hosts only a part of a configuration gives one that knows all of it.
    pub fn masker(self, masker: Masker) -> Self {
        Self { masker: Some(masker), ..self }
    }

    /// Places that no confined process is shown, whatever its entry names: where the embedding program
    /// keeps what is its own.
    pub fn hidden_places(self, hidden: Vec<PathBuf>) -> Self {
        Self { hidden, ..self }
    }

    /// Where the packages of confined servers are kept that `npx` or `uvx` would fetch; it needs a store
    /// too. Without it there are no such servers.
    pub fn package_folder(self, folder: PathBuf) -> Self {
        Self { packages: Some(folder), ..self }
    }

    /// The program that watches over local servers: this one, if its `main` calls
    /// `toolgate_sandbox::init()` first, or another that does.
    pub fn helper(self, helper: HelperPath) -> Self {
        Self { helper, ..self }
    }

    /// Walls of the embedding program: asked before anything is started, and in the place of Toolgate's where
    /// they say so. Hosts with different ones share no pool.
    pub fn process_walls(self, walls: Arc<dyn EmbeddersWalls>) -> Self {
        Self { walls: Some(walls), ..self }
    }

    /// Who answers what servers ask in the middle of a call. Without one they are told that nobody
    /// does.
    pub fn asker(self, asker: Arc<dyn Asker>) -> Self {
        Self { asker, ..self }
    }

    /// Who is told what happens.
    pub fn listener(self, listener: Arc<dyn HostListener>) -> Self {
        Self { listener, ..self }
    }

    /// Where snapshots are kept, so that the next host answers before its servers run.
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Where calls are recorded; it needs a store too.
    pub fn audit(self, log: Arc<dyn AuditLog>) -> Self {
        Self { audit: Some(log), ..self }
    }

    /// Where results are kept that are too long to be passed on whole.
    pub fn artifacts(self, kept: Arc<dyn ArtifactStore>) -> Self {
        Self { artifacts: Some(kept), ..self }
    }

    /// Asks the servers themselves even where a snapshot would answer.
    pub fn live_only(self) -> Self {
        Self { uses_snapshots: false, ..self }
    }

    /// The logins of people at servers that want OAuth. Without them no server's login is used.
    pub fn logins(self, logins: Arc<ServerLogins>) -> Self {
        Self { logins: Some(logins), ..self }
    }

    /// Gives the credentials for the entries that name this id as their `auth_provider`. One of the same id
    /// in the configuration's `[auth_providers]` is not asked then.
    pub fn provider(mut self, id: impl Into<String>, provider: Arc<dyn AuthProvider>) -> Self {
        self.providers.insert(id.into(), provider);
        self
    }

    /// Serves this entry from the embedding program itself.
    pub fn builtin(self, id: ServerId, serve: BuiltinServers) -> Self {
        self.builtin_by_entry(id, Arc::new(move |_| Arc::clone(&serve)))
    }

    /// The same, where it depends on what the entry says.
    pub fn builtin_by_entry(mut self, id: ServerId, serve: BuiltinByEntry) -> Self {
        self.builtins.insert(id, serve);
        self
    }

    /// Adds tools of the embedding program itself, as a trusted server with this id: the same rules
    /// and records hold for them, and a person is asked as `approval` says. An entry of that id in
    /// the configuration takes the place of all this.
    pub fn own_tools(
        mut self,
        id: ServerId,
        approval: ApprovalMode,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Self {
        self.own_servers.insert(id.clone(), own_entry(&id, approval, &tools));
        self.builtin(id, serve_own_tools(OwnToolServer::new("own-tools", tools)))
    }

    /// Who decides what may be called; by default the rules of the configuration.
    pub fn guard(self, guard: Guard) -> Self {
        Self { guard, ..self }
    }

    /// Where calls wait for a person; shared by all hosts whose calls the same people answer. Without
    /// one a host has its own, which nobody looks at: only the caller itself can be asked.
    pub fn approvals(self, approvals: ApprovalQueue) -> Self {
        Self { approvals: Some(approvals), ..self }
    }

    /// For whom the servers run.
    pub fn principal(self, principal: Principal) -> Self {
        Self { principal, ..self }
    }

    /// What the administrator of the machine has laid down; nothing else can widen it.
    pub fn administrator(self, rules: Administrator) -> Self {
        Self { administrator: Some(Arc::new(rules)), ..self }
    }

    /// For one run: the bundles of one step of a workflow, in the place of what is configured for it.
    /// Every other step stays as it is. The bundles are those of the configuration, with everything
    /// that policies and the administrator say of them.
    pub fn step_bundles(mut self, step: StepAddress, bundles: Vec<BundleId>) -> Self {
        self.step_bundles.push((step, bundles));
        self
    }

    /// How much servers are asked to say of what they do.
    pub fn log_level(self, level: LogLevel) -> Self {
        Self { log_level: Some(level), ..self }
    }

    /// The servers that run already for other hosts of this program, and those of this one: what is
    /// the same runs once, and only so many at once. Without it a host has a pool of its own, as
    /// large as its configuration says.
    pub fn pool(self, pool: Pool) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Has the connections of that host as its own, those to remote servers too, which no other host
    /// shares. It is for the same principal, with the same variables.
    pub fn beside(self, host: &Host) -> Self {
        Self { number: Some(host.inner.world.number), ..self }
    }

    /// The host. Nothing is started: servers are when they are used, or by [`Host::start`].
    pub fn build(self) -> Host {
        let of_config = || Masker::of_config(&self.config, &self.variables);
        let masker = self.masker.unwrap_or_else(of_config);
        let journal = match (self.audit, &self.store) {
            (Some(log), Some(store)) => {
                let (listener, store) = (Arc::clone(&self.listener), Arc::clone(store));
                CallJournal::kept(listener, masker.clone(), log, store, self.config.audit.clone())
            }
            _ => CallJournal::telling(Arc::clone(&self.listener), masker.clone()),
        };
        let (listener, journal_of_events) = (Arc::clone(&self.listener), journal.clone());
        let hearing = EventForwarder { listener, masker, journal: journal_of_events };
        let approvals = self.approvals.unwrap_or_else(|| ApprovalQueue::new(self.store.clone()));
        let is_own = self.pool.is_none();
        let limits = &self.config.limits;
        let pool = self.pool.unwrap_or_else(|| Pool::new(PoolBounds::from(limits)));
        let workspace = std::path::absolute(&self.workspace).unwrap_or(self.workspace);
        let world = ServerSurroundings {
            number: self.number.unwrap_or_else(HostNumber::next),
            workspace: workspace.clone(),
            project: RwLock::new(project(&self.config)),
            second_look: RwLock::new(self.config.second_look.clone()),
            variables: RwLock::new(Arc::new(self.variables)),
            spawner: ProcessSpawner::new(self.helper).within(self.walls),
            hidden: self.hidden,
            packages: self.packages,
            asker: self.asker,
            listener: Arc::new(hearing),
            store: self.store,
            uses_snapshots: self.uses_snapshots,
            providers: self.providers,
            token_commands: RwLock::default(),
            logins: self.logins,
            builtins: self.builtins,
            allowances: Arc::new(Allowances::of(limits, self.artifacts.clone())),
            principal: self.principal.as_str().to_owned(),
            log_level: parking_lot::Mutex::new(self.log_level),
            callers_level: parking_lot::Mutex::default(),
            epoch: AtomicU64::new(0),
        };
        world.build_walls_by(&self.config.sandbox);
        world.replace_token_commands(&self.config.auth_providers);
        let mut config = self.config;
        let own_servers = self.own_servers;
        add_own(&mut config, &own_servers);
        add_commands(&mut config, &self.acceptances, self.administrator.as_deref());
        switch_off_forbidden(&mut config, self.administrator.as_deref());
        let (administrator, step_bundles) = (self.administrator, self.step_bundles);
        let rulebook =
            Rulebook::new(&config, &self.acceptances, administrator, workspace, &step_bundles);
        Host::new(HostParts {
            world: Arc::new(world),
            pool: HostPool { pool, is_own },
            guard: self.guard,
            approvals,
            journal,
            artifacts: self.artifacts,
            rulebook,
            config,
            own_servers,
            step_bundles,
            acceptances: &self.acceptances,
        })
    }
}

impl Host {
    /// Puts a host together.
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }
}

/// The embedding program's own servers, where the configuration has no entry for them.
pub(crate) fn add_own(config: &mut Config, own: &IndexMap<ServerId, Entry<Server>>) {
    for (id, entry) in own {
        config.servers.entry(id.clone()).or_insert_with(|| entry.clone());
    }
}

/// The command tools that may be offered, as a server of their own.
pub(crate) fn add_commands(
    config: &mut Config,
    acceptances: &Acceptances,
    administrator: Option<&Administrator>,
) {
    let permits = |tool: &CommandTool| administrator.is_none_or(|rules| rules.permits_tool(tool));
    if let Some(entry) = command_server(config, acceptances, permits) {
        config.servers.insert(ServerId::local(), entry);
        // It can be switched off as any server.
        let switched = config.switched.clone();
        config.switch(switched);
    }
}

fn own_entry(id: &ServerId, approval: ApprovalMode, tools: &[Arc<dyn Tool>]) -> Entry<Server> {
    let value = Server {
        declared_trust: Some(Trust::Trusted),
        approval: Some(approval),
        ..Server::new(Transport::Builtin)
    };
    let origin = Origin {
        layer: Layer::Runtime,
        grade: LayerGrade::Person,
        source: Arc::new(ConfigSource::Overrides),
        key: format!("servers.{id}"),
        line: 0,
    };
    // Other tools are another server: nothing that was known of these holds for those.
    let mut hash = Sha256::new();
    for tool in tools {
        for part in [tool.name(), tool.description(), tool.parameters().get()] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    }
    let fingerprint = Fingerprint { entry: Digest(hash.finalize().into()), files: BTreeMap::new() };
    Entry { value, origin, fingerprint, values: Vec::new() }
}

/// The project that a configuration is of, as the file system knows it now.
pub(crate) fn project(config: &Config) -> Option<ProjectRoot> {
    config.project_root.as_deref().and_then(|root| ProjectRoot::of(root).ok())
}

impl std::fmt::Debug for HostBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuilder").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}
