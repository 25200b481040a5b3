//! What the hosts of one process have in common, and the one way to make another of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolgate_auth::login::ServerLogins;
use toolgate_guard::Administrator;
use toolgate_host::{ApprovalQueue, HelperPath, Host, HostBuilder, Pool};
use toolgate_mask::Masker;
use toolgate_types::config::{Config, CredentialStorage};
use toolgate_types::{Acceptances, Variables};

use crate::administrator::{UnusableRules, administrator};
use crate::builtins::{builtins, hidden_places};
use crate::{AssembledConfig, SharedStore, WorkspaceContext, persons_logins};

/// What every host of this process is made with, whoever it is for.
#[derive(Clone)]
pub struct HostAssembly {
    administrator: Option<Administrator>,
    store: Option<SharedStore>,
    shared: Option<(Pool, ApprovalQueue)>,
    own_places: Vec<PathBuf>,
    packages: Option<PathBuf>,
    logins: Option<Arc<ServerLogins>>,
}

impl HostAssembly {
    /// With the administrator's rules; none is made where they cannot be read.
    pub fn new() -> Result<Self, UnusableRules> {
        let administrator = administrator()?;
        Ok(Self {
            administrator,
            store: None,
            shared: None,
            own_places: Vec::new(),
            packages: None,
            logins: None,
        })
    }

    /// Where hosts keep what they know and record what they do.
    #[must_use]
    pub fn store(self, store: SharedStore) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Hosts that live side by side share their servers, and where calls wait for the person.
    #[must_use]
    pub fn shared(self, pool: &Pool, approvals: &ApprovalQueue) -> Self {
        Self { shared: Some((pool.clone(), approvals.clone())), ..self }
    }

    /// Where Toolgate keeps things of its own, which no server of its own shows to anybody.
    #[must_use]
    pub fn own_places(self, own_places: Vec<PathBuf>) -> Self {
        Self { own_places, ..self }
    }

    /// The logins at servers, where some are kept.
    pub fn logins(&self) -> Option<&Arc<ServerLogins>> {
        self.logins.as_ref()
    }

    /// Where packages of servers, and the logins there, are kept: below the person's state folder, or in the
    /// keyring that this process's own variables lead to.
    #[must_use]
    pub fn kept_below(self, state_folder: Option<PathBuf>, variables: &Variables) -> Self {
        let storage = CredentialStorage::default();
        let logins = state_folder.as_deref();
        let logins = logins.map(|folder| persons_logins(folder, variables, storage));
        Self { packages: state_folder.as_deref().map(package_folder), logins, ..self }
    }

    /// A host for agents: with results that are too long kept aside.
    pub fn for_agents(&self, context: &WorkspaceContext, loaded: &AssembledConfig) -> HostBuilder {
        let (config, acceptances) = (loaded.config.clone(), loaded.acceptances.clone());
        let mut builder = self.for_command(context, config, acceptances, &loaded.masker);
        if let Some(store) = &self.store {
            builder = builder.artifacts(Arc::clone(store) as _);
        }
        builder
    }

    /// A host for one command: of the configuration as far as the command means it, with results
    /// whole. The masker knows the secrets of all that is configured.
    pub fn for_command(
        &self,
        context: &WorkspaceContext,
        config: Config,
        acceptances: Acceptances,
        masker: &Masker,
    ) -> HostBuilder {
        let storage = config.credentials;
        let mut builder = Host::builder()
            .config(config)
            .acceptances(acceptances)
            .workspace(&context.folder)
            .variables(context.options.env.clone())
            .masker(masker.clone())
            .helper(HelperPath::current_exe())
            .hidden_places(hidden_places(&context.options, &self.own_places));
        let (folder, own_places) = (&context.folder, &*self.own_places);
        let store = self.store.as_ref();
        for (id, serve) in builtins(folder, &context.options, own_places, store) {
            builder = builder.builtin_by_entry(id, serve);
        }
        if let Some(folder) = &self.packages {
            builder = builder.package_folder(folder.clone());
        }
        if let Some(logins) = &self.logins {
            logins.vault().store_in(storage);
            builder = builder.logins(Arc::clone(logins));
        }
        if let Some((pool, approvals)) = &self.shared {
            builder = builder.pool(pool.clone()).approvals(approvals.clone());
        }
        if let Some(store) = &self.store {
            builder = builder.store(Arc::clone(store)).audit(Arc::clone(store) as _);
        }
        match &self.administrator {
            Some(rules) => builder.administrator(rules.clone()),
            None => builder,
        }
    }
}

/// The folder of packages in a person's state folder.
pub fn package_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("packages")
}

impl fmt::Debug for HostAssembly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostAssembly").field("own_places", &self.own_places).finish_non_exhaustive()
    }
}
