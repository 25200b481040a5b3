//! The packages of a server that `npx` or `uvx` would fetch: what a person is told about them before they
//! accept it, fetching and fixing them once they did, and taking them back.

use std::path::Path;

use toolgate_sandbox::{HelperPath, ProcessSpawner, SandboxGround};
use toolgate_store::{PinKey, ProjectRoot, Store};
use toolgate_types::config::{Entry, PackageServer, PackageSource, Server, Transport};
use toolgate_types::{LayerGrade, ServerId, Variables, visible};
use toolgate_upstream::{FixedPackages, PackageError, PackageStore, Registries};

use crate::TestGround;

/// What a server would fetch, from where.
#[derive(Debug)]
pub struct PackageNeeds {
    pub packages: Vec<String>,
    pub hosts: Vec<String>,
    source: PackageSource,
    is_networked: bool,
}

impl PackageNeeds {
    /// What an entry fetches when it is accepted; `None` where that is nothing.
    pub fn of(server: &Server, variables: &Variables) -> Result<Option<Self>, PackageError> {
        let Transport::Stdio(stdio) = &server.transport else { return Ok(None) };
        let Some(packages) = PackageServer::of(stdio)? else { return Ok(None) };
        Ok(Some(Self {
            hosts: Registries::of(packages.source, variables).hosts(),
            packages: packages.packages.iter().map(ToString::to_string).collect(),
            source: packages.source,
            is_networked: !stdio.confinement.network.is_off(),
        }))
    }

    /// The lines of it, each with what it is about.
    pub fn rows(&self) -> [(&'static str, String); 2] {
        let (packages, hosts) = (self.packages.join(" "), self.hosts.join(", "));
        let then = if self.is_networked { "with its network" } else { "without network" };
        [
            ("downloads", visible(&format!("{packages} (from {hosts})"))),
            (
                "then",
                match self.source {
                    PackageSource::Npm => {
                        format!("runs install scripts without network, and the server {then}")
                    }
                    PackageSource::PyPi => format!("runs the server {then}"),
                },
            ),
        ]
    }
}

/// Whose server an entry is.
pub fn package_key(id: &ServerId, entry: &Entry<Server>, project: Option<&Path>) -> Option<PinKey> {
    let root = match entry.origin.grade {
        LayerGrade::Person => None,
        LayerGrade::Project => Some(ProjectRoot::of(project?).ok()?),
    };
    Some(PinKey { root, server: id.clone() })
}

/// Fetches the packages of a server that a person accepts, and fixes them. `None` where it has none.
pub async fn fix_packages(
    server: &Server,
    key: &PinKey,
    ground: &TestGround<'_>,
    store: &dyn Store,
) -> Result<Option<FixedPackages>, PackageError> {
    let Transport::Stdio(stdio) = &server.transport else { return Ok(None) };
    let Some(server) = PackageServer::of(stdio)? else { return Ok(None) };
    let spawner = walled(ground.walls.clone());
    let kept = package_store(ground, &spawner, store).ok_or(PackageError::NoFolder)?;
    kept.fix(key, &server).await.map(Some)
}

/// How it is with a server's packages.
#[derive(Debug)]
pub enum PackageState {
    /// It has none.
    NoPackages,
    NotFixed,
    Fixed(FixedPackages),
}

/// What is known of a server's packages. Nothing is fetched.
pub async fn package_state(
    server: &Server,
    key: &PinKey,
    ground: &TestGround<'_>,
    store: &dyn Store,
) -> PackageState {
    let Transport::Stdio(stdio) = &server.transport else { return PackageState::NoPackages };
    let Ok(Some(server)) = PackageServer::of(stdio) else { return PackageState::NoPackages };
    let spawner = walled(ground.walls.clone());
    let Some(kept) = package_store(ground, &spawner, store) else { return PackageState::NotFixed };
    match kept.fixed(key, &server).await {
        Ok(Some(fixed)) => PackageState::Fixed(fixed),
        Ok(None) | Err(_) => PackageState::NotFixed,
    }
}

/// Takes back what was fixed for a server.
pub async fn forget_packages(
    key: &PinKey,
    ground: &TestGround<'_>,
    store: &dyn Store,
) -> Result<(), PackageError> {
    let spawner = walled(ground.walls.clone());
    match package_store(ground, &spawner, store) {
        Some(kept) => kept.forget(key).await,
        None => Ok(()),
    }
}

pub(crate) fn package_store<'a>(
    ground: &'a TestGround<'_>,
    spawner: &'a ProcessSpawner,
    store: &'a dyn Store,
) -> Option<PackageStore<'a>> {
    let folder = ground.packages.as_deref()?;
    Some(PackageStore { folder, spawner, variables: ground.variables, store })
}

pub(crate) fn walled(walls: SandboxGround) -> ProcessSpawner {
    let spawner = ProcessSpawner::new(HelperPath::current_exe());
    spawner.stand_on(walls);
    spawner
}
