//! What a server has: its four lists, how fresh each is, and what was known before it ran.
//!
//! Bookkeeping only: no I/O, the clock passed in. A list is dropped from use by its time to live, by
//! the server's word that it changed and by a new connection; what it held stays known until the
//! server has spoken again.

mod catalog_list;
mod known_instructions;
mod pinned;
pub(crate) mod snapshot;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolgate_types::ListKind;

pub use catalog_list::CatalogListing;
pub(crate) use known_instructions::KnownInstructions;

/// A server that says nothing can be believed for at most a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// After a list could not be fetched, the old one is used so long before it is tried again.
const AFTER_FAILURE: Duration = Duration::from_secs(5);

/// The lists of one server.
#[derive(Debug, Default)]
pub(crate) struct ServerCatalog([CatalogSlot; 4]);

#[derive(Debug, Default)]
struct CatalogSlot {
    listing: Option<Arc<CatalogListing>>,
    /// The server has said it itself, on some connection of this run.
    spoken: bool,
    fresh_until: Option<Instant>,
    /// How long it held when the server said it.
    ttl: Option<Duration>,
    /// It was said on this connection, and the server has not said since that it changed.
    stands: bool,
    /// How often the server said that it changed.
    changes: u64,
}

/// How often a list had changed when a fetch began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CatalogChanges(u64);

impl ServerCatalog {
    pub(crate) fn known(&self, kind: ListKind) -> Option<&Arc<CatalogListing>> {
        self.slot(kind).listing.as_ref()
    }

    pub(crate) fn is_fresh(&self, kind: ListKind, now: Instant) -> bool {
        self.slot(kind).fresh_until.is_some_and(|until| now < until)
    }

    /// How long the server's own word held from when it was said.
    pub(crate) fn ttl(&self, kind: ListKind) -> Option<Duration> {
        self.slot(kind).ttl
    }

    pub(crate) fn has_spoken(&self, kind: ListKind) -> bool {
        self.slot(kind).spoken
    }

    /// Whether it is the server's own word and nothing is known against it, however old it is.
    pub(crate) fn stands(&self, kind: ListKind) -> bool {
        self.slot(kind).stands
    }

    /// What was kept from an earlier run; it never replaces what the server said in this one.
    pub(crate) fn restore(&mut self, kind: ListKind, listing: CatalogListing) {
        let slot = self.slot_mut(kind);
        if !slot.spoken {
            slot.listing = Some(Arc::new(listing));
        }
    }

    /// What another run of the same server says while this one does not run. `true`: that is news.
    pub(crate) fn learn(&mut self, kind: ListKind, listing: Arc<CatalogListing>) -> bool {
        let slot = self.slot_mut(kind);
        let known = slot.listing.as_ref();
        let differs = known.is_none_or(|known| !known.same_items(&listing));
        if differs || known.is_some_and(|known| !known.same_drift(&listing)) {
            slot.listing = Some(listing);
        }
        differs
    }

    pub(crate) fn changes(&self, kind: ListKind) -> CatalogChanges {
        CatalogChanges(self.slot(kind).changes)
    }

    /// Takes what the server said. `true`: it is not what was known.
    pub(crate) fn replace(
        &mut self,
        kind: ListKind,
        listing: CatalogListing,
        ttl: Duration,
        fetched: CatalogChanges,
        now: Instant,
    ) -> bool {
        let slot = self.slot_mut(kind);
        let differs = slot.listing.as_ref().is_none_or(|known| !known.same_items(&listing));
        slot.listing = Some(Arc::new(listing));
        (slot.spoken, slot.ttl) = (true, Some(ttl));
        // Changed while it was fetched: what came may be either.
        let outdated = fetched.0 != slot.changes;
        slot.fresh_until = (!outdated).then(|| now + ttl.min(LONGEST));
        slot.stands = !outdated;
        differs
    }

    /// The same list held against other pins. `true`: other definitions are listed now.
    pub(crate) fn repin(
        &mut self,
        kind: ListKind,
        pin: impl FnOnce(&CatalogListing) -> CatalogListing,
    ) -> bool {
        let slot = self.slot_mut(kind);
        // What is being fetched was perhaps held against the old ones.
        slot.changes += 1;
        let Some(known) = &slot.listing else { return false };
        let listing = pin(known);
        let differs = !known.same_items(&listing);
        slot.listing = Some(Arc::new(listing));
        if differs {
            slot.fresh_until = None;
            slot.stands = false;
        }
        differs
    }

    /// It could not be fetched: what is known is used a little longer.
    pub(crate) fn keep_for_now(&mut self, kind: ListKind, now: Instant) {
        let slot = self.slot_mut(kind);
        if slot.listing.is_some() {
            slot.fresh_until = Some(now + AFTER_FAILURE);
        }
    }

    /// The server says that it changed. `true`: that is news.
    pub(crate) fn changed(&mut self, kind: ListKind) -> bool {
        let slot = self.slot_mut(kind);
        slot.changes += 1;
        slot.fresh_until = None;
        std::mem::take(&mut slot.stands)
    }

    /// A new connection: everything is asked anew.
    pub(crate) fn reconnected(&mut self) {
        for slot in &mut self.0 {
            slot.changes += 1;
            slot.fresh_until = None;
            slot.stands = false;
        }
    }

    fn slot(&self, kind: ListKind) -> &CatalogSlot {
        &self.0[kind as usize]
    }

    fn slot_mut(&mut self, kind: ListKind) -> &mut CatalogSlot {
        &mut self.0[kind as usize]
    }
}

#[cfg(test)]
mod tests;
