//! What an instance runs on: the folder, the variables, what it is started and remembered with.
//!
//! Taken from the host that wanted it first, and kept when that host goes; nothing of it says who
//! listens or answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_sandbox::ProcessSpawner;
use toolgate_store::{PinKey, ProjectRoot, Store};
use toolgate_types::config::{Entry, Isolation, SecondLook, Server, Transport};
use toolgate_types::{LayerGrade, ServerId};

use super::server_pins::ServerPins;
use crate::command::{command_tools, definitions};
use crate::own_tools::serve_definitions;
use crate::pool::Pool;
use crate::server::Allowances;
use crate::{
    BuiltinServers, CredentialProviders, LoginAccess, PackageStore, ServerPackages,
    ServerSurroundings,
};

#[derive(Clone)]
pub(crate) struct ProcessGround {
    /// Where a local process runs unless its entry names a folder, and what such a name counts from.
    pub(super) folder: PathBuf,
    pub(super) variables: Arc<BTreeMap<String, String>>,
    pub(super) principal: String,
    pub(super) spawner: ProcessSpawner,
    pub(super) providers: CredentialProviders,
    pub(super) login: Option<LoginAccess>,
    pub(super) store: Option<Arc<dyn Store>>,
    pub(super) packages: Option<PathBuf>,
    pub(super) uses_snapshots: bool,
    pub(super) allowances: Arc<Allowances>,
    /// Who serves it in our own process, where somebody does.
    pub(super) serve: Option<BuiltinServers>,
    /// What was accepted of its tools; nothing where that is not kept, or they are this program's.
    pub(super) pins: Option<Arc<ServerPins>>,
    pub(super) pool: Pool,
    pub(super) second_look: Option<Arc<dyn SecondLook>>,
}

impl ProcessGround {
    pub(crate) fn of(
        world: &ServerSurroundings,
        pool: &Pool,
        id: &ServerId,
        entry: &Entry<Server>,
    ) -> Self {
        let variables = world.variables();
        let (principal, workspace) = (&*world.principal, &*world.workspace);
        let login = world.logins.as_ref();
        let login = login.map(|all| LoginAccess::of(all, entry, principal, workspace, &variables));
        Self {
            login,
            folder: folder(world, &variables, &entry.value),
            variables,
            principal: world.principal.clone(),
            spawner: world.spawner.clone(),
            providers: world.credential_providers(),
            store: world.store.clone(),
            packages: world.packages.clone(),
            uses_snapshots: world.uses_snapshots,
            allowances: Arc::clone(&world.allowances),
            serve: serve(world, id, entry),
            pins: book(world, id, entry),
            pool: pool.clone(),
            second_look: world.second_look.read().clone(),
        }
    }
}

impl ProcessGround {
    /// Where a server that is made of packages has them.
    pub(super) fn packages(&self) -> Option<ServerPackages<'_>> {
        let kept = PackageStore {
            folder: self.packages.as_deref()?,
            spawner: &self.spawner,
            variables: &self.variables,
            store: self.store.as_deref()?,
        };
        Some(ServerPackages { kept, key: self.pins.as_ref()?.key(), keeps_data: true })
    }
}

/// Who serves an entry in our own process.
fn serve(
    world: &ServerSurroundings,
    id: &ServerId,
    entry: &Entry<Server>,
) -> Option<BuiltinServers> {
    match (command_tools(&entry.value), &entry.value.transport) {
        (Some(tools), _) => Some(serve_definitions(definitions(tools))),
        (None, Transport::Builtin) => world.builtins.get(id).map(|of_entry| of_entry(entry)),
        // Somebody's own server may be called like one of ours, and is theirs.
        (None, _) => None,
    }
}

fn book(
    world: &ServerSurroundings,
    id: &ServerId,
    entry: &Entry<Server>,
) -> Option<Arc<ServerPins>> {
    // A command tool is what its entry says, and that is accepted as an entry.
    let is_ours = matches!(entry.value.transport, Transport::Builtin | Transport::Commands(_));
    let store = world.store.clone().filter(|_| !is_ours)?;
    let root = match entry.origin.grade {
        LayerGrade::Person => None,
        // Without one nothing of the project could have been accepted.
        LayerGrade::Project => {
            Some(world.project().or_else(|| ProjectRoot::of(&world.workspace).ok())?)
        }
    };
    let key = PinKey { root, server: id.clone() };
    Some(Arc::new(ServerPins::new(key, store)))
}

/// A process that workspaces share runs in none of them.
fn folder(
    world: &ServerSurroundings,
    variables: &BTreeMap<String, String>,
    server: &Server,
) -> PathBuf {
    match (&server.transport, server.isolation) {
        (Transport::Stdio(_), Isolation::Machine) => {
            let home = variables.get("HOME").map(Path::new).filter(|home| home.is_absolute());
            home.unwrap_or(Path::new("/")).to_owned()
        }
        _ => world.workspace.clone(),
    }
}
