//! What a server says of how to use it, as it was accepted, and what it says now where that differs.
//!
//! Bookkeeping only: nothing is read or written, the time is given. Having nothing to say is an
//! empty text and is accepted like any other: what a server begins to say later is a change.

use toolgate_types::PinnedBy;

/// The instructions of one server. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedInstructions {
    pub accepted: String,
    pub accepted_at: u64,
    pub by: PinnedBy,
    /// What the server said last, where that differs.
    pub live: Option<String>,
    /// When that was first seen.
    pub seen_at: Option<u64>,
}

/// What came of hearing a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedInstructions {
    pub pin: PinnedInstructions,
    /// It differs from what is accepted in a way that was not known.
    pub is_drifted: bool,
    pub(crate) is_changed: bool,
}

impl ObservedInstructions {
    /// What was never heard is accepted; where it differs, that is noted beside what is accepted;
    /// and what is as accepted again loses that note.
    pub fn of(before: Option<PinnedInstructions>, said: &str, at: u64) -> Self {
        let Some(mut pin) = before else {
            let (accepted, by) = (said.to_owned(), PinnedBy::First);
            let (live, seen_at) = (None, None);
            let pin = PinnedInstructions { accepted, accepted_at: at, by, live, seen_at };
            return Self { pin, is_drifted: false, is_changed: true };
        };
        let live = (pin.accepted != said).then(|| said.to_owned());
        let is_changed = pin.live != live;
        if is_changed {
            pin.seen_at = live.is_some().then_some(at);
            pin.live = live;
        }
        let is_drifted = is_changed && pin.live.is_some();
        Self { pin, is_drifted, is_changed }
    }
}

#[cfg(test)]
mod tests;
