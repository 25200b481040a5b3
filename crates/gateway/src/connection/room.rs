//! Who is connected: those who have shown who they are, and those who have not yet.
//!
//! The two kinds never take each other's room. Among those that nobody knows, who is there longest
//! without asking for anything goes first when another comes; so however many sit there, whoever
//! comes next is heard. No socket is touched here, and the time is an argument: each connection is
//! told to leave and ends itself.

mod kinds;
mod place;

use parking_lot::{Mutex, MutexGuard};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use kinds::PeersByKind;
pub(crate) use place::{ConnectionPlace, UnderRequest};

/// However crowded it is, whoever connected has so long to be heard: one that speaks at once must
/// not have to go for those that came right behind it.
const HEARD_WITHIN: Duration = Duration::from_millis(200);

/// How many connections of each kind there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionBounds {
    pub(crate) known: usize,
    pub(crate) unknown: usize,
    /// Of the unknown, from one address. This machine's own is everybody's here, so it counts for
    /// others only.
    pub(crate) unknown_per_address: usize,
}

impl ConnectionBounds {
    /// So many in all: a quarter of them for those who have not shown a token, half of these from
    /// one address.
    pub(crate) fn within(connections: u32) -> Self {
        let all = usize::try_from(connections).unwrap_or(usize::MAX);
        let unknown = (all / 4).max(1);
        let known = all.saturating_sub(unknown).max(1);
        Self { known, unknown, unknown_per_address: (unknown / 2).max(1) }
    }

    /// For a socket that only this user reaches: so many may be about to say who they are, and
    /// nobody who did is counted.
    pub(crate) fn about_to_speak(unknown: usize) -> Self {
        Self { known: usize::MAX, unknown, unknown_per_address: unknown }
    }
}

/// All connections of one listener.
pub(crate) struct ConnectionRoom {
    bounds: ConnectionBounds,
    kinds: Mutex<PeersByKind>,
    /// Somebody left, or is not unknown any more.
    freed: Notify,
    began: Instant,
}

/// There is no room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoomForIt;

impl ConnectionRoom {
    pub(crate) fn new(bounds: ConnectionBounds) -> Arc<Self> {
        let (kinds, freed, began) = (Mutex::default(), Notify::new(), Instant::now());
        Arc::new(Self { bounds, kinds, freed, began })
    }

    /// Waits until somebody may come. It is never long: who has been here for a moment and asks for
    /// nothing can be told to leave.
    pub(crate) async fn has_room(&self) {
        loop {
            let freed = self.freed.notified();
            let Some(until) = self.full_until(Instant::now()) else { return };
            let _ = tokio::time::timeout_at(until, freed).await;
        }
    }

    /// When somebody can be told to leave; `None` where there is room or it can be made now.
    fn full_until(&self, now: Instant) -> Option<Instant> {
        let kinds = self.kinds();
        if kinds.unknown.len() < self.bounds.unknown {
            return None;
        }
        match kinds.longest_unknown(|_| true) {
            Some(oldest) => Some(oldest.since + HEARD_WITHIN).filter(|until| *until > now),
            // All are being answered, which does not take long.
            None => Some(now + HEARD_WITHIN),
        }
    }

    /// Takes in who connected. Where their kind has no room, the one that was there longest and asks
    /// for nothing is told to leave; of one address, only another of the same.
    pub(crate) fn enter(
        self: &Arc<Self>,
        address: Option<IpAddr>,
        now: Instant,
    ) -> Result<ConnectionPlace, NoRoomForIt> {
        let address = address.and_then(counted);
        let mut kinds = self.kinds();
        if let Some(address) = address {
            let is_its = |other: &place::ConnectedPeer| other.address == Some(address);
            let its = kinds.unknown.values().filter(|one| is_its(one)).count();
            if its >= self.bounds.unknown_per_address {
                let oldest = kinds.longest_unknown(is_its).ok_or(NoRoomForIt)?;
                if oldest.since + HEARD_WITHIN > now {
                    return Err(NoRoomForIt);
                }
                kinds.tell_to_leave(&oldest);
            }
        }
        if kinds.unknown.len() >= self.bounds.unknown {
            let oldest = kinds.longest_unknown(|_| true).ok_or(NoRoomForIt)?;
            kinds.tell_to_leave(&oldest);
        }
        let connected = kinds.take_in(address, now);
        drop(kinds);
        Ok(ConnectionPlace::new(Arc::clone(self), connected))
    }

    /// The system has no room for another, whatever ours is: one that nobody knows has to go.
    pub(crate) fn make_room(&self) {
        let mut kinds = self.kinds();
        if let Some(oldest) = kinds.longest_unknown(|_| true) {
            kinds.tell_to_leave(&oldest);
        }
    }

    /// It has shown who it is. Where those who did have no room, the one of them that asked for
    /// nothing for the longest is told to leave.
    fn knows(&self, connected: &Arc<place::ConnectedPeer>) -> Result<(), NoRoomForIt> {
        let mut kinds = self.kinds();
        if kinds.known.len() >= self.bounds.known {
            let idle = kinds.longest_idle().ok_or(NoRoomForIt)?;
            kinds.tell_to_leave(&idle);
        }
        kinds.knows(connected);
        drop(kinds);
        self.freed.notify_one();
        Ok(())
    }

    fn left(&self, connected: &place::ConnectedPeer) {
        self.kinds().forget(connected);
        self.freed.notify_one();
    }

    /// How many there are that nobody knows.
    pub(crate) fn unknown(&self) -> usize {
        self.kinds().unknown.len()
    }

    fn kinds(&self) -> MutexGuard<'_, PeersByKind> {
        // Changes are single insertions and removals, so a panic elsewhere left it whole.
        self.kinds.lock()
    }
}

/// What counts as one address: all of a network that one customer is given, and this machine's own
/// not at all.
fn counted(address: IpAddr) -> Option<IpAddr> {
    let address = address.to_canonical();
    match address {
        _ if address.is_loopback() => None,
        IpAddr::V4(_) => Some(address),
        IpAddr::V6(whole) => {
            let network = u128::from(whole) & (u128::MAX << 64);
            Some(IpAddr::V6(network.into()))
        }
    }
}

#[cfg(test)]
mod tests;
