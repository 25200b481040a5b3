//! Waiting for servers whose lists are not known yet: all of them at once, and only so long.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::Instant;
use toolgate_types::{LONG_MESSAGE, ListKind, MovableWork, step_aside};
use toolgate_upstream::{ListWait, PATIENCE, Upstream};

use crate::{AudienceAddress, Host};

impl Host {
    /// How long the list of a client waits (`limits.list_wait_ms`). For one that never lists again the
    /// moment is given when its own patience ends: until then servers that are making progress are
    /// waited for.
    pub fn client_list_wait(&self, patience_ends: Option<Instant>) -> ListWait {
        let wait = ListWait::at_most(self.limits().list_wait.duration());
        match patience_ends {
            Some(end) => wait.for_progress_until(end),
            None => wait,
        }
    }

    /// Reads what earlier runs kept of the servers: their lists, and what they say of how to use them.
    /// Nothing is started.
    pub async fn recall(&self) {
        let mut recalling = JoinSet::new();
        for upstream in self.inner.servers.all() {
            // Together they are long, so that a thread that many share is not the one to read them.
            recalling.spawn(MovableWork::new(async move {
                step_aside(LONG_MESSAGE).await;
                upstream.recall().await;
            }));
        }
        while recalling.join_next().await.is_some() {}
    }

    /// Asks the servers whose tools were never known, so that they are from then on. Those that are
    /// known are not started, nor is anything that nobody accepted.
    pub async fn warm(&self) {
        self.await_list(ListKind::Tools, patient()).await;
    }

    /// The same of those that may be seen at an address, while whoever came there says what it wants.
    pub fn warm_at(&self, address: AudienceAddress) {
        let host = self.clone();
        tokio::spawn(async move {
            host.await_list_at(&address, ListKind::Tools, patient()).await;
        });
    }

    /// Asks the servers whose list is not known, or too old, and waits for them so long.
    pub async fn await_list(&self, kind: ListKind, wait: ListWait) {
        self.await_list_at(&AudienceAddress::Everything, kind, wait).await;
    }

    /// The same of those that may be seen at an address.
    pub async fn await_list_at(&self, address: &AudienceAddress, kind: ListKind, wait: ListWait) {
        match kind {
            ListKind::Tools | ListKind::Prompts => {
                self.refresh(kind, wait, |upstream| address.means(upstream.id())).await;
            }
            // Whether another server offers the same may be said in the other list.
            ListKind::Resources | ListKind::ResourceTemplates => self.await_offers(wait).await,
        }
    }

    /// Both lists of resources.
    pub(crate) async fn await_offers(&self, wait: ListWait) {
        let lists = [ListKind::Resources, ListKind::ResourceTemplates];
        let [resources, templates] = lists.map(|kind| self.refresh(kind, wait, |_| true));
        tokio::join!(resources, templates);
    }

    /// Brings a list of some servers up to date, all at once; then of those that took the place of
    /// others meanwhile.
    pub(crate) async fn refresh(
        &self,
        kind: ListKind,
        wait: ListWait,
        wanted: impl Fn(&Upstream) -> bool,
    ) {
        let mut asked: Vec<Arc<Upstream>> = Vec::new();
        loop {
            let mut refreshing = JoinSet::new();
            for upstream in self.inner.servers.all() {
                // One that a load replaced asks nobody, also where its successor has the same server.
                let is_new = !asked.iter().any(|one| Arc::ptr_eq(one, &upstream));
                if is_new && wanted(&upstream) && !upstream.is_settled(kind) {
                    asked.push(Arc::clone(&upstream));
                    refreshing.spawn(async move { upstream.refresh(kind, wait).await });
                }
            }
            if refreshing.is_empty() {
                return;
            }
            while refreshing.join_next().await.is_some() {}
        }
    }
}

/// The wait of whoever asks only once and has time.
pub(crate) fn patient() -> ListWait {
    ListWait::at_most(PATIENCE)
}
