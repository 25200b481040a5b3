//! A host for each folder that agents work in: its configuration as it counts there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_config::{LoadOptions, McpConfigLoadResult, Variables, load};
use toolgate_gateway::{Hosted, Hosts, Wanted};
use toolgate_guard::Administrator;
use toolgate_host::{HelperPath, Host};
use toolgate_store::{ProjectRoot, Store, WorkspaceId};
use toolgate_types::{Acceptances, Masker};

use super::surface;
use crate::administrator::administrator;
use crate::builtins::add_builtins;
use crate::failure::Failure;
use crate::logging::{Traces, Witness};
use crate::progress::Progress;
use crate::surroundings::Surroundings;

pub(super) struct FolderHosts {
    /// Of the folder that the gateway was started in.
    options: LoadOptions,
    folder: PathBuf,
    variables: Variables,
    store: Arc<dyn Store>,
    progress: Arc<Progress>,
    traces: Arc<Traces>,
    administrator: Option<Administrator>,
}

impl FolderHosts {
    pub(super) fn new(
        surroundings: &Surroundings,
        store: &Arc<dyn Store>,
        progress: &Arc<Progress>,
        traces: &Arc<Traces>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            options: surroundings.options(),
            folder: surroundings.cwd.clone(),
            variables: surroundings.variables.clone(),
            store: Arc::clone(store),
            progress: Arc::clone(progress),
            traces: Arc::clone(traces),
            administrator: administrator()?,
        })
    }

    async fn folder_of(&self, workspace: &str) -> Result<Option<PathBuf>, String> {
        let Some(id) = WorkspaceId::parse(workspace) else { return Ok(None) };
        let known = self.store.workspace(&id).await.map_err(|error| error.to_string())?;
        Ok(known.map(|root| root.as_path().to_owned()))
    }

    async fn acceptances(&self, loaded: &McpConfigLoadResult) -> Result<Acceptances, String> {
        match ProjectRoot::of(&loaded.project_root) {
            Ok(root) => self.store.acceptances(&root).await.map_err(|error| error.to_string()),
            Err(_) => Ok(Acceptances::default()),
        }
    }

    fn load(&self, folder: Option<&Path>) -> McpConfigLoadResult {
        match folder {
            None => load(&self.options),
            // What was said at the start is about the folder of the start.
            Some(folder) => {
                let mut options = LoadOptions::new(folder);
                options.env = self.variables.clone();
                for variable in PROJECT_VARIABLES {
                    options.env.remove(variable);
                }
                load(&options)
            }
        }
    }
}

/// What names or is a project's configuration.
const PROJECT_VARIABLES: [&str; 4] = [
    "TOOLGATE_CONFIG",
    "CODEX_TOOLLOOP_MCP_CONFIG_PATH",
    "TOOLGATE_CONFIG_JSON",
    "CODEX_TOOLLOOP_MCP_CONFIG_JSON",
];

#[async_trait]
impl Hosts for FolderHosts {
    async fn host(&self, wanted: Wanted) -> Result<Option<Hosted>, String> {
        let registered = match &wanted.workspace {
            None => None,
            Some(id) => match self.folder_of(id).await? {
                Some(folder) => Some(folder),
                None => return Ok(None),
            },
        };
        let loaded = self.load(registered.as_deref());
        let folder = registered.unwrap_or_else(|| self.folder.clone());
        let acceptances = self.acceptances(&loaded).await?;
        let masker = Masker::of_config(&loaded.config, &self.variables);
        let mut config = loaded.config;
        let is_closed = surface::is_closed(&config);
        let builtins = match is_closed {
            true => {
                surface::close(&mut config);
                Vec::new()
            }
            false => add_builtins(&mut config, &folder),
        };
        let has_required = config.servers.values().any(|server| server.value.required);
        let witness = Arc::new(Witness::new(&self.progress, &masker, &self.traces));
        let mut builder = Host::builder()
            .config(config)
            .acceptances(acceptances)
            .workspace(&folder)
            .variables(self.variables.clone())
            .helper(HelperPath::current_exe())
            .listener(wanted.listener(Some(witness)))
            .asker(wanted.asker())
            .principal(wanted.principal.clone())
            .store(Arc::clone(&self.store))
            .audit(Arc::clone(&self.store) as _)
            .artifacts(Arc::clone(&self.store) as _);
        for (id, serve) in builtins {
            builder = builder.builtin(id, serve);
        }
        if let Some(rules) = &self.administrator {
            builder = builder.administrator(rules.clone());
        }
        let naming = is_closed.then_some(surface::CLOSED_NAMING);
        let host = builder.build();
        start(&host, has_required).await?;
        Ok(Some(Hosted { host, folder, naming }))
    }
}

/// Starts what is to run from the beginning. A caller waits for that only where there is nothing to
/// serve without it.
async fn start(host: &Host, has_required: bool) -> Result<(), String> {
    if has_required {
        return host.start().await.map_err(|error| error.to_string());
    }
    let host = host.clone();
    tokio::spawn(async move { host.start().await });
    Ok(())
}
