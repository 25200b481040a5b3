//! The hosts behind the gateway: one for each workspace, principal and owner, made when first needed.

mod unused;

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolgate_host::Host;
use toolgate_types::Principal;
use toolgate_types::config::Naming;

use crate::host_maker::{HostMaker, HostedFolder, WantedHost};
use crate::hub::{NewsHub, NewsListener};
use crate::known_caller::KnownCaller;
use crate::metrics::GatewayMetrics;
use crate::serve::WrittenLists;

/// A host as it is served: with those who listen to it and its lists as they are sent.
pub(crate) struct ServedHost {
    pub(crate) host: Host,
    pub(crate) folder: PathBuf,
    pub(crate) naming: Option<Naming>,
    pub(crate) hub: Arc<NewsHub>,
    pub(crate) lists: Arc<WrittenLists>,
    /// Held while something of a list is worked out before anybody asks for it.
    pub(crate) ahead: Arc<tokio::sync::Mutex<()>>,
    /// When nobody is to find it any more, and whoever is there has to leave.
    pub(crate) forgotten: CancellationToken,
    /// When somebody was last there.
    used: Mutex<Instant>,
    /// Whether the servers were ever told what the callers want to hear.
    told_log_level: AtomicBool,
}

impl ServedHost {
    /// Somebody comes who was shown nothing yet.
    pub(crate) fn welcome(&self) {
        if self.hub.is_empty() {
            self.host.reconsider_exposure();
        }
    }

    /// Tells the servers what the callers want to hear by now: one of them said so, or left who had.
    pub(crate) async fn tell_log_level(&self) {
        // Before the others are counted: who comes after that sees it.
        self.told_log_level.store(true, Ordering::Relaxed);
        self.host.set_callers_log_level(self.hub.log_level()).await;
    }

    /// What others wanted to hear may be less than one who has just come does. Where nobody ever said
    /// anything about it, nobody is looked at: they can be thousands.
    pub(crate) fn tell_newcomers_log_level(self: &Arc<Self>) {
        if self.told_log_level.load(Ordering::Relaxed) && self.hub.log_level().is_some() {
            let served = Arc::clone(self);
            tokio::spawn(async move { served.tell_log_level().await });
        }
    }
}

impl fmt::Debug for ServedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServedHost").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Workspace, principal and owner.
type ServedKey = (Option<String>, Principal, Principal);

/// The hosts that were made so far.
pub(crate) struct ServedHosts {
    maker: Arc<dyn HostMaker>,
    metrics: Arc<GatewayMetrics>,
    made: Mutex<HashMap<ServedKey, Arc<OnceCell<Arc<ServedHost>>>>>,
}

impl ServedHosts {
    pub(crate) fn new(maker: Arc<dyn HostMaker>, metrics: Arc<GatewayMetrics>) -> Self {
        Self { maker, metrics, made: Mutex::default() }
    }

    /// The host for a caller in a workspace. What could not be made is tried again the next
    /// time.
    pub(crate) async fn get(
        &self,
        workspace: Option<&str>,
        known: &KnownCaller,
    ) -> Result<Option<Arc<ServedHost>>, String> {
        let (principal, owner) = (known.principal.clone(), known.owner.clone());
        let key = (workspace.map(str::to_owned), principal, owner);
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
    pub(crate) fn forget(&self, workspace: Option<&str>) -> Vec<Arc<ServedHost>> {
        let mut made = self.made();
        let gone = made.extract_if(|(of, ..), _| of.as_deref() == workspace);
        gone.filter_map(|(_, cell)| cell.get().cloned()).collect()
    }

    pub(crate) fn tell_lists_changed(&self, workspace: &str) {
        let made = self.made();
        let its = made.iter().filter(|((of, ..), _)| of.as_deref() == Some(workspace));
        let hosts: Vec<_> = its.filter_map(|(_, cell)| cell.get().cloned()).collect();
        drop(made);
        hosts.iter().for_each(|served| served.hub.tell_lists_changed());
    }

    async fn make(
        &self,
        (workspace, principal, owner): &ServedKey,
    ) -> Result<Arc<ServedHost>, Option<String>> {
        let hub = Arc::new(NewsHub::new(Arc::clone(&self.metrics)));
        let wanted = WantedHost {
            workspace: workspace.clone(),
            principal: principal.clone(),
            owner: owner.clone(),
            hub: Arc::clone(&hub),
        };
        let hosted = self.maker.host(wanted).await.map_err(Some)?.ok_or(None)?;
        let HostedFolder { host, folder, naming } = hosted;
        // The first session is told how to use its servers before any of them runs.
        host.recall().await;
        let (lists, ahead) = (Arc::<WrittenLists>::default(), Arc::default());
        hub.tell_first(Arc::clone(&lists) as Arc<dyn NewsListener>);
        Ok(Arc::new(ServedHost {
            host,
            folder,
            naming,
            hub,
            lists,
            ahead,
            forgotten: CancellationToken::new(),
            used: Mutex::new(Instant::now()),
            told_log_level: AtomicBool::new(false),
        }))
    }

    /// Nobody is to look after these any more.
    pub(crate) async fn end(&self, served: &ServedHost) {
        served.forgotten.cancel();
        served.host.close_all().await;
        self.maker.let_go(&served.host);
    }

    /// All that exist now.
    pub(crate) fn all(&self) -> Vec<Arc<ServedHost>> {
        self.made().values().filter_map(|cell| cell.get().cloned()).collect()
    }

    fn made(&self) -> MutexGuard<'_, HashMap<ServedKey, Arc<OnceCell<Arc<ServedHost>>>>> {
        self.made.lock()
    }
}
