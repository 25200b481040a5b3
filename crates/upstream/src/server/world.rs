//! What all servers of one host share: where they run, who is asked, who listens, what is kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::DuplexStream;
use toolgate_sandbox::Spawner;
use toolgate_store::Store;
use toolgate_types::{Asker, HostListener, LogLevel, ServerId};

use crate::Providers;

/// Serves one more connection in our own process, and gives our end of it.
pub type Builtin = Arc<dyn Fn() -> DuplexStream + Send + Sync>;

/// The surroundings of a host's servers.
pub struct World {
    /// The folder that local processes run in unless their entry names one.
    pub workspace: PathBuf,
    /// The environment that entries may take from.
    pub variables: BTreeMap<String, String>,
    pub spawner: Spawner,
    pub asker: Arc<dyn Asker>,
    pub listener: Arc<dyn HostListener>,
    /// Where snapshots and eras are kept; without one nothing is remembered.
    pub store: Option<Arc<dyn Store>>,
    /// Whether a snapshot may answer before a server runs. It is written either way.
    pub uses_snapshots: bool,
    pub providers: Providers,
    pub builtins: BTreeMap<ServerId, Builtin>,
    /// The longest message that is taken.
    pub message_bytes: usize,
    /// How long a list holds when its server does not say.
    pub list_ttl: Duration,
    /// For whom the servers run; snapshots of one are never shown to another.
    pub principal: String,
    pub log_level: Mutex<Option<LogLevel>>,
    /// How often anything in any catalog changed.
    pub epoch: AtomicU64,
}

impl World {
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Something that a list depends on is no longer as it was.
    pub fn changed(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
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
