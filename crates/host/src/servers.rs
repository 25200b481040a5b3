//! The servers of a host, and the pool that it has them from.

use std::sync::Arc;

use indexmap::IndexMap;
use parking_lot::{Mutex, RwLock, RwLockWriteGuard};
use tokio::sync::MutexGuard;
use tokio::task::JoinSet;
use toolgate_types::config::{Entry, LimitsSection, Server};
use toolgate_types::{Acceptances, EntryKind, EntryStanding, ServerId};
use toolgate_upstream::{Pool, PoolBounds, RetiringInstance, ServerSurroundings, Upstream};

/// By id, in the order of the configuration.
pub(crate) type UpstreamsById = IndexMap<ServerId, Arc<Upstream>>;

#[derive(Debug)]
pub(crate) struct HostServers {
    map: RwLock<UpstreamsById>,
    pool: HostPool,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
    /// Those that are no longer in the map, and not over yet.
    retiring: Mutex<Vec<RetiringInstance>>,
}

/// The servers of this host and of others.
#[derive(Debug)]
pub(crate) struct HostPool {
    pub(crate) pool: Pool,
    /// Whether no other host has that pool, so that this one says how large it is.
    pub(crate) is_own: bool,
}

impl HostServers {
    pub(crate) fn new(
        world: &Arc<ServerSurroundings>,
        pool: HostPool,
        entries: IndexMap<ServerId, Entry<Server>>,
        acceptances: &Acceptances,
    ) -> Self {
        let servers = Self {
            map: RwLock::default(),
            pool,
            changing: tokio::sync::Mutex::default(),
            retiring: Mutex::default(),
        };
        *servers.map() = servers.upstreams(world, entries, acceptances);
        servers
    }

    pub(crate) fn all(&self) -> Vec<Arc<Upstream>> {
        self.map.read().values().cloned().collect()
    }

    pub(crate) fn get(&self, id: &ServerId) -> Option<Arc<Upstream>> {
        self.map.read().get(id).cloned()
    }

    pub(crate) fn map(&self) -> RwLockWriteGuard<'_, UpstreamsById> {
        self.map.write()
    }

    /// While it is held, nobody else changes them.
    pub(crate) async fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().await
    }

    /// One server of this host.
    pub(crate) fn upstream(
        &self,
        world: &Arc<ServerSurroundings>,
        id: ServerId,
        entry: Entry<Server>,
        standing: EntryStanding,
    ) -> Arc<Upstream> {
        Upstream::new(id, entry, standing, Arc::clone(world), &self.pool.pool)
    }

    /// All servers of a configuration.
    pub(crate) fn upstreams(
        &self,
        world: &Arc<ServerSurroundings>,
        entries: IndexMap<ServerId, Entry<Server>>,
        acceptances: &Acceptances,
    ) -> UpstreamsById {
        let upstream = |(id, entry): (ServerId, Entry<Server>)| {
            let standing = standing(&id, &entry, acceptances);
            (id.clone(), self.upstream(world, id, entry, standing))
        };
        entries.into_iter().map(upstream).collect()
    }

    pub(crate) fn bound_pool(&self, limits: &LimitsSection) {
        if self.pool.is_own {
            self.pool.pool.bound(PoolBounds::from(limits));
        }
    }

    /// Remembers one until it is over.
    pub(crate) fn retires(&self, retiring: RetiringInstance) {
        let mut known = self.retiring.lock();
        known.retain(|one| !one.is_over());
        known.push(retiring);
    }

    /// Ends those that were on their way out, whatever they are doing.
    pub(crate) async fn end_retiring(&self) {
        let retiring = std::mem::take(&mut *self.retiring.lock());
        let mut ending = JoinSet::new();
        for one in retiring {
            ending.spawn(one.end());
        }
        while ending.join_next().await.is_some() {}
    }
}

fn standing(id: &ServerId, entry: &Entry<Server>, acceptances: &Acceptances) -> EntryStanding {
    let (grade, trust) = (entry.origin.grade, entry.value.declared_trust);
    acceptances.standing(grade, EntryKind::Server, id.as_str(), &entry.fingerprint, trust)
}
