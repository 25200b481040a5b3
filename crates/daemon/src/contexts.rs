//! What agents work in: folders with the configuration that counts there, and the hosts made of them.
//!
//! One host for each context and principal. What a window of an agent brought along (a named file,
//! variables) is part of its context: two windows share one only where all of that is the same.

mod host_rest;
mod hosts;
mod live_host;
mod reload;
mod windows;

use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Notify;
use toolgate_assembly::{AssembledConfig, HostAssembly, WorkspaceContext, look};
use toolgate_config::{GivenStep, McpConfigLoadResult, Variables};
use toolgate_control::{CommandFailure, RunFolder, state_folder};
use toolgate_host::{ApprovalQueue, Pool, PoolBounds};
use toolgate_mask::Masker;
use toolgate_store::{SecretsFile, Store, WorkspaceId};
use toolgate_types::Acceptances;
use toolgate_types::config::LimitsSection;

use crate::desktop::LoginNotices;
use crate::logging::Traces;
use crate::{LogWitness, RunObserver, lock};
pub(crate) use live_host::LiveHost;
pub(crate) use reload::ReloadOutcome;

/// All contexts of a gateway.
pub(crate) struct WorkspaceContexts {
    /// Of the folder that the gateway was started in, where it serves one.
    own: Option<WorkspaceContext>,
    /// Our own environment.
    variables: Variables,
    /// What the person who started the gateway gave to steps of workflows, wherever one works.
    given_steps: Vec<GivenStep>,
    store: Arc<dyn Store>,
    observer: Arc<dyn RunObserver>,
    traces: Arc<Traces>,
    pub(crate) assembly: HostAssembly,
    pool: Pool,
    /// Where calls of all hosts wait for the person.
    pub(crate) approvals: ApprovalQueue,
    /// Those of attached windows, by key.
    windows: Mutex<Vec<(String, WorkspaceContext)>>,
    live: Mutex<Vec<Arc<LiveHost>>>,
    /// A host was made, for the one who looks after them.
    pub(crate) made: Notify,
}

impl WorkspaceContexts {
    pub(crate) fn new(
        own: Option<WorkspaceContext>,
        variables: &Variables,
        store: &Arc<dyn Store>,
        (observer, traces): (&Arc<dyn RunObserver>, &Arc<Traces>),
        limits: &LimitsSection,
    ) -> Result<Arc<Self>, CommandFailure> {
        // The servers of all contexts, within the limits of the person's own file.
        let pool = Pool::new(PoolBounds::from(limits));
        let approvals = ApprovalQueue::new(Some(Arc::clone(store)));
        let own_places = [state_folder(variables).ok(), RunFolder::outer(variables)];
        let assembly = HostAssembly::new()
            .map_err(|rules| CommandFailure::new(&rules).hint(rules.hint()))?
            .store(Arc::clone(store))
            .shared(&pool, &approvals)
            .kept_below(state_folder(variables).ok(), variables)
            .own_places(own_places.into_iter().flatten().collect());
        let given_steps = own.as_ref().map(|own| own.options.given_steps.clone());
        Ok(Arc::new(Self {
            given_steps: given_steps.unwrap_or_default(),
            own,
            variables: variables.clone(),
            store: Arc::clone(store),
            observer: LoginNotices::before(observer, variables),
            traces: Arc::clone(traces),
            assembly,
            pool,
            approvals,
            windows: Mutex::default(),
            live: Mutex::default(),
            made: Notify::new(),
        }))
    }

    /// What is configured for a context, as it is hosted.
    pub(crate) async fn configured(
        &self,
        context: &WorkspaceContext,
    ) -> Result<AssembledConfig, String> {
        let mut assembled = AssembledConfig::of(context, &self.store).await?;
        self.observer.speak_for_servers(&mut assembled.config);
        Ok(assembled)
    }

    pub(crate) fn live(&self) -> Vec<Arc<LiveHost>> {
        lock(&self.live).clone()
    }

    /// What a folder's own configuration is, whoever works there.
    pub(crate) fn of_folder(&self, folder: &Path) -> WorkspaceContext {
        let mut context = WorkspaceContext::of_folder(folder, &self.variables);
        let state_folder = self.state_folder().ok();
        let secrets = state_folder.map(|folder| SecretsFile::of_state_folder(&folder));
        context.options.secrets = secrets.map(|secrets| Arc::new(secrets) as _);
        context.options.given_steps.clone_from(&self.given_steps);
        context
    }

    /// The servers of all contexts.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// A person accepted other definitions.
    pub(crate) async fn pins_changed(&self) {
        self.pool.pins_changed().await;
    }

    /// Who writes down what happens in a host.
    pub(crate) fn witness(&self, masker: &Masker) -> Arc<LogWitness> {
        Arc::new(LogWitness::new(&self.observer, masker, &self.traces))
    }

    /// The configuration of a context as it is written, and what was accepted of it.
    pub(crate) async fn look(
        &self,
        context: &WorkspaceContext,
    ) -> Result<(McpConfigLoadResult, Acceptances), String> {
        look(context, &self.store).await
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub(crate) fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Where the state of this person is.
    pub(crate) fn state_folder(&self) -> Result<PathBuf, CommandFailure> {
        state_folder(&self.variables)
    }

    async fn context_of(&self, key: Option<&str>) -> Result<Option<WorkspaceContext>, String> {
        let Some(key) = key else { return Ok(self.own.clone()) };
        let window = lock(&self.windows).iter().find(|(known, _)| known == key).cloned();
        if let Some((_, context)) = window {
            return Ok(Some(context));
        }
        let Some(id) = WorkspaceId::parse(key) else { return Ok(None) };
        let known = self.store.workspace(&id).await.map_err(|error| error.to_string())?;
        Ok(known.map(|root| self.of_folder(root.as_path())))
    }
}
