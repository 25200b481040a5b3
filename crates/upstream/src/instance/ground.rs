//! What an instance runs on: the folder, the variables, what it is started and remembered with.
//!
//! Taken from the host that wanted it first, and kept when that host goes; nothing of it says who
//! listens or answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use toolgate_sandbox::Spawner;
use toolgate_store::{PinKey, ProjectRoot, Store};
use toolgate_types::config::{Entry, Isolation, SecondLook, Server, Transport};
use toolgate_types::{Grade, ServerId};

use super::pinning::Book;
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
    /// What was accepted of its tools; nothing where that is not kept, or they are this program's.
    pub(super) pins: Option<Arc<Book>>,
    pub(super) pool: Pool,
    pub(super) second_look: Option<Arc<dyn SecondLook>>,
}

impl Ground {
    pub(crate) fn of(world: &World, id: &ServerId, entry: &Entry<Server>) -> Self {
        let variables = world.variables();
        Self {
            folder: folder(world, &variables, &entry.value),
            variables,
            principal: world.principal.clone(),
            spawner: world.spawner.clone(),
            providers: world.providers.clone(),
            store: world.store.clone(),
            uses_snapshots: world.uses_snapshots,
            allowances: Arc::clone(&world.allowances),
            serve: world.builtins.get(id).cloned(),
            pins: book(world, id, entry),
            pool: world.pool.clone(),
            second_look: world.second_look.read().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

fn book(world: &World, id: &ServerId, entry: &Entry<Server>) -> Option<Arc<Book>> {
    let is_ours =
        world.builtins.contains_key(id) || matches!(entry.value.transport, Transport::Builtin);
    let store = world.store.clone().filter(|_| !is_ours)?;
    let root = match entry.origin.grade {
        Grade::Person => None,
        // Without one nothing of the project could have been accepted.
        Grade::Project => Some(world.project().or_else(|| ProjectRoot::of(&world.workspace).ok())?),
    };
    let key = PinKey { root, server: id.clone() };
    Some(Arc::new(Book::new(key, store)))
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
