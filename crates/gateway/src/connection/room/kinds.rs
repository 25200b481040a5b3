//! Those who are connected, by whether anybody knows them. In the order in which they came.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::time::Instant;

use super::place::ConnectedPeer;

#[derive(Default)]
pub(super) struct PeersByKind {
    next: u64,
    pub(super) unknown: BTreeMap<u64, Arc<ConnectedPeer>>,
    pub(super) known: BTreeMap<u64, Arc<ConnectedPeer>>,
}

impl PeersByKind {
    pub(super) fn take_in(&mut self, address: Option<IpAddr>, now: Instant) -> Arc<ConnectedPeer> {
        let number = self.next;
        self.next += 1;
        let connected = Arc::new(ConnectedPeer::new(number, address, now));
        self.unknown.insert(number, Arc::clone(&connected));
        connected
    }

    /// Of the unknown that are meant and ask for nothing now, the one that came first.
    pub(super) fn longest_unknown(
        &self,
        is_meant: impl Fn(&ConnectedPeer) -> bool,
    ) -> Option<Arc<ConnectedPeer>> {
        let idle = |one: &&Arc<ConnectedPeer>| !one.is_busy() && is_meant(one);
        self.unknown.values().find(idle).cloned()
    }

    /// Of the known, the one that asked for nothing for the longest.
    pub(super) fn longest_idle(&self) -> Option<Arc<ConnectedPeer>> {
        let idle = self.known.values().filter(|one| !one.is_busy());
        idle.min_by_key(|one| one.last_used()).cloned()
    }

    pub(super) fn tell_to_leave(&mut self, connected: &ConnectedPeer) {
        connected.leave.cancel();
        self.forget(connected);
    }

    /// One that was told to leave meanwhile is answered and leaves.
    pub(super) fn knows(&mut self, connected: &Arc<ConnectedPeer>) {
        if self.unknown.remove(&connected.number).is_some() {
            self.known.insert(connected.number, Arc::clone(connected));
        }
    }

    pub(super) fn forget(&mut self, connected: &ConnectedPeer) {
        self.unknown.remove(&connected.number);
        self.known.remove(&connected.number);
    }
}
