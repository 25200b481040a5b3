//! A list of tools held against what was accepted of them: what differs is listed as accepted, with
//! what the server says beside it.
//!
//! Nothing is asked or kept here; the pins are given.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_store::{Pin, SeenTool};
use toolgate_types::{Definition, visible};

use super::CatalogListing;

type PinsByTool = BTreeMap<String, Pin>;

/// A tool that finds no room among the pins has none, and what has none is not believed.
const NO_ROOM: &str = "more was seen of its server than is kept; forget its pins";

const UNREADABLE: &str = "what was accepted of it cannot be read; forget the pins of its server";

impl CatalogListing {
    /// Its tools, to be pinned. Of two with one name the first is meant; the other then differs from
    /// what was accepted, and is told as that.
    pub(crate) fn seen(&self) -> Vec<SeenTool> {
        let mut known = HashSet::new();
        let items = self.items.iter().filter(|item| known.insert(&*item.key));
        let seen = |item: &Arc<Definition>| SeenTool {
            tool: item.key.to_string(),
            definition: item.raw.get().to_owned(),
        };
        items.map(seen).collect()
    }

    /// What the server just sent, as it was accepted. What is as it was before stays the very same.
    pub(crate) fn pinned(&self, pins: &PinsByTool, before: Option<&Self>) -> Self {
        let before = before.map(Self::by_tool).unwrap_or_default();
        let mut listing = self.without_tools();
        for sent in &self.items {
            match pins.get(&*sent.key) {
                Some(pin) => listing.take(sent, pin, before.get(&*sent.key).copied()),
                None => listing.leave_out(&sent.key, NO_ROOM),
            }
        }
        listing
    }

    /// The same list after the pins changed. What has no pin any more is listed as it is, until the
    /// server is asked again.
    pub(crate) fn repinned(&self, pins: &PinsByTool) -> Self {
        if self.from_snapshot {
            return self.restored(pins);
        }
        let mut listing = self.without_tools();
        for item in &self.items {
            let sent = self.drifted.get(&*item.key).unwrap_or(item);
            match pins.get(&*item.key) {
                Some(pin) => listing.take(sent, pin, Some(item)),
                None => listing.items.push(Arc::clone(sent)),
            }
        }
        listing
    }

    /// What was kept of an earlier run, as it is accepted now. What the server sent last is known
    /// from the pins themselves.
    pub(crate) fn restored(&self, pins: &PinsByTool) -> Self {
        let mut listing = self.without_tools();
        for item in &self.items {
            let Some(pin) = pins.get(&*item.key) else {
                listing.items.push(Arc::clone(item));
                continue;
            };
            let live = pin.live.as_deref().and_then(|live| defined(&pin.tool, live));
            listing.take(live.as_ref().unwrap_or(item), pin, Some(item));
            if live.is_none() {
                // An older snapshot says nothing against what was accepted since.
                listing.drifted.remove(&*item.key);
            }
        }
        listing
    }

    /// Lists a tool as it was accepted, and notes what was sent where that differs.
    fn take(&mut self, sent: &Arc<Definition>, pin: &Pin, before: Option<&Arc<Definition>>) {
        let is_accepted = |known: &&Arc<Definition>| known.raw.get() == pin.accepted;
        let known = before.filter(is_accepted).or(Some(sent).filter(is_accepted)).cloned();
        match known.or_else(|| defined(&pin.tool, &pin.accepted)) {
            Some(accepted) => self.items.push(accepted),
            None => self.leave_out(&pin.tool, UNREADABLE),
        }
        if sent.raw.get() != pin.accepted {
            self.drifted.insert(pin.tool.clone(), Arc::clone(sent));
        }
    }

    fn leave_out(&mut self, tool: &str, why: &str) {
        self.set_aside.push(format!("{}: {why}", visible(tool)));
    }

    fn without_tools(&self) -> Self {
        let Self { items: _, drifted: _, set_aside, cut, from_snapshot } = self;
        let (set_aside, cut, from_snapshot) = (set_aside.clone(), *cut, *from_snapshot);
        Self { set_aside, cut, from_snapshot, ..Self::default() }
    }

    pub(crate) fn by_tool(&self) -> HashMap<&str, &Arc<Definition>> {
        self.items.iter().map(|item| (&*item.key, item)).collect()
    }
}

fn defined(tool: &str, definition: &str) -> Option<Arc<Definition>> {
    let raw = RawValue::from_string(definition.to_owned()).ok()?;
    Some(Arc::new(Definition::new(tool.to_owned(), raw)))
}
