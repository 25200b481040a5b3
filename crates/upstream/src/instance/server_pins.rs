//! What was accepted of a server's tools, as this process knows it, and the server held against it.
//!
//! The store has the last word and is asked at each list. Where it fails, what was known before goes
//! on to hold; where nothing was known, the first list is believed as it is, and that is told.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use toolgate_guard::compare;
use toolgate_store::{ObservedTools, Pin, PinKey, Store, StoreError};
use toolgate_types::{HostEvent, ListKind, PinnedBy, Severity, since_1970};

use super::ServerInstance;
use crate::catalog::CatalogListing;

/// The pins of one server, for its instance and those that sessions have for themselves.
pub(crate) struct ServerPins {
    key: PinKey,
    store: Arc<dyn Store>,
    known: Mutex<Option<Arc<KnownPins>>>,
}

/// The pins as they were last known.
struct KnownPins {
    pins: BTreeMap<String, Pin>,
    named: Arc<[String]>,
}

/// What a list says that the pins did not, to be told once the list is known.
#[derive(Default)]
pub(super) struct PinNews {
    new: Vec<String>,
    drifted: Vec<(String, Severity)>,
    /// Other tools are accepted by name than before.
    is_seen_otherwise: bool,
}

impl ServerPins {
    pub(crate) fn new(key: PinKey, store: Arc<dyn Store>) -> Self {
        Self { key, store, known: Mutex::default() }
    }

    pub(crate) fn key(&self) -> &PinKey {
        &self.key
    }

    pub(super) fn store(&self) -> &dyn Store {
        &*self.store
    }

    fn known(&self) -> Option<Arc<KnownPins>> {
        self.known.lock().clone()
    }

    /// Takes note of the pins. `true`: other tools are accepted by name than before.
    fn learn(&self, pins: BTreeMap<String, Pin>) -> (Arc<KnownPins>, bool) {
        let named = pins.values().filter(|pin| pin.named).map(|pin| pin.tool.clone()).collect();
        let now = Arc::new(KnownPins { pins, named });
        let mut known = self.known.lock();
        let before = known.replace(Arc::clone(&now));
        let differs = before.map_or(!now.named.is_empty(), |before| before.named != now.named);
        (now, differs)
    }

    /// The pins as the store has them.
    async fn read(&self) -> Result<(Arc<KnownPins>, bool), StoreError> {
        let pins = self.store.pins(&self.key).await?;
        Ok(self.learn(pins.into_iter().map(|pin| (pin.tool.clone(), pin)).collect()))
    }

    /// Holds a list against the pins, where nothing can be kept of what comes of it but here.
    async fn look(&self, listing: &CatalogListing, at: u64) -> ObservedTools {
        let known = self.known();
        let mut pins = known.map(|known| known.pins.clone()).unwrap_or_default();
        if let Ok(kept) = self.store.pins(&self.key).await {
            pins.extend(kept.into_iter().map(|pin| (pin.tool.clone(), pin)));
        }
        ObservedTools::of(pins.into_values().collect(), &listing.seen(), at)
    }
}

impl ServerInstance {
    /// Whose tools they are pinned as, where they are.
    pub(crate) fn pin_key(&self) -> Option<&PinKey> {
        self.ground.pins.as_deref().map(ServerPins::key)
    }

    /// The tools that a person accepted by name, as far as that is known now.
    pub(crate) fn accepted_by_name(&self) -> Arc<[String]> {
        let known = self.ground.pins.as_deref().and_then(ServerPins::known);
        known.map(|known| Arc::clone(&known.named)).unwrap_or_default()
    }

    /// Whether a tool was not there when the server was first listed, and no person accepted it since.
    pub(crate) fn came_later(&self, tool: &str) -> bool {
        let known = self.ground.pins.as_deref().and_then(ServerPins::known);
        let pin = known.as_ref().and_then(|known| known.pins.get(tool));
        pin.is_some_and(|pin| pin.by == PinnedBy::New)
    }

    /// The tools that the server just sent, as they were accepted.
    pub(super) async fn held_against_pins(
        &self,
        sent: CatalogListing,
    ) -> (CatalogListing, PinNews) {
        let Some(book) = &self.ground.pins else { return (sent, PinNews::default()) };
        let at = since_1970(SystemTime::now());
        let before = self.known(ListKind::Tools);
        let before = before.as_deref();
        let mut observed = match book.store.observe_tools(&book.key, sent.seen(), at).await {
            Ok(observed) => observed,
            Err(error) => {
                self.pins_failed(&error);
                book.look(&sent, at).await
            }
        };
        // The first list of a server says nothing new of it.
        observed
            .new
            .retain(|tool| observed.pins.get(tool).is_some_and(|pin| pin.by == PinnedBy::New));
        let (known, is_seen_otherwise) = book.learn(observed.pins);
        let listing = sent.pinned(&known.pins, before);
        let by_tool = listing.by_tool();
        let drifted = observed.drifted.into_iter().filter_map(|tool| {
            let live = listing.drifted(&tool)?;
            // A server of the same entry in another workspace may make it come and go; told it is
            // once.
            let told = before.and_then(|before| before.drifted(&tool));
            let is_told = told.is_some_and(|told| told.raw.get() == live.raw.get());
            let accepted = by_tool.get(&*tool).filter(|_| !is_told)?;
            let severity = compare(&accepted.raw, &live.raw).severity;
            Some((tool, severity))
        });
        let drifted = drifted.collect();
        (listing, PinNews { new: observed.new, drifted, is_seen_otherwise })
    }

    pub(super) fn tell_pins(&self, news: PinNews) {
        let PinNews { new, drifted, is_seen_otherwise } = news;
        if is_seen_otherwise {
            self.members.changed();
        }
        if !new.is_empty() {
            self.members.tell(|| {
                let (server, tools) = (self.id.clone(), new.clone());
                HostEvent::Pinned { server, tools }
            });
        }
        for (tool, severity) in drifted {
            self.members.tell(|| {
                let (server, tool) = (self.id.clone(), tool.clone());
                HostEvent::Drifted { server, tool, severity }
            });
        }
    }

    /// What an earlier run kept, as it is accepted now; the pins are read where they are not known.
    pub(super) async fn accepted_of_kept(
        &self,
        lists: Vec<(ListKind, CatalogListing)>,
    ) -> Vec<(ListKind, CatalogListing)> {
        let Some(book) = &self.ground.pins else { return lists };
        let known = match book.known() {
            Some(known) => known,
            None => match book.read().await {
                Ok((known, _)) => known,
                Err(error) => {
                    self.pins_failed(&error);
                    return lists;
                }
            },
        };
        let restore = |(kind, listing): (ListKind, CatalogListing)| match kind {
            ListKind::Tools => (kind, listing.restored(&known.pins)),
            _ => (kind, listing),
        };
        lists.into_iter().map(restore).collect()
    }

    /// The pins were changed by somebody else: what is known of the tools goes by them from now on.
    pub(crate) async fn repin(&self) {
        let Some(book) = &self.ground.pins else { return };
        self.hold_instructions_again().await;
        let (known, is_seen_otherwise) = match book.read().await {
            Ok(read) => read,
            Err(error) => return self.pins_failed(&error),
        };
        let repin = |instance: &Self| {
            let mut state = instance.state();
            state.catalog.repin(ListKind::Tools, |listing| listing.repinned(&known.pins))
        };
        for own in self.sessions.list() {
            own.hold_instructions_again().await;
            repin(&own);
        }
        let is_listed_otherwise = repin(self);
        if is_listed_otherwise || is_seen_otherwise {
            self.members.changed();
            let list = ListKind::Tools;
            self.members.tell(|| HostEvent::ListChanged { server: self.id.clone(), list });
        }
        if is_listed_otherwise {
            self.keep_snapshot().await;
        }
    }

    fn pins_failed(&self, error: &StoreError) {
        // Whoever opened the store only to look knows that nothing is kept.
        if *error != StoreError::ReadOnly {
            self.members.tell(|| {
                let (server, error) = (self.id.clone(), error.to_string());
                HostEvent::PinsFailed { server, error }
            });
        }
    }
}
