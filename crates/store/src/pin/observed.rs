//! What a server sends, held against what is pinned.
//!
//! Bookkeeping only: nothing is read or written, the time is given.

use std::collections::{BTreeMap, BTreeSet};

use toolgate_types::PinnedBy;

use crate::Pin;

/// The most that is kept of one server. One that has other tools at every turn must not fill the
/// disk; a tool beyond this has no pin.
pub(crate) const MOST_BYTES: usize = 64 << 20;

/// A tool as its server sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenTool {
    pub tool: String,
    pub definition: String,
}

/// What came of looking at all tools of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservedTools {
    /// All pins as they are now. What the server no longer has stays pinned.
    pub pins: BTreeMap<String, Pin>,
    /// The tools that have a pin since now.
    pub new: Vec<String>,
    /// Those that differ from what is accepted in a way that was not known.
    pub drifted: Vec<String>,
    pub(crate) changed: BTreeSet<String>,
}

impl ObservedTools {
    /// A tool without a pin gets one; where one differs, that is noted beside what is accepted; and
    /// one that is as accepted again loses that note.
    pub fn of(before: Vec<Pin>, seen: &[SeenTool], at: u64) -> Self {
        let by = if before.is_empty() { PinnedBy::First } else { PinnedBy::New };
        let kept: usize = before.iter().map(Pin::bytes).sum();
        let mut room = MOST_BYTES.saturating_sub(kept);
        let mut observed = Self::default();
        observed.pins.extend(before.into_iter().map(|pin| (pin.tool.clone(), pin)));
        for SeenTool { tool, definition } in seen {
            let Some(pin) = observed.pins.get_mut(tool) else {
                let pin = Pin {
                    tool: tool.clone(),
                    accepted: definition.clone(),
                    accepted_at: at,
                    by,
                    named: false,
                    live: None,
                    seen_at: None,
                };
                if let Some(left) = room.checked_sub(pin.bytes()) {
                    room = left;
                    observed.pins.insert(tool.clone(), pin);
                    observed.new.push(tool.clone());
                    observed.changed.insert(tool.clone());
                }
                continue;
            };
            let is_accepted = pin.accepted == *definition;
            if !is_accepted && pin.live.as_ref() == Some(definition) {
                continue;
            }
            if let Some(live) = pin.live.take() {
                room += live.len();
                pin.seen_at = None;
                observed.changed.insert(tool.clone());
            }
            if is_accepted {
                continue;
            }
            observed.drifted.push(tool.clone());
            if let Some(left) = room.checked_sub(definition.len()) {
                room = left;
                (pin.live, pin.seen_at) = (Some(definition.clone()), Some(at));
                observed.changed.insert(tool.clone());
            }
        }
        observed
    }

    /// The pins that are not as they were.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Pin> {
        self.changed.iter().filter_map(|tool| self.pins.get(tool))
    }
}

#[cfg(test)]
mod tests;
