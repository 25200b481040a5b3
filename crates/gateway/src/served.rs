//! The hosts behind the gateway: one for each workspace and principal, made when first needed.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use toolgate_host::Host;
use toolgate_types::config::Naming;
use toolgate_types::{Asker, HostListener, Principal};

use crate::asking::Relay;
use crate::hub::Hub;
use crate::metrics::Metrics;
use crate::serving::Lists;

/// Who makes hosts.
#[async_trait]
pub trait Hosts: Send + Sync {
    /// `None` where there is no such workspace; the reason where there is one and it cannot be
    /// served.
    async fn host(&self, wanted: Wanted) -> Result<Option<Hosted>, String>;
}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wanted").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// Which host is wanted, and whom it speaks with.
pub struct Wanted {
    /// The id of a registered workspace; `None` is the one the gateway was started in.
    pub workspace: Option<String>,
    pub principal: Principal,
    hub: Arc<Hub>,
}

impl Wanted {
    /// To be made the host's listener; whoever else wants to be told is told by it.
    pub fn listener(&self, also: Option<Arc<dyn HostListener>>) -> Arc<dyn HostListener> {
        if let Some(also) = also {
            self.hub.tell_also(also);
        }
        Arc::clone(&self.hub) as _
    }

    /// To be made the host's asker.
    pub fn asker(&self) -> Arc<dyn Asker> {
        Arc::new(Relay)
    }
}

/// A host, and the folder it is for.
#[derive(Debug)]
pub struct Hosted {
    pub host: Host,
    pub folder: PathBuf,
    /// The form of its names, where no client and no setting of the gateway has a say in it.
    pub naming: Option<Naming>,
}

/// A host as it is served: with those who listen to it and its lists as they are sent.
pub(crate) struct Served {
    pub(crate) host: Host,
    pub(crate) folder: PathBuf,
    pub(crate) naming: Option<Naming>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) lists: Lists,
    /// When nobody is to find it any more, and whoever is there has to leave.
    pub(crate) forgotten: CancellationToken,
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("folder", &self.folder).finish_non_exhaustive()
    }
}

type Key = (Option<String>, Principal);

/// The hosts that were made so far.
pub(crate) struct ServedHosts {
    maker: Arc<dyn Hosts>,
    metrics: Arc<Metrics>,
    made: Mutex<HashMap<Key, Arc<OnceCell<Arc<Served>>>>>,
}

impl ServedHosts {
    pub(crate) fn new(maker: Arc<dyn Hosts>, metrics: Arc<Metrics>) -> Self {
        Self { maker, metrics, made: Mutex::default() }
    }

    /// The host for a workspace and a principal. What could not be made is tried again the next
    /// time.
    pub(crate) async fn get(
        &self,
        workspace: Option<&str>,
        principal: &Principal,
    ) -> Result<Option<Arc<Served>>, String> {
        let key = (workspace.map(str::to_owned), principal.clone());
        loop {
            let cell = {
                let mut made = self.made();
                Arc::clone(made.entry(key.clone()).or_default())
            };
            let served = match cell.get_or_try_init(|| self.make(&key)).await {
                Ok(served) => served,
                Err(why) => {
                    // Unknown workspaces are not remembered: anybody can ask for any number of them.
                    let mut made = self.made();
                    if made.get(&key).is_some_and(|cell| !cell.initialized()) {
                        made.remove(&key);
                    }
                    return why.map_or(Ok(None), Err);
                }
            };
            let is_known = self.made().get(&key).is_some_and(|known| Arc::ptr_eq(known, &cell));
            if is_known {
                return Ok(Some(Arc::clone(served)));
            }
            // It was forgotten while it was made, so nobody else will end it.
            served.forgotten.cancel();
            served.host.close_all().await;
        }
    }

    /// Takes the hosts of a workspace out; whoever wants one from now on gets a new one.
    pub(crate) fn forget(&self, workspace: Option<&str>) -> Vec<Arc<Served>> {
        let mut made = self.made();
        let gone = made.extract_if(|(of, _), _| of.as_deref() == workspace);
        gone.filter_map(|(_, cell)| cell.get().cloned()).collect()
    }

    async fn make(&self, (workspace, principal): &Key) -> Result<Arc<Served>, Option<String>> {
        let hub = Arc::new(Hub::new(Arc::clone(&self.metrics)));
        let wanted = Wanted {
            workspace: workspace.clone(),
            principal: principal.clone(),
            hub: Arc::clone(&hub),
        };
        let hosted = self.maker.host(wanted).await.map_err(Some)?.ok_or(None)?;
        let Hosted { host, folder, naming } = hosted;
        let (lists, forgotten) = (Lists::default(), CancellationToken::new());
        Ok(Arc::new(Served { host, folder, naming, hub, lists, forgotten }))
    }

    /// All that exist now.
    pub(crate) fn all(&self) -> Vec<Arc<Served>> {
        self.made().values().filter_map(|cell| cell.get().cloned()).collect()
    }

    fn made(&self) -> MutexGuard<'_, HashMap<Key, Arc<OnceCell<Arc<Served>>>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
