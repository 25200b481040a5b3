//! The servers of a host, and how they change while it runs.

use std::sync::{Arc, PoisonError, RwLock};

use indexmap::IndexMap;
use toolgate_types::config::{Config, Entry, Server};
use toolgate_types::{Acceptances, EntryKind, ServerId, Standing};
use toolgate_upstream::{Upstream, World};

use crate::Host;
use crate::rulebook::{Rulebook, switch_off_forbidden};

/// By id, in the order of the configuration.
#[derive(Debug)]
pub(crate) struct Servers {
    map: RwLock<IndexMap<ServerId, Arc<Upstream>>>,
    /// One change at a time: the old connection is closed before the new one can be opened.
    changing: tokio::sync::Mutex<()>,
}

impl Servers {
    pub(crate) fn new(
        world: &Arc<World>,
        entries: IndexMap<ServerId, Entry<Server>>,
        acceptances: &Acceptances,
    ) -> Self {
        let upstreams = entries.into_iter().map(|(id, entry)| {
            let standing = standing(&id, &entry, acceptances);
            (id.clone(), Upstream::new(id, entry, standing, Arc::clone(world)))
        });
        Self { map: RwLock::new(upstreams.collect()), changing: tokio::sync::Mutex::default() }
    }

    pub(crate) fn all(&self) -> Vec<Arc<Upstream>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(crate) fn get(&self, id: &ServerId) -> Option<Arc<Upstream>> {
        self.map.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// Puts a server in the place of the one with its id, or at the end.
    fn put(&self, upstream: Arc<Upstream>) {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        map.insert(upstream.id().clone(), upstream);
    }

    fn take(&self, id: &ServerId) -> Option<Arc<Upstream>> {
        self.map.write().unwrap_or_else(PoisonError::into_inner).shift_remove(id)
    }

    fn order_as<'a>(&self, ids: impl Iterator<Item = &'a ServerId>) {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        for (place, id) in ids.enumerate() {
            if let Some(from) = map.get_index_of(id) {
                map.move_index(from, place);
            }
        }
    }
}

impl Host {
    /// Adds a server, or changes the one with this id: its connection is closed first.
    pub async fn set_server(&self, id: ServerId, mut entry: Entry<Server>, standing: Standing) {
        let rules = self.rulebook().administrator();
        if rules.is_some_and(|rules| rules.permits_server(&entry.value).is_err()) {
            entry.value.enabled = false;
        }
        let _alone = self.inner.servers.changing.lock().await;
        self.replace(id, entry, standing).await;
    }

    /// Removes a server; `false` if there is none of this id.
    pub async fn remove_server(&self, id: &ServerId) -> bool {
        let _alone = self.inner.servers.changing.lock().await;
        match self.inner.servers.take(id) {
            Some(upstream) => {
                upstream.remove().await;
                true
            }
            None => false,
        }
    }

    /// Takes a new configuration: what did not change goes on undisturbed.
    pub async fn reload(&self, config: &Config, acceptances: &Acceptances) {
        let _alone = self.inner.servers.changing.lock().await;
        let mut config = config.clone();
        switch_off_forbidden(&mut config, self.rulebook().administrator().as_deref());
        let config = &config;
        for upstream in self.inner.servers.all() {
            if !config.servers.contains_key(upstream.id()) {
                self.inner.servers.take(upstream.id());
                upstream.remove().await;
            }
        }
        for (id, entry) in &config.servers {
            let standing = standing(id, entry, acceptances);
            let same =
                self.inner.servers.get(id).is_some_and(|known| known.is_for(entry, &standing));
            if !same {
                self.replace(id.clone(), entry.clone(), standing).await;
            }
        }
        self.inner.servers.order_as(config.servers.keys());
        let known = self.rulebook();
        let (administrator, workspace) = (known.administrator(), known.workspace().clone());
        self.replace_rulebook(Rulebook::new(config, acceptances, administrator, workspace));
    }

    async fn replace(&self, id: ServerId, entry: Entry<Server>, standing: Standing) {
        if let Some(old) = self.inner.servers.get(&id) {
            old.remove().await;
        }
        let upstream = Upstream::new(id, entry, standing, Arc::clone(&self.inner.world));
        let is_wanted_now = upstream.is_eager() && upstream.is_usable();
        self.inner.servers.put(Arc::clone(&upstream));
        self.inner.world.changed();
        if is_wanted_now {
            tokio::spawn(async move { upstream.connect().await });
        }
    }
}

fn standing(id: &ServerId, entry: &Entry<Server>, acceptances: &Acceptances) -> Standing {
    let (grade, trust) = (entry.origin.grade, entry.value.declared_trust);
    acceptances.standing(grade, EntryKind::Server, id.as_str(), &entry.fingerprint, trust)
}
