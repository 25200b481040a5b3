//! The servers of a host, and how they change while it runs.
//!
//! A load never waits for a server: what is under way on one that changed or went is done to its
//! end, and the new one is used from then on.

mod loading;
mod shown;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockWriteGuard};

use indexmap::IndexMap;
use tokio::task::JoinSet;
use toolgate_types::config::{Entry, Server};
use toolgate_types::{
    Acceptances, EntryKind, HostEvent, ServerId, ServerState, SessionId, Standing,
};
use toolgate_upstream::{Retiring, Upstream, World};

use crate::Host;
use crate::names::ConfiguredIds;

/// By id, in the order of the configuration.
#[derive(Debug)]
pub(crate) struct Servers {
    map: RwLock<IndexMap<ServerId, Arc<Upstream>>>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
    /// Those that are no longer in the map, and not over yet.
    retiring: Mutex<Vec<Retiring>>,
}

impl Servers {
    pub(crate) fn new(
        world: &Arc<World>,
        entries: IndexMap<ServerId, Entry<Server>>,
        acceptances: &Acceptances,
    ) -> Self {
        Self {
            map: RwLock::new(upstreams(world, entries, acceptances)),
            changing: tokio::sync::Mutex::default(),
            retiring: Mutex::default(),
        }
    }

    pub(crate) fn all(&self) -> Vec<Arc<Upstream>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(crate) fn get(&self, id: &ServerId) -> Option<Arc<Upstream>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// The ids of all, and of those that are configured and not here.
    pub(crate) fn ids(&self, others: &BTreeSet<ServerId>) -> ConfiguredIds {
        let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
        ConfiguredIds::new(map.keys().chain(others))
    }

    fn map(&self) -> RwLockWriteGuard<'_, IndexMap<ServerId, Arc<Upstream>>> {
        self.map.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends those that were on their way out, whatever they are doing.
    pub(crate) async fn end_retiring(&self) {
        let retiring = {
            let mut retiring = self.retiring.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *retiring)
        };
        let mut ending = JoinSet::new();
        for one in retiring {
            ending.spawn(one.end());
        }
        while ending.join_next().await.is_some() {}
    }
}

impl Host {
    /// The servers that a name may be read as.
    pub(crate) fn configured_ids(&self) -> Arc<ConfiguredIds> {
        Arc::new(self.inner.servers.ids(self.rulebook().other_ids()))
    }

    /// Adds a server, or changes the one with this id.
    pub async fn set_server(&self, id: ServerId, mut entry: Entry<Server>, standing: Standing) {
        let rules = self.rulebook().administrator();
        if rules.is_some_and(|rules| rules.permits_server(&entry.value).is_err()) {
            entry.value.enabled = false;
        }
        let _alone = self.inner.servers.changing.lock().await;
        let before = self.shown();
        let upstream = Upstream::new(id.clone(), entry, standing, Arc::clone(&self.inner.world));
        let gone = {
            let mut map = self.inner.servers.map();
            let old = map.insert(id, Arc::clone(&upstream));
            old.map(|old| (retire(&old, Some(&upstream)), old))
        };
        self.after(before, gone.into_iter().collect());
    }

    /// Removes a server; `false` if there is none of this id.
    pub async fn remove_server(&self, id: &ServerId) -> bool {
        let _alone = self.inner.servers.changing.lock().await;
        let before = self.shown();
        let gone = {
            let old = self.inner.servers.map().shift_remove(id);
            old.map(|old| (retire(&old, None), old))
        };
        let was_there = gone.is_some();
        self.after(before, gone.into_iter().collect());
        was_there
    }

    /// Ends what a session had for itself: at every server, and what was granted for it.
    pub async fn end_session(&self, session: &SessionId) {
        self.inner.desk.end_session(session);
        let mut ending = JoinSet::new();
        for upstream in self.inner.servers.all() {
            let session = session.clone();
            ending.spawn(async move { upstream.end_session(&session).await });
        }
        while ending.join_next().await.is_some() {}
    }

    /// Everything that follows from a change: what went is remembered until it is over, who listens
    /// is told, and what is to run is started.
    fn after(&self, before: shown::Shown, gone: Vec<(Option<Retiring>, Arc<Upstream>)>) {
        let Host { inner } = self;
        inner.world.changed();
        for (retiring, old) in gone {
            let Some(retiring) = retiring else { continue };
            if retiring.was_open() {
                let (server, state) = (old.id().clone(), ServerState::Idle);
                inner.world.listener.happened(HostEvent::State { server, state, error: None });
            }
            let mut known = inner.servers.retiring.lock().unwrap_or_else(PoisonError::into_inner);
            known.retain(|one| !one.is_over());
            known.push(retiring);
        }
        for upstream in inner.servers.all() {
            let is_wanted_now = upstream.is_eager() && upstream.is_usable();
            if is_wanted_now && !before.had(&upstream) {
                tokio::spawn(async move { upstream.connect().await });
            }
        }
        for (server, list) in before.changed(&self.shown()) {
            inner.world.listener.happened(HostEvent::ListChanged { server, list });
        }
    }
}

/// Ends one for its host. Done while nobody can look into the map, so that whoever finds one there
/// that is over finds its successor the next time.
fn retire(old: &Upstream, successor: Option<&Upstream>) -> Option<Retiring> {
    let retiring = old.retire();
    if let Some(successor) = successor {
        successor.follow(old, retiring.as_ref());
    }
    retiring
}

fn upstreams(
    world: &Arc<World>,
    entries: IndexMap<ServerId, Entry<Server>>,
    acceptances: &Acceptances,
) -> IndexMap<ServerId, Arc<Upstream>> {
    let upstream = |(id, entry): (ServerId, Entry<Server>)| {
        let standing = standing(&id, &entry, acceptances);
        (id.clone(), Upstream::new(id, entry, standing, Arc::clone(world)))
    };
    entries.into_iter().map(upstream).collect()
}

fn standing(id: &ServerId, entry: &Entry<Server>, acceptances: &Acceptances) -> Standing {
    let (grade, trust) = (entry.origin.grade, entry.value.declared_trust);
    acceptances.standing(grade, EntryKind::Server, id.as_str(), &entry.fingerprint, trust)
}
