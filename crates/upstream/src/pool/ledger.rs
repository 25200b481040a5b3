//! Who runs, and who has to go where there are too many of them or they take too much memory.
//!
//! Bookkeeping only, no I/O: when a server was last used and how much memory it takes is told, and
//! whoever is named here is stopped by others. What is in use, or is to stay, is never named.

use std::collections::BTreeMap;

use tokio::time::Instant;

/// How much may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolBounds {
    /// Local processes that are servers; what they start themselves does not count.
    pub servers: usize,
    /// The resident memory of all their trees.
    pub memory_bytes: u64,
}

/// Which bound is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolLimit {
    Servers(usize),
    Memory(u64),
}

/// One running server among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PoolSlotId(u64);

/// Whether a server could be missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerUsage {
    InUse,
    UnusedSince(Instant),
}

/// What one who wants to start a server does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartStep {
    /// There is room, and it is taken.
    Enter(PoolSlotId),
    /// This one goes first; then ask again.
    Stop(PoolSlotId),
    /// Somebody is leaving, or nobody can be missed.
    Wait(PoolLimit),
}

#[derive(Debug)]
struct RunningServer {
    /// It is to stay, whether it is used or not.
    stays: bool,
    usage: ServerUsage,
    memory: Option<u64>,
    /// It was named, and is on its way out.
    is_leaving: bool,
}

#[derive(Debug)]
pub(crate) struct PoolLedger {
    bounds: PoolBounds,
    running: BTreeMap<PoolSlotId, RunningServer>,
    next: u64,
    /// How many want to start one.
    waiting: usize,
}

impl PoolLedger {
    pub(crate) fn new(bounds: PoolBounds) -> Self {
        Self { bounds, running: BTreeMap::new(), next: 0, waiting: 0 }
    }

    pub(crate) fn bound(&mut self, bounds: PoolBounds) {
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
    pub(crate) fn step(&mut self, stays: bool) -> StartStep {
        let Some(limit) = self.reached() else {
            let place = PoolSlotId(self.next);
            self.next += 1;
            // Whoever starts it is about to use it.
            let usage = ServerUsage::InUse;
            let running = RunningServer { stays, usage, memory: None, is_leaving: false };
            self.running.insert(place, running);
            return StartStep::Enter(place);
        };
        match self.next_to_go(self.waiting) {
            Some(place) => StartStep::Stop(place),
            None => StartStep::Wait(limit),
        }
    }

    /// The next that has to go because too much runs already; ask again until there is none.
    pub(crate) fn excess(&mut self) -> Option<PoolSlotId> {
        self.next_to_go(0)
    }

    pub(crate) fn observe(&mut self, place: PoolSlotId, usage: ServerUsage) {
        if let Some(running) = self.running.get_mut(&place) {
            running.usage = usage;
        }
    }

    /// What it takes; nothing where that cannot be read.
    pub(crate) fn measured(&mut self, place: PoolSlotId, memory: Option<u64>) {
        if let Some(running) = self.running.get_mut(&place) {
            running.memory = memory;
        }
    }

    pub(crate) fn memory(&self, place: PoolSlotId) -> Option<u64> {
        self.running.get(&place)?.memory
    }

    /// It was named, but somebody had begun to use it.
    pub(crate) fn stayed(&mut self, place: PoolSlotId) {
        if let Some(running) = self.running.get_mut(&place) {
            (running.usage, running.is_leaving) = (ServerUsage::InUse, false);
        }
    }

    /// It has ended.
    pub(crate) fn left(&mut self, place: PoolSlotId) {
        self.running.remove(&place);
    }

    /// Which bound does not let one more in. What is on its way out is still there.
    fn reached(&self) -> Option<PoolLimit> {
        let PoolBounds { servers, memory_bytes } = self.bounds;
        let memory: u64 = self.running.values().filter_map(|one| one.memory).sum();
        match (self.running.len() >= servers, memory > memory_bytes) {
            (true, _) => Some(PoolLimit::Servers(servers)),
            (false, true) => Some(PoolLimit::Memory(memory_bytes)),
            (false, false) => None,
        }
    }

    /// Names the least recently used that can be missed, unless those who are leaving already make
    /// enough room for so many.
    fn next_to_go(&mut self, newcomers: usize) -> Option<PoolSlotId> {
        let PoolBounds { servers, memory_bytes } = self.bounds;
        let staying = || self.running.values().filter(|one| !one.is_leaving);
        let too_many = staying().count() + newcomers > servers;
        let too_large = staying().filter_map(|one| one.memory).sum::<u64>() > memory_bytes;
        if !too_many && !too_large {
            return None;
        }
        let can_go = |(place, one): (&PoolSlotId, &RunningServer)| match one.usage {
            // One whose memory is not known would make no room in it.
            ServerUsage::UnusedSince(since)
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
