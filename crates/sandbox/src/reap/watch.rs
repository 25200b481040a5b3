//! Waiting for what a reaper waits for: a child's end, a word to end, the parent.
//!
//! Signals arrive here as data and nowhere else; no handler runs in a reaper.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

pub(super) struct ReaperWatch<'p> {
    signals: SignalFd,
    parent: Option<BorrowedFd<'p>>,
    interest: PollFlags,
}

/// What happened; a child's end is found out by reaping.
#[derive(Default)]
pub(super) struct WatchedEvents {
    pub(super) terminate: bool,
    pub(super) readable: bool,
    /// The parent's end of the socket is closed.
    pub(super) gone: bool,
    /// Somebody wants something made.
    pub(super) rang: bool,
    /// And nobody ever will again.
    pub(super) nobody_rings: bool,
    /// Somebody wants something of the network.
    pub(super) network: bool,
}

impl<'p> ReaperWatch<'p> {
    /// The signals must be blocked already.
    pub(super) fn new(parent: &'p UnixStream, interest: PollFlags) -> nix::Result<Self> {
        let mut mask = SigSet::empty();
        mask.add(Signal::SIGCHLD);
        mask.add(Signal::SIGTERM);
        let signals = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Self { signals, parent: Some(parent.as_fd()), interest })
    }

    /// A closed socket stays ready for ever.
    pub(super) fn forget_parent(&mut self) {
        self.parent = None;
    }

    /// `bell` is one more thing to wait for, and so is each of the network's.
    pub(super) fn wait(
        &mut self,
        limit: Option<Duration>,
        bell: Option<BorrowedFd<'_>>,
        network: &[BorrowedFd<'_>],
    ) -> nix::Result<WatchedEvents> {
        // A part of a millisecond counts as one, or the last of a wait would be spent spinning.
        let limit = limit.map(|limit| limit + Duration::from_micros(999));
        let timeout = limit.map_or(PollTimeout::NONE, |limit| {
            PollTimeout::try_from(limit).unwrap_or(PollTimeout::MAX)
        });
        let mut watched = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        let parents_place = self.parent.map(|_| 1);
        watched.extend(self.parent.map(|parent| PollFd::new(parent, self.interest)));
        let bells_place = bell.map(|_| watched.len());
        watched.extend(bell.map(|bell| PollFd::new(bell, PollFlags::POLLIN)));
        let before_network = watched.len();
        watched.extend(network.iter().map(|fd| PollFd::new(*fd, PollFlags::POLLIN)));
        match poll(&mut watched, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
        let is_ready = |one: &PollFd<'_>| one.any().unwrap_or(true);
        let network = watched.iter().skip(before_network).any(is_ready);
        let mut seen = WatchedEvents { network, ..WatchedEvents::default() };
        let events_at = |place: Option<usize>| watched.get(place?).and_then(PollFd::revents);
        if let Some(events) = events_at(bells_place) {
            seen.rang = events.contains(PollFlags::POLLIN);
            seen.nobody_rings = events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR);
        }
        if let Some(events) = events_at(parents_place) {
            seen.readable = events.contains(PollFlags::POLLIN);
            seen.gone = events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR);
        }
        while let Ok(Some(signal)) = self.signals.read_signal() {
            seen.terminate |= signal.ssi_signo == Signal::SIGTERM as u32;
        }
        Ok(seen)
    }
}
