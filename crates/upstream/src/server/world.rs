//! What all servers of one host share: where they run, who is asked, who listens, what is kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use tokio::io::DuplexStream;
use toolgate_sandbox::Spawner;
use toolgate_store::{ProjectRoot, Store};
use toolgate_types::config::{Limits, SecondLook};
use toolgate_types::{Asker, HostListener, LogLevel, ServerId};

use crate::{Pool, Providers};

/// Serves one more connection in our own process, and gives our end of it.
pub type Builtin = Arc<dyn Fn() -> DuplexStream + Send + Sync>;

/// The surroundings of a host's servers.
pub struct World {
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
    pub spawner: Spawner,
    pub asker: Arc<dyn Asker>,
    pub listener: Arc<dyn HostListener>,
    /// Where snapshots, eras and pins are kept; without one nothing is remembered, nor held to
    /// its word.
    pub store: Option<Arc<dyn Store>>,
    /// Whether a snapshot may answer before a server runs. It is written either way.
    pub uses_snapshots: bool,
    pub providers: Providers,
    pub builtins: BTreeMap<ServerId, Builtin>,
    pub allowances: Arc<Allowances>,
    /// For whom the servers run; snapshots of one are never shown to another.
    pub principal: String,
    pub log_level: Mutex<Option<LogLevel>>,
    /// How often anything in any catalog changed.
    pub epoch: AtomicU64,
    /// The servers of this host and of others.
    pub pool: Pool,
    /// Whether no other host has that pool, so that this one says how large it is.
    pub owns_pool: bool,
}

impl World {
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Something that a list depends on is no longer as it was.
    pub fn changed(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// The project as it was last given.
    pub fn project(&self) -> Option<ProjectRoot> {
        self.project.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Another project, for entries that are loaded from now on.
    pub fn replace_project(&self, project: Option<ProjectRoot>) {
        *self.project.write().unwrap_or_else(PoisonError::into_inner) = project;
    }

    /// Another second look, for entries that are loaded from now on.
    pub fn replace_second_look(&self, look: Option<Arc<dyn SecondLook>>) {
        *self.second_look.write().unwrap_or_else(PoisonError::into_inner) = look;
    }

    /// The environment as it was last given.
    pub fn variables(&self) -> Arc<BTreeMap<String, String>> {
        Arc::clone(&self.variables.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another environment, for entries that are loaded from now on.
    pub fn replace_variables(&self, variables: BTreeMap<String, String>) {
        let mut known = self.variables.write().unwrap_or_else(PoisonError::into_inner);
        *known = Arc::new(variables);
    }

    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("workspace", &self.workspace).finish_non_exhaustive()
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
#[derive(Debug)]
pub struct Allowances(RwLock<(usize, Duration)>);

impl Allowances {
    pub fn of(limits: &Limits) -> Self {
        Self(RwLock::new(measures(limits)))
    }

    pub fn replace(&self, limits: &Limits) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = measures(limits);
    }

    /// The longest message that is taken.
    pub(crate) fn message_bytes(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).0
    }

    /// How long a list holds when its server does not say.
    pub(crate) fn list_ttl(&self) -> Duration {
        self.0.read().unwrap_or_else(PoisonError::into_inner).1
    }
}

fn measures(limits: &Limits) -> (usize, Duration) {
    let message_bytes = usize::try_from(limits.message_bytes).unwrap_or(usize::MAX);
    (message_bytes, limits.tools_ttl.duration())
}
