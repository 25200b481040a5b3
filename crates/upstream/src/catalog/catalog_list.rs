//! One list of one server.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_types::Definition;

use crate::FetchedList;

/// What a server has of one kind, in its own order.
#[derive(Debug, Default)]
pub struct CatalogListing {
    pub items: Vec<Arc<Definition>>,
    /// Why items were left out, each with its place.
    pub set_aside: Vec<String>,
    /// Why the list was cut off, if it was.
    pub cut: Option<&'static str>,
    /// Kept from an earlier run; the server has not said it in this one.
    pub from_snapshot: bool,
    /// Tools that the server defines otherwise than they were accepted, as it does.
    pub(super) drifted: BTreeMap<String, Arc<Definition>>,
}

impl CatalogListing {
    pub(crate) fn of(listed: FetchedList) -> Self {
        let FetchedList { items, set_aside, cut, .. } = listed;
        let define = |(key, raw)| Arc::new(Definition::new(key, raw));
        let items = items.into_iter().map(define).collect();
        Self { items, set_aside, cut, ..Self::default() }
    }

    /// What the server sends for a tool where that is not what was accepted of it, which is listed.
    pub fn drifted(&self, tool: &str) -> Option<&Arc<Definition>> {
        self.drifted.get(tool)
    }

    /// Whether both hold the same definitions, byte for byte.
    pub(crate) fn same_items(&self, other: &Self) -> bool {
        let same = |(one, other): (&Arc<Definition>, &Arc<Definition>)| {
            one.key == other.key && one.raw.get() == other.raw.get()
        };
        self.items.len() == other.items.len() && self.items.iter().zip(&other.items).all(same)
    }

    /// Whether the same tools are defined otherwise than accepted, byte for byte.
    pub(super) fn same_drift(&self, other: &Self) -> bool {
        let raw = |listing: &Self| {
            let drifted = listing.drifted.iter();
            drifted
                .map(|(tool, live)| (tool.clone(), live.raw.get().to_owned()))
                .collect::<Vec<_>>()
        };
        raw(self) == raw(other)
    }

    /// Nothing was left out or cut off.
    pub(crate) fn is_complete(&self) -> bool {
        self.cut.is_none()
    }
}
