//! What `toolgate use`, `off` and `on` change: switches of the person's own, kept in the store.
//!
//! Nothing is written into any file, and nothing of it shows more than the configuration, the policy
//! and a caller's own role do. What holds for single windows is the daemon's to keep.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_assembly::{WorkspaceContext, add_own_servers};
use toolgate_config::{LoadOptions, McpConfigLoadResult};
use toolgate_control::CommandFailure;
use toolgate_store::Store;
use toolgate_types::{
    Acceptances, LayerGrade, PersonSwitch, RoleId, ServerId, SwitchScope, SwitchSubject,
    SwitchedAway,
};

use crate::errand::find_role;
use crate::{find_server, store_failure};

/// How far a command means its switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchReach {
    Everywhere,
    /// The project that it is typed in, or the folder where there is none.
    Here,
}

/// The switches as they are seen from one folder.
pub struct PersonSwitches {
    store: Arc<dyn Store>,
    /// What is configured there.
    pub loaded: McpConfigLoadResult,
    known: Acceptances,
    folder: PathBuf,
    /// What `--here` means.
    here: PathBuf,
}

impl PersonSwitches {
    pub fn new(
        store: Arc<dyn Store>,
        loaded: McpConfigLoadResult,
        known: Acceptances,
        folder: &Path,
    ) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (folder, root) = (real(folder), real(&loaded.project_root));
        let here = if folder.starts_with(&root) { root } else { folder.clone() };
        Self { store, loaded, known, folder, here }
    }

    /// What counts in this folder now.
    pub async fn in_force(&self) -> Result<SwitchedAway, CommandFailure> {
        let switches = self.store.switches().await.map_err(|error| store_failure(&error))?;
        Ok(SwitchedAway::of(&switches, &self.folder))
    }

    /// The folder that `--here` means.
    pub fn here(&self) -> &Path {
        &self.here
    }

    /// A server that is configured here, or that Toolgate brings itself.
    pub fn server(&self, id: &str, options: &LoadOptions) -> Result<ServerId, CommandFailure> {
        let mut config = self.loaded.config.clone();
        let context = WorkspaceContext { folder: self.folder.clone(), options: options.clone() };
        add_own_servers(&mut config, &context);
        match config.servers.get_key_value(id) {
            Some((id, _)) => Ok(id.clone()),
            None => find_server(&self.loaded, id).and_then(|_| crate::server_id(id)),
        }
    }

    pub async fn off(&self, server: ServerId, reach: SwitchReach) -> Result<(), CommandFailure> {
        self.keep(reach, SwitchSubject::Off(server)).await
    }

    /// Whether there was anything to take back.
    pub async fn on(
        &self,
        server: &ServerId,
        reach: Option<SwitchReach>,
    ) -> Result<bool, CommandFailure> {
        let is_it =
            |subject: &SwitchSubject| matches!(subject, SwitchSubject::Off(off) if off == server);
        self.forget(reach, is_it).await
    }

    /// A role that is there and accepted. One that only a project has is used in that project: to
    /// another it would mean nothing at all.
    pub async fn use_role(&self, role: &str, reach: SwitchReach) -> Result<RoleId, CommandFailure> {
        let role = find_role(role, &self.loaded, &self.known)?;
        let is_projects = self
            .loaded
            .config
            .roles
            .get(&role)
            .is_some_and(|entry| entry.origin.grade == LayerGrade::Project);
        if is_projects && reach == SwitchReach::Everywhere {
            let words = format!("role {role} is this project's, and no other folder has it");
            return Err(CommandFailure::new(words).hint("use it here: add --here"));
        }
        self.keep(reach, SwitchSubject::Role(role.clone())).await?;
        Ok(role)
    }

    /// Whether a role was in use.
    pub async fn use_all(&self, reach: Option<SwitchReach>) -> Result<bool, CommandFailure> {
        self.forget(reach, |subject| matches!(subject, SwitchSubject::Role(_))).await
    }

    async fn keep(&self, reach: SwitchReach, subject: SwitchSubject) -> Result<(), CommandFailure> {
        let scope = match reach {
            SwitchReach::Everywhere => SwitchScope::Everywhere,
            SwitchReach::Here => SwitchScope::Folder(self.here.clone()),
        };
        let kept = self.store.keep_switch(PersonSwitch { scope, subject }).await;
        kept.map_err(|error| store_failure(&error))
    }

    /// Forgets those of a reach, or all that count here.
    async fn forget(
        &self,
        reach: Option<SwitchReach>,
        is_meant: impl Fn(&SwitchSubject) -> bool,
    ) -> Result<bool, CommandFailure> {
        let all = self.store.switches().await.map_err(|error| store_failure(&error))?;
        let counts = |scope: &SwitchScope| match (scope, reach) {
            (SwitchScope::Everywhere, reach) => reach != Some(SwitchReach::Here),
            (SwitchScope::Folder(folder), Some(SwitchReach::Here) | None) => {
                self.folder.starts_with(folder)
            }
            (SwitchScope::Folder(_), Some(SwitchReach::Everywhere)) => false,
            (SwitchScope::Window(_), _) => false,
        };
        let mut is_any = false;
        for switch in all.iter().filter(|one| is_meant(&one.subject) && counts(&one.scope)) {
            let forgotten = self.store.forget_switch(switch).await;
            is_any |= forgotten.map_err(|error| store_failure(&error))?;
        }
        Ok(is_any)
    }
}

impl std::fmt::Debug for PersonSwitches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PersonSwitches").field("folder", &self.folder).finish_non_exhaustive()
    }
}
