//! What an instance runs on: the folder, the variables, what it is started and remembered with.
//!
//! Taken from the host that wanted it first, and kept when that host goes; nothing of it says who
//! listens or answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_sandbox::Spawner;
use toolgate_store::Store;
use toolgate_types::ServerId;
use toolgate_types::config::{Isolation, Server, Transport};

use crate::pool::Pool;
use crate::server::Allowances;
use crate::{Builtin, Providers, World};

#[derive(Clone)]
pub(crate) struct Ground {
    /// Where a local process runs unless its entry names a folder, and what such a name counts from.
    pub(super) folder: PathBuf,
    pub(super) variables: Arc<BTreeMap<String, String>>,
    pub(super) principal: String,
    pub(super) spawner: Spawner,
    pub(super) providers: Providers,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) uses_snapshots: bool,
    pub(super) allowances: Arc<Allowances>,
    /// Who serves it in our own process, where somebody does.
    pub(super) serve: Option<Builtin>,
    pub(super) pool: Pool,
}

impl Ground {
    pub(crate) fn of(world: &World, id: &ServerId, server: &Server) -> Self {
        let variables = world.variables();
        Self {
            folder: folder(world, &variables, server),
            variables,
            principal: world.principal.clone(),
            spawner: world.spawner.clone(),
            providers: world.providers.clone(),
            store: world.store.clone(),
            uses_snapshots: world.uses_snapshots,
            allowances: Arc::clone(&world.allowances),
            serve: world.builtins.get(id).cloned(),
            pool: world.pool.clone(),
        }
    }
}

/// A process that workspaces share runs in none of them.
fn folder(world: &World, variables: &BTreeMap<String, String>, server: &Server) -> PathBuf {
    match (&server.transport, server.isolation) {
        (Transport::Stdio(_), Isolation::Machine) => {
            let home = variables.get("HOME").map(Path::new).filter(|home| home.is_absolute());
            home.unwrap_or(Path::new("/")).to_owned()
        }
        _ => world.workspace.clone(),
    }
}
