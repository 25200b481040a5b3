//! The place of one connection in the room, from when it came until it is dropped.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{ConnectionRoom, NoRoomForIt};

/// One who is connected.
pub(super) struct ConnectedPeer {
    pub(super) number: u64,
    pub(super) address: Option<IpAddr>,
    pub(super) since: Instant,
    pub(super) leave: CancellationToken,
    is_known: AtomicBool,
    is_busy: AtomicBool,
    /// In nanoseconds of the room's own clock.
    last_used: AtomicU64,
    /// How often it asked for something before it was known.
    asked: AtomicU32,
}

impl ConnectedPeer {
    pub(super) fn new(number: u64, address: Option<IpAddr>, since: Instant) -> Self {
        Self {
            number,
            address,
            since,
            leave: CancellationToken::new(),
            is_known: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
            last_used: AtomicU64::new(0),
            asked: AtomicU32::new(0),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Acquire)
    }

    pub(super) fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }
}

/// While it is held, a connection has its place.
pub(crate) struct ConnectionPlace {
    room: Arc<ConnectionRoom>,
    connected: Arc<ConnectedPeer>,
}

impl ConnectionPlace {
    pub(super) fn new(room: Arc<ConnectionRoom>, connected: Arc<ConnectedPeer>) -> Self {
        Self { room, connected }
    }

    /// It has shown who it is, now or before.
    pub(crate) fn known(&self) -> Result<(), NoRoomForIt> {
        if !self.is_known() {
            self.room.knows(&self.connected)?;
            self.connected.is_known.store(true, Ordering::Release);
        }
        Ok(())
    }

    pub(crate) fn is_known(&self) -> bool {
        self.connected.is_known.load(Ordering::Acquire)
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.connected.is_busy()
    }

    /// It asks for something, and is not told to leave for as long as what it is given is held.
    pub(crate) fn asks(&self) -> UnderRequest {
        self.connected.is_busy.store(true, Ordering::Release);
        if !self.is_known() {
            self.connected.asked.fetch_add(1, Ordering::Relaxed);
        }
        UnderRequest { room: Arc::clone(&self.room), connected: Arc::clone(&self.connected) }
    }

    /// How often it asked for something and nobody knew it.
    pub(crate) fn asked_unknown(&self) -> u32 {
        self.connected.asked.load(Ordering::Relaxed)
    }

    /// Ends when nothing was asked for so long, from when it came or from the last answer on. It is looked
    /// after here and not with each request: that would cost each of them a clock.
    pub(crate) async fn silent_for(&self, longest: Duration) {
        loop {
            let now = Instant::now();
            // In this order: whoever is not busy any more has noted when that ended.
            let since = match self.is_busy() {
                true => now,
                false => {
                    let used = Duration::from_nanos(self.connected.last_used());
                    self.connected.since.max(self.room.began + used)
                }
            };
            let until = since + longest;
            if until <= now {
                return;
            }
            sleep_until(until).await;
        }
    }

    /// Ends when it has to leave.
    pub(crate) async fn told_to_leave(&self) {
        self.connected.leave.cancelled().await;
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.room.left(&self.connected);
    }
}

/// While it is held, a request of the connection is under way, up to the last byte of its answer.
pub(crate) struct UnderRequest {
    room: Arc<ConnectionRoom>,
    connected: Arc<ConnectedPeer>,
}

impl Drop for UnderRequest {
    fn drop(&mut self) {
        let now = u64::try_from(self.room.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.connected.last_used.store(now, Ordering::Relaxed);
        self.connected.is_busy.store(false, Ordering::Release);
    }
}
