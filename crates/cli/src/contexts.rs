//! What agents work in: folders with the configuration that counts there, and the hosts made of them.
//!
//! One host for each context and principal. What a window of an agent brought along (a named file,
//! variables) is part of its context: two windows share one only where all of that is the same.

mod reloading;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::Notify;
use toolgate_assembly::{
    AssembledConfig, HostAssembly, WorkspaceContext as Context, is_own_variable, look,
};
use toolgate_config::{McpConfigLoadResult, Variables};
use toolgate_control::{RunFolder, state_folder};
use toolgate_gateway::{Hosted, Hosts, Wanted};
use toolgate_host::{Bounds, Desk, Host, Pool};
use toolgate_mask::Masker;
use toolgate_store::{Store, WorkspaceId};
use toolgate_types::config::Limits;
use toolgate_types::{Acceptances, Principal};

use crate::failure::Failure;
use crate::surroundings::Surroundings;
pub(crate) use reloading::Reloaded;
use toolgate_daemon::{RunObserver, Traces, Witness};

/// A host that was made, and of what.
pub(crate) struct Live {
    pub(crate) key: Option<String>,
    pub(crate) principal: Principal,
    /// It gains variables when windows bring some later.
    context: Mutex<Context>,
    pub(crate) host: Host,
    pub(crate) prepared: Mutex<Arc<AssembledConfig>>,
    /// Why the last change of the configuration does not count, if it does not.
    pub(crate) refused: Mutex<Option<String>>,
    /// Nobody is in it any more: its files are not watched, and it is read again before somebody is.
    rests: AtomicBool,
}

impl Live {
    pub(crate) fn context(&self) -> Context {
        lock(&self.context).clone()
    }

    pub(crate) fn rests(&self) -> bool {
        self.rests.load(Ordering::Acquire)
    }

    pub(crate) fn rest(&self) {
        self.rests.store(true, Ordering::Release);
    }

    /// Somebody is in it; whether nobody was.
    pub(crate) fn wake(&self) -> bool {
        self.rests.swap(false, Ordering::AcqRel)
    }
}

/// All contexts of a gateway.
pub(crate) struct Contexts {
    /// Of the folder that the gateway was started in, where it serves one.
    own: Option<Context>,
    /// Our own environment.
    variables: Variables,
    store: Arc<dyn Store>,
    observer: Arc<dyn RunObserver>,
    traces: Arc<Traces>,
    pub(crate) assembly: HostAssembly,
    pool: Pool,
    /// Where calls of all hosts wait for the person.
    pub(crate) desk: Desk,
    /// Those of attached windows, by key.
    windows: Mutex<Vec<(String, Context)>>,
    live: Mutex<Vec<Arc<Live>>>,
    /// A host was made, for the one who looks after them.
    pub(crate) made: Notify,
}

impl Contexts {
    pub(crate) fn new(
        own: Option<Context>,
        surroundings: &Surroundings,
        store: &Arc<dyn Store>,
        (observer, traces): (&Arc<dyn RunObserver>, &Arc<Traces>),
        pool: Pool,
    ) -> Result<Self, Failure> {
        let variables = &surroundings.variables;
        let desk = Desk::new(Some(Arc::clone(store)));
        let own_places = [state_folder(variables).ok(), RunFolder::outer(variables)];
        let assembly = HostAssembly::new()?
            .store(Arc::clone(store))
            .shared(&pool, &desk)
            .own_places(own_places.into_iter().flatten().collect());
        Ok(Self {
            own,
            variables: variables.clone(),
            store: Arc::clone(store),
            observer: Arc::clone(observer),
            traces: Arc::clone(traces),
            assembly,
            pool,
            desk,
            windows: Mutex::default(),
            live: Mutex::default(),
            made: Notify::new(),
        })
    }

    /// The key of a window's context, for [`Wanted`].
    pub(crate) fn enter(&self, context: Context) -> String {
        let mut windows = lock(&self.windows);
        if let Some((key, _)) = windows.iter().find(|(_, known)| known.is(&context)) {
            return key.clone();
        }
        // No name of a registered folder has a colon.
        let taken = |key: &String| windows.iter().any(|(known, _)| known == key);
        let mut numbers = 0_u64..;
        let key =
            numbers.find_map(|number| Some(format!("window:{number}")).filter(|key| !taken(key)));
        let key = key.unwrap_or_default();
        windows.push((key.clone(), context));
        key
    }

    pub(crate) fn window_keys(&self) -> Vec<String> {
        lock(&self.windows).iter().map(|(key, _)| key.clone()).collect()
    }

    /// A window brings variables that its configuration wants since it changed. What is set stays;
    /// whether anything was added.
    pub(crate) fn learn(&self, key: &str, values: Variables) -> bool {
        let mut windows = lock(&self.windows);
        let Some((_, context)) = windows.iter_mut().find(|(known, _)| known == key) else {
            return false;
        };
        let before = context.options.env.len();
        for (name, value) in values.into_iter().filter(|(name, _)| !is_own_variable(name)) {
            context.options.env.entry(name).or_insert(value);
        }
        for live in lock(&self.live).iter().filter(|live| live.key.as_deref() == Some(key)) {
            *lock(&live.context) = context.clone();
        }
        context.options.env.len() > before
    }

    /// What is configured for a context, as it is hosted.
    pub(crate) async fn configured(&self, context: &Context) -> Result<AssembledConfig, String> {
        let mut assembled = AssembledConfig::of(context, &self.store).await?;
        self.observer.speak_for_servers(&mut assembled.config);
        Ok(assembled)
    }

    /// Somebody is in a window's context: what changed while nobody was is read before anything is
    /// done there.
    pub(crate) async fn wake(&self, key: &str) {
        for live in self.live() {
            if live.key.as_deref() == Some(key) && live.wake() {
                self.reload(&live).await;
            }
        }
    }

    /// Nobody is in this window's context any more.
    pub(crate) fn forget(&self, key: &str) {
        lock(&self.windows).retain(|(known, _)| known != key);
        lock(&self.live).retain(|live| live.key.as_deref() != Some(key));
    }

    pub(crate) fn live(&self) -> Vec<Arc<Live>> {
        lock(&self.live).clone()
    }

    /// What a folder's own configuration is, whoever works there.
    pub(crate) fn of_folder(&self, folder: &Path) -> Context {
        Context::of_folder(folder, &self.variables)
    }

    /// A person accepted other definitions.
    pub(crate) async fn pins_changed(&self) {
        self.pool.pins_changed().await;
    }

    /// Who writes down what happens in a host.
    pub(crate) fn witness(&self, masker: &Masker) -> Arc<Witness> {
        Arc::new(Witness::new(&self.observer, masker, &self.traces))
    }

    /// The configuration of a context as it is written, and what was accepted of it.
    pub(crate) async fn look(
        &self,
        context: &Context,
    ) -> Result<(McpConfigLoadResult, Acceptances), String> {
        look(context, &self.store).await
    }

    pub(crate) fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Where the state of this person is.
    pub(crate) fn state_folder(&self) -> Result<PathBuf, Failure> {
        Ok(state_folder(&self.variables)?)
    }

    async fn context_of(&self, key: Option<&str>) -> Result<Option<Context>, String> {
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

#[async_trait]
impl Hosts for Contexts {
    async fn host(&self, wanted: Wanted) -> Result<Option<Hosted>, String> {
        let Some(context) = self.context_of(wanted.workspace.as_deref()).await? else {
            return Ok(None);
        };
        let prepared = self.configured(&context).await?;
        let has_required = prepared.config.servers.values().any(|server| server.value.required);
        let masker = &prepared.masker;
        let builder = self
            .assembly
            .for_agents(&context, &prepared)
            .listener(wanted.listener(Some(self.witness(masker))))
            .asker(wanted.asker())
            .principal(wanted.principal.clone());
        let (folder, naming) = (context.folder.clone(), prepared.naming);
        let host = builder.build();
        start(&host, has_required).await?;
        let live = Live {
            key: wanted.workspace.clone(),
            principal: wanted.principal.clone(),
            context: Mutex::new(context),
            host: host.clone(),
            prepared: Mutex::new(Arc::new(prepared)),
            refused: Mutex::default(),
            rests: AtomicBool::new(false),
        };
        lock(&self.live).push(Arc::new(live));
        self.made.notify_one();
        Ok(Some(Hosted { host, folder, naming }))
    }
}

/// The servers of all contexts, within the limits of the person's own file.
pub(crate) fn pool(limits: &Limits) -> Pool {
    Pool::new(Bounds::from(limits))
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

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Changes are single assignments, so a panic elsewhere left it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
