//! How the servers of a host change while it runs.
//!
//! A load never waits for a server: what is under way on one that changed or went is done to its
//! end, and the new one is used from then on.

mod load;
mod shown;

use std::sync::Arc;

use tokio::task::JoinSet;
use toolgate_types::config::{Entry, Server};
use toolgate_types::{EntryStanding, HostEvent, ServerId, ServerState, SessionId};
use toolgate_upstream::{RetiringInstance, Upstream};

use crate::Host;
use crate::names::ConfiguredIds;

impl Host {
    /// The servers that a name may be read as.
    pub(crate) fn configured_ids(&self) -> Arc<ConfiguredIds> {
        let (rulebook, upstreams) = (self.rulebook(), self.inner.servers.all());
        self.inner.selections.lock().ids(&rulebook, &upstreams)
    }

    /// Adds a server, or changes the one with this id.
    pub async fn set_server(
        &self,
        id: ServerId,
        mut entry: Entry<Server>,
        standing: EntryStanding,
    ) {
        let rules = self.rulebook().administrator();
        if rules.is_some_and(|rules| rules.permits_server(&entry.value).is_err()) {
            entry.value.enabled = false;
        }
        let _alone = self.inner.servers.change().await;
        let before = self.shown();
        let Host { inner } = self;
        let upstream = inner.servers.upstream(&inner.world, id.clone(), entry, standing);
        let gone = {
            let mut map = self.inner.servers.map();
            let old = map.insert(id, Arc::clone(&upstream));
            old.map(|old| (retire(&old, Some(&upstream)), old))
        };
        self.after(before, gone.into_iter().collect());
    }

    /// Removes a server; `false` if there is none of this id.
    pub async fn remove_server(&self, id: &ServerId) -> bool {
        let _alone = self.inner.servers.change().await;
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
        self.inner.approvals.end_session(session);
        self.inner.parked.end_session(session);
        let mut ending = JoinSet::new();
        for upstream in self.inner.servers.all() {
            let session = session.clone();
            ending.spawn(async move { upstream.end_session(&session).await });
        }
        while ending.join_next().await.is_some() {}
    }

    /// Everything that follows from a change: what went is remembered until it is over, who listens
    /// is told, and what is to run is started.
    fn after(
        &self,
        before: shown::ShownLists,
        gone: Vec<(Option<RetiringInstance>, Arc<Upstream>)>,
    ) {
        let Host { inner } = self;
        inner.world.changed();
        for (retiring, old) in gone {
            let Some(retiring) = retiring else { continue };
            if retiring.was_open() {
                let (server, state) = (old.id().clone(), ServerState::Idle);
                inner.world.listener.happened(HostEvent::State { server, state, error: None });
            }
            inner.servers.retires(retiring);
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
fn retire(old: &Upstream, successor: Option<&Upstream>) -> Option<RetiringInstance> {
    let retiring = old.retire();
    if let Some(successor) = successor {
        successor.follow(old, retiring.as_ref());
    }
    retiring
}
