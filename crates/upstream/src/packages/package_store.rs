//! The packages of all servers: fetched once, fixed, and there when a server is started.

use std::fmt;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toolgate_sandbox::{Description, PACKAGE_PLACE, PackageFolder, ProcessSpawner, SandboxRoom};
use toolgate_store::{PackageLock, PinKey, ProjectRoot, Store};
use toolgate_types::config::{PackageServer, PackageSource};
use toolgate_types::{ConfigText, Digest, Variables};

use super::fixed_packages::FixedPackages;
use super::install_step::InstallGround;
use super::package_error::PackageError;
use super::package_room::{InstalledCode, PackageRoom};
use super::registries::Registries;
use super::{npm_install, pypi_install};

/// Where packages are kept, and with what they are fetched.
#[derive(Clone, Copy)]
pub struct PackageStore<'a> {
    /// A folder of its own in the person's state.
    pub folder: &'a Path,
    pub spawner: &'a ProcessSpawner,
    /// The person's: where their settings for package managers are.
    pub variables: &'a Variables,
    pub store: &'a dyn Store,
}

impl fmt::Debug for PackageStore<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackageStore").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A server that was installed, as it is started.
#[derive(Debug, Clone)]
pub struct InstalledServer {
    code: InstalledCode,
    program: String,
    args: Vec<ConfigText>,
    source: PackageSource,
    data: Option<(PathBuf, PackageFolder)>,
}

impl PackageStore<'_> {
    /// What was fixed of these packages.
    pub async fn fixed(
        &self,
        key: &PinKey,
        server: &PackageServer,
    ) -> Result<Option<FixedPackages>, PackageError> {
        let lock = self.store.package_lock(key).await?;
        let lock = lock.filter(|lock| lock.wanted == wanted_digest(key, server));
        Ok(lock.and_then(|lock| FixedPackages::read(&lock.lock)))
    }

    /// Fetches a server's packages and fixes their versions, unless that was done before: then what was
    /// fixed counts.
    pub async fn fix(
        &self,
        key: &PinKey,
        server: &PackageServer,
    ) -> Result<FixedPackages, PackageError> {
        let room = PackageRoom::of(self.folder, wanted_digest(key, server));
        let _lock = room.lock().await?;
        if let Some(fixed) = self.fixed(key, server).await? {
            self.restore(&room, server, &fixed).await?;
            return Ok(fixed);
        }
        let registries = Registries::of(server.source, self.variables);
        let resolved = self.resolve(&room, server, &registries).await;
        let (fixed, interpreter) = resolved.inspect_err(|_| room.clear())?;
        room.finish(fixed.digest(), interpreter.as_deref())?;
        let (wanted, before) = (wanted_digest(key, server), self.store.package_lock(key).await?);
        self.store.keep_package_lock(key, PackageLock { wanted, lock: fixed.text() }).await?;
        // What the entry asked for before is nobody's code any more.
        if let Some(before) = before.filter(|before| before.wanted != wanted) {
            PackageRoom::of(self.folder, before.wanted).forget()?;
        }
        Ok(fixed)
    }

    /// The server as it is started for a place. What was fixed and is gone is fetched again; what was
    /// never fixed is, only where `may_fix` says so.
    pub async fn installed(
        &self,
        key: &PinKey,
        server: &PackageServer,
        may_fix: bool,
        used_in: Option<&Path>,
    ) -> Result<InstalledServer, PackageError> {
        let room = PackageRoom::of(self.folder, wanted_digest(key, server));
        let fixed = match self.fixed(key, server).await? {
            Some(fixed) => fixed,
            None if may_fix => self.fix(key, server).await?,
            None => return Err(PackageError::NotFixed),
        };
        let code = match room.installed(fixed.digest()) {
            Some(code) => code,
            None => {
                let _lock = room.lock().await?;
                self.restore(&room, server, &fixed).await?
            }
        };
        server_of(&room, server, fixed, code, used_in)
    }

    /// The same where it is there. Nothing is fetched.
    pub async fn found(
        &self,
        key: &PinKey,
        server: &PackageServer,
        used_in: Option<&Path>,
    ) -> Result<Option<InstalledServer>, PackageError> {
        let Some(fixed) = self.fixed(key, server).await? else { return Ok(None) };
        let room = PackageRoom::of(self.folder, wanted_digest(key, server));
        let Some(code) = room.installed(fixed.digest()) else { return Ok(None) };
        server_of(&room, server, fixed, code, used_in).map(Some)
    }

    /// Takes back what was fixed for a server, and what was fetched; what it wrote itself stays.
    pub async fn forget(&self, key: &PinKey) -> Result<(), PackageError> {
        if let Some(lock) = self.store.package_lock(key).await? {
            let room = PackageRoom::of(self.folder, lock.wanted);
            let _lock = room.lock().await?;
            self.store.forget_package_lock(key).await?;
            room.forget()?;
        }
        Ok(())
    }

    async fn resolve(
        &self,
        room: &PackageRoom,
        server: &PackageServer,
        registries: &Registries,
    ) -> Result<(FixedPackages, Option<String>), PackageError> {
        let (ground, tree) = (self.ground(), room.begin()?);
        Ok(match server.source {
            PackageSource::Npm => {
                let at = (room, &*tree);
                (npm_install::resolve(&ground, at, server, registries).await?, None)
            }
            PackageSource::PyPi => {
                let done =
                    pypi_install::resolve(&ground, (room, &tree), server, registries).await?;
                (done.fixed, Some(done.interpreter))
            }
        })
    }

    /// Under the lock of the room: fetches exactly what was fixed, unless it is there.
    async fn restore(
        &self,
        room: &PackageRoom,
        server: &PackageServer,
        fixed: &FixedPackages,
    ) -> Result<InstalledCode, PackageError> {
        if let Some(code) = room.installed(fixed.digest()) {
            return Ok(code);
        }
        let registries = Registries::of(server.source, self.variables).at(fixed.places.clone());
        let restored = self.fetch_again(room, server, fixed, &registries).await;
        let interpreter = restored.inspect_err(|_| room.clear())?;
        room.finish(fixed.digest(), interpreter.as_deref())?;
        room.installed(fixed.digest()).ok_or(PackageError::NotFixed)
    }

    async fn fetch_again(
        &self,
        room: &PackageRoom,
        server: &PackageServer,
        fixed: &FixedPackages,
        registries: &Registries,
    ) -> Result<Option<String>, PackageError> {
        let (ground, tree) = (self.ground(), room.begin()?);
        Ok(match server.source {
            PackageSource::Npm => {
                npm_install::restore(&ground, (room, &tree), fixed, registries).await?;
                None
            }
            PackageSource::PyPi => {
                let what = (server, fixed);
                Some(pypi_install::restore(&ground, (room, &tree), what, registries).await?)
            }
        })
    }

    fn ground(&self) -> InstallGround<'_> {
        InstallGround { spawner: self.spawner, variables: self.variables }
    }
}

fn server_of(
    room: &PackageRoom,
    server: &PackageServer,
    fixed: FixedPackages,
    code: InstalledCode,
    used_in: Option<&Path>,
) -> Result<InstalledServer, PackageError> {
    let data = match used_in {
        Some(place) => {
            let data = room.data(fixed.digest(), place)?;
            let package = PackageFolder::Changed {
                code: code.tree.clone(),
                changes: data.changes,
                workspace: data.workspace,
            };
            Some((data.home, package))
        }
        None => None,
    };
    let (args, source) = (server.args.clone(), server.source);
    Ok(InstalledServer { code, program: fixed.program, args, source, data })
}

impl InstalledServer {
    /// Puts the server in the place of the command that would fetch it.
    pub fn furnish(&self, description: &mut Description, room: &mut SandboxRoom) {
        description.program = ConfigText::Plain(format!("{PACKAGE_PLACE}/{}", self.program));
        description.args.clone_from(&self.args);
        room.programs = match (self.source, &self.code.interpreter) {
            (PackageSource::Npm, _) => vec!["node".to_owned()],
            (PackageSource::PyPi, interpreter) => interpreter.iter().cloned().collect(),
        };
        let (private, package) = match &self.data {
            Some((home, package)) => (Some(home.clone()), package.clone()),
            None => (None, PackageFolder::Installed(self.code.tree.clone())),
        };
        (room.private, room.package) = (private, Some(package));
    }
}

/// The name of what an entry asks for: its packages, and whose entry it is. Two entries never share one.
pub fn wanted_digest(key: &PinKey, server: &PackageServer) -> Digest {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    part(
        key.root
            .as_ref()
            .map_or(&[], |root: &ProjectRoot| root.as_path().as_os_str().as_encoded_bytes()),
    );
    part(&[u8::from(key.root.is_some())]);
    part(key.server.as_str().as_bytes());
    part(server.source.as_str().as_bytes());
    part(server.python.as_deref().unwrap_or_default().as_bytes());
    part(format!("{:?}", server.program).as_bytes());
    for package in &server.packages {
        part(package.to_string().as_bytes());
    }
    Digest(hash.finalize().into())
}
