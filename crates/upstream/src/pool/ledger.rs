//! Who runs, and who has to go where there are too many of them or they take too much memory.
//!
//! Bookkeeping only, no I/O: when a server was last used and how much memory it takes is told, and
//! whoever is named here is stopped by others. What is in use, or is to stay, is never named.

use std::collections::BTreeMap;

use tokio::time::Instant;

/// How much may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Local processes that are servers; what they start themselves does not count.
    pub servers: usize,
    /// The resident memory of all their trees.
    pub memory_bytes: u64,
}

/// Which bound is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Servers(usize),
    Memory(u64),
}

/// One running server among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlaceId(u64);

/// Whether a server could be missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    InUse,
    UnusedSince(Instant),
}

/// What one who wants to start a server does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is room, and it is taken.
    Enter(PlaceId),
    /// This one goes first; then ask again.
    Stop(PlaceId),
    /// Somebody is leaving, or nobody can be missed.
    Wait(Limit),
}

#[derive(Debug)]
struct Running {
    /// It is to stay, whether it is used or not.
    stays: bool,
    usage: Usage,
    memory: Option<u64>,
    /// It was named, and is on its way out.
    is_leaving: bool,
}

#[derive(Debug)]
pub(crate) struct Ledger {
    bounds: Bounds,
    running: BTreeMap<PlaceId, Running>,
    next: u64,
    /// How many want to start one.
    waiting: usize,
}

impl Ledger {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, running: BTreeMap::new(), next: 0, waiting: 0 }
    }

    pub(crate) fn bound(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// One more wants to start a server, until [`Self::wants_no_more`].
    pub(crate) fn wants(&mut self) {
        self.waiting += 1;
    }

    pub(crate) fn wants_no_more(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// What one of those who want to start a server does next.
    pub(crate) fn step(&mut self, stays: bool) -> Step {
        let Some(limit) = self.reached() else {
            let place = PlaceId(self.next);
            self.next += 1;
            // Whoever starts it is about to use it.
            let usage = Usage::InUse;
            let running = Running { stays, usage, memory: None, is_leaving: false };
            self.running.insert(place, running);
            return Step::Enter(place);
        };
        match self.next_to_go(self.waiting) {
            Some(place) => Step::Stop(place),
            None => Step::Wait(limit),
        }
    }

    /// The next that has to go because too much runs already; ask again until there is none.
    pub(crate) fn excess(&mut self) -> Option<PlaceId> {
        self.next_to_go(0)
    }

    pub(crate) fn observe(&mut self, place: PlaceId, usage: Usage) {
        if let Some(running) = self.running.get_mut(&place) {
            running.usage = usage;
        }
    }

    /// What it takes; nothing where that cannot be read.
    pub(crate) fn measured(&mut self, place: PlaceId, memory: Option<u64>) {
        if let Some(running) = self.running.get_mut(&place) {
            running.memory = memory;
        }
    }

    pub(crate) fn memory(&self, place: PlaceId) -> Option<u64> {
        self.running.get(&place)?.memory
    }

    /// It was named, but somebody had begun to use it.
    pub(crate) fn stayed(&mut self, place: PlaceId) {
        if let Some(running) = self.running.get_mut(&place) {
            (running.usage, running.is_leaving) = (Usage::InUse, false);
        }
    }

    /// It has ended.
    pub(crate) fn left(&mut self, place: PlaceId) {
        self.running.remove(&place);
    }

    /// Which bound does not let one more in. What is on its way out is still there.
    fn reached(&self) -> Option<Limit> {
        let Bounds { servers, memory_bytes } = self.bounds;
        let memory: u64 = self.running.values().filter_map(|one| one.memory).sum();
        match (self.running.len() >= servers, memory > memory_bytes) {
            (true, _) => Some(Limit::Servers(servers)),
            (false, true) => Some(Limit::Memory(memory_bytes)),
            (false, false) => None,
        }
    }

    /// Names the least recently used that can be missed, unless those who are leaving already make
    /// enough room for so many.
    fn next_to_go(&mut self, newcomers: usize) -> Option<PlaceId> {
        let Bounds { servers, memory_bytes } = self.bounds;
        let staying = || self.running.values().filter(|one| !one.is_leaving);
        let too_many = staying().count() + newcomers > servers;
        let too_large = staying().filter_map(|one| one.memory).sum::<u64>() > memory_bytes;
        if !too_many && !too_large {
            return None;
        }
        let can_go = |(place, one): (&PlaceId, &Running)| match one.usage {
            // One whose memory is not known would make no room in it.
            Usage::UnusedSince(since)
                if !one.stays && !one.is_leaving && (too_many || one.memory.is_some()) =>
            {
                Some((since, *place))
            }
            _ => None,
        };
        let (_, place) = self.running.iter().filter_map(can_go).min()?;
        self.running.get_mut(&place)?.is_leaving = true;
        Some(place)
    }
}

#[cfg(test)]
mod tests;
