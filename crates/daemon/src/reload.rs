//! Keeps the hosts as their configuration is: when a file changes, when a person accepted something,
//! when a window brings variables that are wanted now, and when nobody is in a context any more.
//!
//! A context that its last window left is kept for a while and costs nothing: its files are not
//! watched and not read again before somebody is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use toolgate_config::Variables;
use toolgate_gateway::Gateway;
use toolgate_types::{ConfigSource, LOCK_FILE};

use crate::config_watch::{ConfigWatch, folders, matters, touched};
use crate::contexts::{LiveHost, ReloadOutcome, WorkspaceContexts};
use crate::lock;
use crate::visitors::AttachedVisitors;

/// How long the servers of a context are kept when its last window left: most come back.
const KEPT: Duration = Duration::from_secs(60);

/// Looks after all hosts.
pub(crate) struct HostReload {
    pub(crate) gateway: Gateway,
    pub(crate) contexts: Arc<WorkspaceContexts>,
    pub(crate) visitors: Arc<AttachedVisitors>,
}

impl HostReload {
    pub(crate) async fn run(
        self,
        mut bringing: mpsc::UnboundedReceiver<(String, Variables)>,
        mut looked_for: mpsc::Receiver<tokio::sync::oneshot::Sender<()>>,
    ) {
        let mut watching = ConfigWatch::begin();
        let mut left: BTreeMap<String, Instant> = BTreeMap::new();
        loop {
            self.settle_or_wake().await;
            let begun = watching.watch(self.folders(), &self.named());
            self.catch_up(&begun).await;
            let next = left.values().min().map(|since| *since + KEPT);
            let forgetting = async {
                match next {
                    Some(next) => tokio::time::sleep_until(next).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = watching.changed() => {
                    let named = self.named();
                    if changed.iter().any(|path| matters(path, &named)) {
                        self.look_again().await;
                    }
                }
                Some(done) = looked_for.recv() => {
                    self.look_again().await;
                    let _ = done.send(());
                }
                Some((key, values)) = bringing.recv() => self.take(&key, values).await,
                () = self.visitors.noted.notified() => {}
                () = self.contexts.made.notified() => {}
                () = forgetting => {}
            }
            self.forget_unused(&mut left).await;
        }
    }

    /// What changed between a load and the moment from which its folders were watched.
    async fn catch_up(&self, begun: &BTreeSet<PathBuf>) {
        if begun.is_empty() {
            return;
        }
        for live in self.used() {
            let named = named_by(&live);
            let its: BTreeSet<_> =
                folders(&live.context(), &named).intersection(begun).cloned().collect();
            let read_at = lock(&live.prepared).loaded.read_at;
            if !its.is_empty() && touched(&its, &named, read_at) {
                self.refresh(&live).await;
            }
        }
    }

    /// Reads every configuration anew.
    async fn look_again(&self) {
        for live in self.used() {
            self.refresh(&live).await;
        }
    }

    /// The contexts that somebody is in, or may be in without a window.
    fn used(&self) -> impl Iterator<Item = Arc<LiveHost>> {
        self.contexts.live().into_iter().filter(|live| !live.rests())
    }

    /// A context that the last window left rests. One that a window came to was woken by it, unless
    /// it was put to rest at the same moment.
    async fn settle_or_wake(&self) {
        let windows = self.contexts.window_keys();
        for live in self.contexts.live() {
            let Some(key) = live.key.as_ref().filter(|key| windows.contains(key)) else { continue };
            if !self.visitors.is_in(key) {
                live.rest();
            } else if let Some(_turn) = live.wake().await {
                self.refresh(&live).await;
            }
        }
    }

    async fn refresh(&self, live: &LiveHost) {
        let folder = live.context().folder.display().to_string();
        match self.contexts.reload(live).await {
            ReloadOutcome::Taken => {
                tracing::info!(target: "toolgate", folder, "the configuration was read again");
                self.ask_for_new_variables(live);
            }
            ReloadOutcome::Refused(why) => {
                tracing::warn!(target: "toolgate", folder, why, "the last good configuration stays");
            }
        }
    }

    /// The windows of a context are asked for what they were not asked for before.
    fn ask_for_new_variables(&self, live: &LiveHost) {
        let Some(key) = &live.key else { return };
        let env = live.context().options.env;
        let unknown = |name: &&String| !env.contains_key(*name);
        let names: Vec<String> =
            lock(&live.prepared).loaded.variables.iter().filter(unknown).cloned().collect();
        if !names.is_empty() {
            let its = self.visitors.all().into_iter().filter(|visitor| visitor.key == *key);
            its.for_each(|visitor| visitor.ask_for(names.clone()));
        }
    }

    /// A window brought what was wanted later. Nothing that is set is changed by it.
    async fn take(&self, key: &str, values: Variables) {
        if self.contexts.learn(key, values) {
            for live in self.contexts.live() {
                if live.key.as_deref() == Some(key) {
                    self.refresh(&live).await;
                }
            }
        }
    }

    /// WorkspaceContexts that no window was in for a while.
    async fn forget_unused(&self, left: &mut BTreeMap<String, Instant>) {
        let used: BTreeSet<_> = self.visitors.all().into_iter().map(|one| one.key).collect();
        let now = Instant::now();
        let keys = self.contexts.window_keys();
        left.retain(|key, _| keys.contains(key) && !used.contains(key));
        for key in keys.into_iter().filter(|key| !used.contains(key)) {
            let since = *left.entry(key.clone()).or_insert(now);
            if now >= since + KEPT {
                left.remove(&key);
                self.contexts.forget(&key);
                self.gateway.forget(Some(&key)).await;
            }
        }
    }

    fn folders(&self) -> BTreeSet<PathBuf> {
        self.used().flat_map(|live| folders(&live.context(), &named_by(&live))).collect()
    }

    fn named(&self) -> Vec<PathBuf> {
        self.used().flat_map(|live| named_by(&live)).collect()
    }
}

/// The files that count now, and the person's own and the project's lock, whether they are there or
/// not.
fn named_by(live: &LiveHost) -> Vec<PathBuf> {
    let prepared = lock(&live.prepared);
    let files = prepared.loaded.sources.iter().filter_map(|source| match &*source.source {
        ConfigSource::File(path) => Some(path.clone()),
        ConfigSource::Env(_) | ConfigSource::Overrides => None,
    });
    let lock_file = prepared.config.project_root.as_ref().map(|root| root.join(LOCK_FILE));
    let known = prepared.loaded.global_file.iter().cloned().chain(lock_file);
    files.chain(known).chain(live.context().options.path).collect()
}
