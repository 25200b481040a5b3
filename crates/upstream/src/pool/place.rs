//! A place among the servers that run, and the wish for one. Both are given up by dropping them.

use std::sync::atomic::Ordering;

use super::{Pool, PoolSlotId};

/// Held as long as a local server runs.
pub(crate) struct PoolSlot {
    pool: Pool,
    id: PoolSlotId,
}

impl PoolSlot {
    pub(super) fn new(pool: &Pool, id: PoolSlotId) -> Self {
        Self { pool: pool.clone(), id }
    }

    pub(crate) fn id(&self) -> PoolSlotId {
        self.id
    }

    /// Nobody uses the server any more: one who waits may have its place.
    pub(crate) fn unused(&self) {
        if self.pool.0.waiting.load(Ordering::Acquire) > 0 {
            self.pool.0.news.notify_waiters();
        }
    }
}

impl Drop for PoolSlot {
    fn drop(&mut self) {
        {
            let mut running = self.pool.running();
            running.ledger.left(self.id);
            running.instances.remove(&self.id);
        }
        self.unused();
    }
}

/// Held by one who wants to start a server.
pub(super) struct SlotClaim(Pool);

impl SlotClaim {
    pub(super) fn new(pool: &Pool) -> Self {
        pool.0.waiting.fetch_add(1, Ordering::AcqRel);
        pool.running().ledger.wants();
        Self(pool.clone())
    }
}

impl Drop for SlotClaim {
    fn drop(&mut self) {
        self.0.running().ledger.wants_no_more();
        self.0.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}
