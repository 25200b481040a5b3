//! What a server has: from its last word where that is fresh, from a snapshot where it does not run,
//! and else from the server itself.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, timeout_at};
use toolgate_store::Snapshot;
use toolgate_types::{Definition, HostEvent, ListKind, since_1970};
use toolgate_wire::ListKind as WireKind;

use super::Instance;
use super::flight::Flight;
use super::key::snapshot_key;
use super::live::{Live, Using};
use super::pinning::PinNews;
use crate::catalog::{Listing, snapshot};
use crate::server::is_refusal;
use crate::{Listed, PageLimits, RequestError, UpstreamError};

/// How long a list waits for one server before it goes on without it. Counted from when the server
/// was asked, so that a second list does not wait for the same server again.
pub const PATIENCE: Duration = Duration::from_secs(10);

impl Instance {
    /// What is known of a list now, without asking anybody.
    pub(crate) fn known(&self, kind: ListKind) -> Option<Arc<Listing>> {
        self.state().catalog.known(kind).cloned()
    }

    /// Whether [`Self::refresh`] would have nothing to do.
    pub(crate) fn is_settled(&self, kind: ListKind) -> bool {
        let now = Instant::now();
        let state = self.state();
        if state.is_retired || state.catalog.is_fresh(kind, now) {
            return true;
        }
        // What does not run is not started for a list that is already known.
        let knows = state.catalog.known(kind).is_some() && state.live.is_none();
        let may_start = state.lifecycle.retry_in(now).is_none();
        state.is_restored && (knows || (state.live.is_none() && !may_start))
    }

    /// Brings a list up to date where that is needed, within [`PATIENCE`].
    pub(crate) async fn refresh(&self, kind: ListKind) {
        self.restore().await;
        if self.is_settled(kind) {
            return;
        }
        let fetch = self.fetch(kind);
        let _ = timeout_at(fetch.began + PATIENCE, fetch.landed()).await;
    }

    /// The list as the server itself has it; starts the server where it does not run.
    pub(crate) async fn spoken(&self, kind: ListKind) -> Result<Arc<Listing>, UpstreamError> {
        self.connected().await?;
        let is_fresh = {
            let state = self.state();
            state.catalog.has_spoken(kind) && state.catalog.is_fresh(kind, Instant::now())
        };
        if !is_fresh {
            self.fetch(kind).landed().await.unwrap_or(Err(UpstreamError::Closed))?;
        }
        self.known(kind).ok_or(UpstreamError::Closed)
    }

    /// A connection to be used, where this very tool is known from what the running server said, and
    /// it did not say since that its tools changed.
    pub(crate) fn confirmed(&self, tool: &Definition) -> Option<Using> {
        let state = self.state();
        let live = state.live.as_ref()?;
        let is_it =
            |known: &Arc<Definition>| known.key == tool.key && known.raw.get() == tool.raw.get();
        let has_it = |all: &Listing| {
            // Nearly always it is the very one; only otherwise are texts compared.
            all.items.iter().any(|known| std::ptr::eq(&**known, tool))
                || all.items.iter().any(is_it)
        };
        let is_known = state.catalog.stands(ListKind::Tools)
            && state.catalog.known(ListKind::Tools).is_some_and(|all| has_it(all));
        let is_usable = is_known && !state.is_retired && live.connection.ended().is_none();
        if is_usable { live.begin() } else { None }
    }

    pub(super) fn fetch(&self, kind: ListKind) -> Flight<Result<(), UpstreamError>> {
        let mut state = self.state();
        if let Some(fetch) = &state.fetches[kind as usize] {
            return fetch.clone();
        }
        let me = self.me.clone();
        let fetch = Flight::begin(async move {
            let Some(instance) = me.upgrade() else { return Err(UpstreamError::Closed) };
            let fetched = instance.fetch_now(kind).await;
            instance.state().fetches[kind as usize] = None;
            fetched
        });
        state.fetches[kind as usize] = Some(fetch.clone());
        fetch
    }

    async fn fetch_now(&self, kind: ListKind) -> Result<(), UpstreamError> {
        let live = self.using().await?;
        let changes = self.state().catalog.changes(kind);
        let listed = match live.connection.handshake().offers(capability(kind)) {
            true => live.connection.list(wire_kind(kind), PageLimits::default()).await,
            false => Ok(Listed::default()),
        };
        let listed = match listed {
            Ok(listed) => listed,
            // Many a server declares resources and knows no templates.
            Err(error) if is_refusal(&error) && kind != ListKind::Tools => Listed::default(),
            Err(error) => return Err(self.not_listed(&live, kind, error)),
        };
        let ttl = listed.ttl_ms.map_or(self.ground.allowances.list_ttl(), Duration::from_millis);
        let listing = Listing::of(listed);
        let (listing, news) = match kind {
            ListKind::Tools => self.held_against_pins(listing).await,
            _ => (listing, PinNews::default()),
        };
        let differs = {
            let mut state = self.state();
            state.catalog.replace(kind, listing, ttl, changes, Instant::now())
        };
        self.tell_pins(news);
        match &self.shared {
            None if differs => self.list_came(kind),
            None => {}
            // Also where only what lies behind the list is new to it.
            Some(shared) => {
                let heard = shared.upgrade().zip(self.known(kind));
                heard.into_iter().for_each(|(shared, listing)| shared.learn(kind, listing));
            }
        }
        if differs {
            self.keep_snapshot().await;
        }
        Ok(())
    }

    /// Whoever was given a list before it came has an old one.
    fn list_came(&self, list: ListKind) {
        self.members.changed();
        self.members.tell(|| HostEvent::ListCame { server: self.id.clone(), list });
    }

    /// What the instance of a session says counts here as long as this one does not run.
    fn learn(&self, kind: ListKind, listing: Arc<Listing>) {
        let differs = {
            let mut state = self.state();
            state.live.is_none() && state.catalog.learn(kind, listing)
        };
        if differs {
            self.list_came(kind);
        }
    }

    /// A server whose tools cannot be listed is of no use; one that said them before still is.
    fn not_listed(&self, live: &Live, kind: ListKind, error: RequestError) -> UpstreamError {
        self.take_note(live, &error);
        let has_spoken = {
            let mut state = self.state();
            state.catalog.keep_for_now(kind, Instant::now());
            state.catalog.has_spoken(kind)
        };
        if kind == ListKind::Tools && !has_spoken {
            self.lost(live.serial, format!("its tools could not be listed: {error}"));
        }
        UpstreamError::Request(error)
    }

    /// Reads the snapshot and what was accepted, once.
    async fn restore(&self) {
        if std::mem::replace(&mut self.state().is_restored, true) {
            return;
        }
        let kept = match self.ground.uses_snapshots {
            true => self.kept().await,
            false => None,
        };
        let lists = kept.map(|kept| snapshot::read(&kept.body)).unwrap_or_default();
        let lists = self.restored(lists).await;
        {
            let mut state = self.state();
            for (kind, listing) in lists {
                state.catalog.restore(kind, listing);
            }
        }
        self.members.changed();
    }

    async fn kept(&self) -> Option<Snapshot> {
        let store = self.ground.store.as_ref()?;
        let secret = store.installation_key().await.ok()?;
        let key = snapshot_key(secret.as_bytes(), &self.entry, &self.ground);
        store.snapshot(key).await.ok()?
    }

    /// A snapshot that cannot be kept costs a wait at the next start, and nothing else.
    pub(super) async fn keep_snapshot(&self) {
        let Some(store) = &self.ground.store else { return };
        let Ok(secret) = store.installation_key().await else { return };
        let key = snapshot_key(secret.as_bytes(), &self.entry, &self.ground);
        let before = store.snapshot(key).await.ok().flatten();
        let before = before.as_ref().map(|before| before.body.as_str());
        let Some(body) = snapshot::write(&self.state().catalog, before) else { return };
        let taken_at = since_1970(SystemTime::now());
        let _ = store.keep_snapshot(key, Snapshot { body, taken_at }).await;
    }
}

fn capability(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Tools => "tools",
        ListKind::Resources | ListKind::ResourceTemplates => "resources",
        ListKind::Prompts => "prompts",
    }
}

fn wire_kind(kind: ListKind) -> WireKind {
    match kind {
        ListKind::Tools => WireKind::Tools,
        ListKind::Resources => WireKind::Resources,
        ListKind::ResourceTemplates => WireKind::ResourceTemplates,
        ListKind::Prompts => WireKind::Prompts,
    }
}
