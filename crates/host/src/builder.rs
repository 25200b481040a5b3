//! What a host is made of. Building one starts nothing and dials nothing.

mod hearing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use toolgate_audit::Journal;
use toolgate_guard::{Administrator, Desk, Guard};
use toolgate_mask::Masker;
use toolgate_store::{Artifacts, AuditLog, ProjectRoot, Store};
use toolgate_types::config::Config;
use toolgate_types::{
    Acceptances, Asker, AuthProvider, HostListener, LogLevel, Nobody, Principal, ServerId, Unheard,
};
use toolgate_upstream::{
    Allowances, Bounds, Builtin, HelperPath, HostNumber, Pool, Providers, Spawner, World,
};

use crate::Host;
use crate::rulebook::{Rulebook, switch_off_forbidden};
use hearing::Hearing;

/// Collects what a host needs; everything has a default but the servers.
#[derive(Clone)]
pub struct HostBuilder {
    config: Config,
    acceptances: Acceptances,
    workspace: PathBuf,
    variables: BTreeMap<String, String>,
    masker: Option<Masker>,
    helper: HelperPath,
    asker: Arc<dyn Asker>,
    listener: Arc<dyn HostListener>,
    store: Option<Arc<dyn Store>>,
    audit: Option<Arc<dyn AuditLog>>,
    artifacts: Option<Arc<dyn Artifacts>>,
    uses_snapshots: bool,
    providers: Providers,
    builtins: BTreeMap<ServerId, Builtin>,
    guard: Guard,
    desk: Option<Desk>,
    principal: Principal,
    administrator: Option<Arc<Administrator>>,
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
            asker: Arc::new(Nobody),
            listener: Arc::new(Unheard),
            store: None,
            audit: None,
            artifacts: None,
            uses_snapshots: true,
            providers: Providers::new(),
            builtins: BTreeMap::new(),
            guard: Guard::default(),
            desk: None,
            principal: Principal::local_user(),
            administrator: None,
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

    /// The program that watches over local servers: this one, if its `main` calls
    /// `toolgate_sandbox::init()` first, or another that does.
    pub fn helper(self, helper: HelperPath) -> Self {
        Self { helper, ..self }
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
    pub fn artifacts(self, kept: Arc<dyn Artifacts>) -> Self {
        Self { artifacts: Some(kept), ..self }
    }

    /// Asks the servers themselves even where a snapshot would answer.
    pub fn live_only(self) -> Self {
        Self { uses_snapshots: false, ..self }
    }

    /// Gives the credentials for the entries that name this id as their `auth_provider`.
    pub fn provider(mut self, id: impl Into<String>, provider: Arc<dyn AuthProvider>) -> Self {
        self.providers.insert(id.into(), provider);
        self
    }

    /// Serves this entry from the embedding program itself.
    pub fn builtin(mut self, id: ServerId, serve: Builtin) -> Self {
        self.builtins.insert(id, serve);
        self
    }

    /// Who decides what may be called; by default the rules of the configuration.
    pub fn guard(self, guard: Guard) -> Self {
        Self { guard, ..self }
    }

    /// Where calls wait for a person; shared by all hosts whose calls the same people answer. Without
    /// one a host has its own, which nobody looks at: only the caller itself can be asked.
    pub fn desk(self, desk: Desk) -> Self {
        Self { desk: Some(desk), ..self }
    }

    /// For whom the servers run.
    pub fn principal(self, principal: Principal) -> Self {
        Self { principal, ..self }
    }

    /// What the administrator of the machine has laid down; nothing else can widen it.
    pub fn administrator(self, rules: Administrator) -> Self {
        Self { administrator: Some(Arc::new(rules)), ..self }
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

    pub fn build(self) -> Host {
        let of_config = || Masker::of_config(&self.config, &self.variables);
        let masker = self.masker.unwrap_or_else(of_config);
        let hearing = Hearing { listener: Arc::clone(&self.listener), masker: masker.clone() };
        let journal = match (self.audit, &self.store) {
            (Some(log), Some(store)) => {
                let (listener, store) = (Arc::clone(&self.listener), Arc::clone(store));
                Journal::kept(listener, masker, log, store, self.config.audit.clone())
            }
            _ => Journal::telling(Arc::clone(&self.listener), masker),
        };
        let desk = self.desk.unwrap_or_else(|| Desk::new(self.store.clone()));
        let owns_pool = self.pool.is_none();
        let limits = &self.config.limits;
        let pool = self.pool.unwrap_or_else(|| Pool::new(Bounds::from(limits)));
        let workspace = std::path::absolute(&self.workspace).unwrap_or(self.workspace);
        let world = World {
            number: self.number.unwrap_or_else(HostNumber::next),
            workspace: workspace.clone(),
            project: RwLock::new(project(&self.config)),
            second_look: RwLock::new(self.config.second_look.clone()),
            variables: RwLock::new(Arc::new(self.variables)),
            spawner: Spawner::new(self.helper),
            asker: self.asker,
            listener: Arc::new(hearing),
            store: self.store,
            uses_snapshots: self.uses_snapshots,
            providers: self.providers,
            builtins: self.builtins,
            allowances: Arc::new(Allowances::of(limits)),
            principal: self.principal.as_str().to_owned(),
            log_level: std::sync::Mutex::new(self.log_level),
            epoch: AtomicU64::new(0),
            pool,
            owns_pool,
        };
        let mut config = self.config;
        switch_off_forbidden(&mut config, self.administrator.as_deref());
        let rulebook = Rulebook::new(&config, &self.acceptances, self.administrator, workspace);
        let world = Arc::new(world);
        let (guards, kept) = ((self.guard, desk), self.artifacts);
        Host::new(world, guards, journal, kept, rulebook, config, &self.acceptances)
    }
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
