//! The end of an instance that no host has any more: at once where nobody uses it, else when the
//! last operation is done. None is broken off because its entry was changed or removed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tracing::debug;

use super::ServerInstance;
use super::connect::part_with;
use super::flight::SharedFlight;
use super::live::LiveConnection;

/// Signs of life stretch an operation to at most so many times its time-out.
const CEILING: u32 = 12;

/// An instance that is about to end, with those that sessions have for themselves.
#[derive(Debug)]
pub struct RetiringInstance {
    /// The shared one first.
    all: Vec<LeavingInstance>,
    was_open: bool,
}

#[derive(Debug)]
struct LeavingInstance {
    instance: Weak<ServerInstance>,
    /// Its goodbye, where that has begun.
    goodbye: Option<SharedFlight<()>>,
}

impl RetiringInstance {
    /// Ends it now, whatever it is doing, and waits for that.
    pub async fn end(self) {
        let mut ending = JoinSet::new();
        for LeavingInstance { instance, goodbye } in self.all {
            ending.spawn(async move {
                if let Some(goodbye) = goodbye {
                    goodbye.landed().await;
                }
                if let Some(instance) = instance.upgrade() {
                    instance.close().await;
                }
            });
        }
        while ending.join_next().await.is_some() {}
    }

    pub fn is_over(&self) -> bool {
        self.all.iter().all(|LeavingInstance { instance, goodbye }| {
            let is_closed = instance.upgrade().is_none_or(|one| one.state().live.is_none());
            is_closed && goodbye.as_ref().is_none_or(SharedFlight::has_landed)
        })
    }

    /// Whether it was connected, or about to be.
    pub fn was_open(&self) -> bool {
        self.was_open
    }
}

impl ServerInstance {
    /// Begins its end; from now on nobody begins to use it.
    pub(crate) fn retire(self: &Arc<Self>) -> RetiringInstance {
        let own = self.sessions.take();
        let own: Vec<_> = own.iter().flat_map(|own| own.retire().all).collect();
        let (unused, used, was_open) = {
            let mut state = self.state();
            state.is_retired = true;
            state.serial += 1;
            let was_open = state.live.is_some() || state.attempt.is_some();
            if let Some(attempt) = state.attempt.take() {
                attempt.break_off();
                state.lifecycle.stopped(Instant::now());
            }
            match state.live.clone() {
                Some(live) if live.end_if_unused() => {
                    state.lifecycle.stopped(Instant::now());
                    (state.live.take(), None, was_open)
                }
                live => (None, live, was_open),
            }
        };
        if was_open {
            debug!(server = self.id.as_str(), in_use = used.is_some(), "no host has it any more");
        }
        let goodbye = unused.map(|live| SharedFlight::begin(async move { part_with(&live).await }));
        if let Some(live) = used {
            let me = Arc::clone(self);
            tokio::spawn(async move {
                me.until_unused(&live).await;
                me.close().await;
            });
        }
        let me = Arc::clone(self);
        if tokio::runtime::Handle::try_current().is_ok() {
            tokio::spawn(async move { me.leave_older().await });
        }
        let mut all = vec![LeavingInstance { instance: Arc::downgrade(self), goodbye }];
        all.extend(own);
        RetiringInstance { all, was_open }
    }

    /// It takes the place of another: that one ends first, unless it is still in use.
    pub(crate) fn follow(&self, predecessor: &RetiringInstance) {
        let goodbye = predecessor.all.first().and_then(|one| one.goodbye.clone());
        self.state().predecessor = goodbye;
    }

    /// The next who uses it gets another connection; what is under way is done on the old one.
    pub(crate) async fn set_aside(self: &Arc<Self>) {
        let live = {
            let mut state = self.state();
            let Some(live) = state.live.take() else { return };
            state.serial += 1;
            state.lifecycle.stopped(Instant::now());
            live
        };
        self.log_end(live.serial, "set aside for another connection");
        if live.end_if_unused() {
            return part_with(&live).await;
        }
        live.end();
        let me = Arc::clone(self);
        tokio::spawn(async move {
            me.until_unused(&live).await;
            part_with(&live).await;
        });
    }

    pub(super) async fn until_unused(&self, live: &LiveConnection) {
        let _ = timeout(self.longest_operation(), live.is_unused()).await;
    }

    /// Ends its connection and those of its sessions.
    pub(crate) async fn close_all(&self) {
        let mut closing = JoinSet::new();
        for own in self.sessions.take() {
            closing.spawn(async move { own.close().await });
        }
        self.close().await;
        while closing.join_next().await.is_some() {}
    }

    /// Longer than this nothing takes, whatever signs of life it gives.
    fn longest_operation(&self) -> Duration {
        let server = &self.entry.value;
        let own = server.tool_settings.values().filter_map(|tool| tool.timeout);
        let limits = own.chain([server.timeouts.tool, server.timeouts.request]);
        let longest = limits.map(|limit| limit.duration()).max().unwrap_or_default();
        longest.saturating_mul(CEILING)
    }
}
