//! What a server has: from its last word where that is fresh, from a snapshot where it does not run,
//! and else from the server itself.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use toolgate_types::config::Transport;
use toolgate_types::{Definition, HostEvent, ListKind};
use toolgate_wire::ListMethod as WireKind;
use tracing::{debug, trace};

use super::flight::SharedFlight;
use super::live::{ConnectionUse, LiveConnection};
use super::server_pins::PinNews;
use super::{InstanceState, ServerInstance};
use crate::catalog::CatalogListing;
use crate::server::is_refusal;
use crate::{FetchedList, ListWait, PageLimits, RequestError, UpstreamError};

/// How long a list waits for one server on behalf of whoever asks only once and has time: a command, or
/// a program that embeds the host.
pub const PATIENCE: Duration = Duration::from_secs(10);

impl ServerInstance {
    /// What is known of a list now, without asking anybody.
    pub(crate) fn known(&self, kind: ListKind) -> Option<Arc<CatalogListing>> {
        self.state().catalog.known(kind).cloned()
    }

    /// How long a list holds from when its server said it.
    pub(crate) fn list_ttl(&self, kind: ListKind) -> Duration {
        let said = self.state().catalog.ttl(kind);
        said.unwrap_or_else(|| self.unsaid_ttl())
    }

    /// Where a server says nothing. What runs here is changed more often, and cheaper to ask.
    fn unsaid_ttl(&self) -> Duration {
        let ttl = self.ground.allowances.list_ttl();
        match &self.entry.value.transport {
            Transport::Remote(_) => ttl,
            Transport::Stdio(_) | Transport::Builtin | Transport::Commands(_) => ttl / 2,
        }
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
        let may_start = state.lifecycle.retry_in(now).is_none() || self.has_new_login(&state);
        state.is_restored && (knows || (state.live.is_none() && !may_start))
    }

    /// Brings a list up to date where that is needed. What takes longer than can be waited for goes
    /// on, and is told when it came.
    pub(crate) async fn refresh(&self, kind: ListKind, wait: ListWait) {
        self.restore().await;
        if self.is_settled(kind) {
            trace!(
                server = self.id.as_str(),
                list = capability(kind),
                "list answered by what is known"
            );
            return;
        }
        let fetch = self.fetch(kind);
        let over_at = || {
            let last_sign = self.state().last_sign;
            wait.over_at(fetch.began, last_sign.unwrap_or(fetch.began))
        };
        loop {
            let end = over_at();
            if timeout_at(end, fetch.clone().landed()).await.is_ok() {
                return;
            }
            // Heard of meanwhile?
            if over_at() <= end {
                debug!(server = self.id.as_str(), list = capability(kind), "list not waited for");
                return;
            }
        }
    }

    /// The list as the server itself has it; starts the server where it does not run.
    pub(crate) async fn spoken(
        &self,
        kind: ListKind,
    ) -> Result<Arc<CatalogListing>, UpstreamError> {
        self.connected().await?;
        let is_fresh = {
            let state = self.state();
            state.catalog.has_spoken(kind) && state.catalog.is_fresh(kind, Instant::now())
        };
        trace!(server = self.id.as_str(), list = capability(kind), is_fresh, "list for a call");
        if !is_fresh {
            self.fetch(kind).landed().await.unwrap_or(Err(UpstreamError::Closed))?;
        }
        self.known(kind).ok_or(UpstreamError::Closed)
    }

    /// A connection to be used, where this very tool is known from what the running server said, and
    /// it did not say since that its tools changed.
    pub(crate) fn confirmed(&self, tool: &Definition) -> Option<ConnectionUse> {
        let state = self.state();
        let live = state.live.as_ref()?;
        let is_it =
            |known: &Arc<Definition>| known.key == tool.key && known.raw.get() == tool.raw.get();
        let has_it = |all: &CatalogListing| {
            // Nearly always it is the very one; only otherwise are texts compared.
            all.items.iter().any(|known| std::ptr::eq(&**known, tool))
                || all.items.iter().any(is_it)
        };
        let is_known = state.catalog.stands(ListKind::Tools)
            && state.catalog.known(ListKind::Tools).is_some_and(|all| has_it(all));
        let is_usable = is_known && !state.is_retired && live.connection.ended().is_none();
        if is_usable { live.begin() } else { None }
    }

    pub(super) fn fetch(&self, kind: ListKind) -> SharedFlight<Result<(), UpstreamError>> {
        let mut state = self.state();
        if let Some(fetch) = &state.fetches[kind as usize] {
            return fetch.clone();
        }
        let me = self.me.clone();
        let fetch = SharedFlight::begin_since(asked_since(&state), async move {
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
            false => Ok(FetchedList::default()),
        };
        let listed = match listed {
            Ok(listed) => listed,
            // Many a server declares resources and knows no templates.
            Err(error) if is_refusal(&error) && kind != ListKind::Tools => FetchedList::default(),
            Err(error) => return Err(self.not_listed(&live, kind, error)),
        };
        let ttl = listed.ttl_ms.map_or(self.unsaid_ttl(), Duration::from_millis);
        let listing = CatalogListing::of(listed);
        let (listing, news) = match kind {
            ListKind::Tools => self.held_against_pins(listing).await,
            _ => (listing, PinNews::default()),
        };
        let items = listing.items.len();
        let (was_known, differs) = {
            let mut state = self.state();
            let was_known = state.catalog.known(kind).is_some();
            (was_known, state.catalog.replace(kind, listing, ttl, changes, Instant::now()))
        };
        debug!(
            server = self.id.as_str(),
            list = capability(kind),
            items,
            differs,
            ?ttl,
            "list fetched"
        );
        self.tell_pins(news);
        match &self.shared {
            // Who was told of nothing is told nothing new by an empty list.
            None if differs && !was_known && items == 0 => self.members.changed(),
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
    fn learn(&self, kind: ListKind, listing: Arc<CatalogListing>) {
        let differs = {
            let mut state = self.state();
            state.live.is_none() && state.catalog.learn(kind, listing)
        };
        if differs {
            self.list_came(kind);
        }
    }

    /// A server whose tools cannot be listed is of no use; one that said them before still is.
    fn not_listed(
        &self,
        live: &LiveConnection,
        kind: ListKind,
        error: RequestError,
    ) -> UpstreamError {
        debug!(server = self.id.as_str(), list = capability(kind), "list not fetched");
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
}

/// Since when it owes somebody an answer: all of its lists are waited for together.
fn asked_since(state: &InstanceState) -> Instant {
    let fetches = state.fetches.iter().flatten().map(|fetch| fetch.began);
    let attempt = state.attempt.as_ref().map(|attempt| attempt.began);
    fetches.chain(attempt).min().unwrap_or_else(Instant::now)
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
