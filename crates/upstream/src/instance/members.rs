//! The hosts that have an instance: who is told what happens to it, and who still wants it.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use toolgate_types::{HostEvent, LogLevel, Secret, ServerId};

use crate::ServerSurroundings;

/// A host's part in an instance, from when its entry is loaded until it is not any more.
pub(crate) struct HostSeat {
    world: Arc<ServerSurroundings>,
    /// It used the instance, and did not close it since.
    wants: AtomicBool,
    has_left: AtomicBool,
}

impl HostSeat {
    pub(crate) fn new(world: &Arc<ServerSurroundings>) -> Arc<Self> {
        let (wants, has_left) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { world: Arc::clone(world), wants, has_left })
    }

    pub(crate) fn want(&self, wants: bool) {
        self.wants.store(wants, Ordering::Release);
    }

    pub(crate) fn wants(&self) -> bool {
        self.wants.load(Ordering::Acquire)
    }

    pub(crate) fn leave(&self) {
        self.has_left.store(true, Ordering::Release);
    }

    pub(crate) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::Acquire)
    }
}

/// Everybody who has an instance.
#[derive(Default)]
pub(crate) struct InstanceMembers(Mutex<Vec<Weak<HostSeat>>>);

impl InstanceMembers {
    pub(crate) fn add(&self, seat: &Arc<HostSeat>) {
        let mut seats = self.0.lock();
        seats.retain(|seat| seat.upgrade().is_some_and(|seat| !seat.has_left()));
        seats.push(Arc::downgrade(seat));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seats().is_empty()
    }

    /// Whether more than one host has it.
    pub(super) fn are_several(&self) -> bool {
        let seats = self.0.lock();
        let mut seats = seats.iter().filter_map(Weak::upgrade).filter(|seat| !seat.has_left());
        let first = seats.next();
        first.is_some_and(|first| seats.any(|one| !Arc::ptr_eq(&one.world, &first.world)))
    }

    /// Whether anybody still wants it to run.
    pub(crate) fn want_it(&self) -> bool {
        self.seats().iter().any(|seat| seat.wants())
    }

    /// The surroundings of each host, once: while it loads its configuration anew, it has two seats.
    pub(crate) fn worlds(&self) -> Vec<Arc<ServerSurroundings>> {
        let mut worlds: Vec<Arc<ServerSurroundings>> = Vec::new();
        for seat in self.seats() {
            if !worlds.iter().any(|world| Arc::ptr_eq(world, &seat.world)) {
                worlds.push(Arc::clone(&seat.world));
            }
        }
        worlds
    }

    /// What is to be heard once, however many there are.
    pub(super) fn tell_one(&self, event: HostEvent) {
        if let Some(world) = self.worlds().first() {
            world.listener.happened(event);
        }
    }

    pub(crate) fn tell(&self, event: impl Fn() -> HostEvent) {
        self.worlds().iter().for_each(|world| world.listener.happened(event()));
    }

    /// A line that the server wrote to its standard error.
    pub(super) fn complained(&self, server: &ServerId, line: &str) {
        self.worlds().iter().for_each(|world| world.listener.complained(server, line));
    }

    /// A token that the server is shown.
    pub(super) fn shown_token(&self, token: &Secret) {
        self.worlds().iter().for_each(|world| world.listener.shown_token(token));
    }

    /// Something that their lists depend on is no longer as it was.
    pub(super) fn changed(&self) {
        self.worlds().iter().for_each(|world| world.changed());
    }

    /// The level that does for all of them: a server has one.
    pub(super) fn log_level(&self) -> Option<LogLevel> {
        let wanted: Vec<_> = self.worlds().iter().map(|world| world.lowest_level()).collect();
        LogLevel::lowest_of(&wanted)
    }

    fn seats(&self) -> Vec<Arc<HostSeat>> {
        let seats = self.0.lock();
        seats.iter().filter_map(Weak::upgrade).filter(|seat| !seat.has_left()).collect()
    }
}
