//! Hosts of people whom an issuer speaks for, let go when nobody is there any more.
//!
//! Whoever the issuer knows may come, once and never again, and each of them has a host of their own. Those of
//! the person and of the tokens that they made are few, and stay.

use std::sync::Arc;

use tokio::time::Instant;

use super::{ServedHost, ServedHosts};
use crate::place::CallerPlaces;
use crate::session::IDLE;

impl ServedHosts {
    /// Takes those out that nobody used for as long as a session lasts without use. Whoever comes next gets
    /// a new one.
    pub(crate) fn take_unused(&self, places: &CallerPlaces) -> Vec<Arc<ServedHost>> {
        let now = Instant::now();
        let mut made = self.made();
        let gone = made.extract_if(|(_, principal, _), cell| {
            // Whoever is about to be given it has the cell.
            let is_alone = Arc::strong_count(cell) == 1;
            principal.is_subject()
                && is_alone
                && cell.get().is_some_and(|served| served.is_over(now, places))
        });
        gone.filter_map(|(_, cell)| cell.get().cloned()).collect()
    }
}

impl ServedHost {
    /// Somebody is there, or was just now.
    pub(crate) fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// Whether nobody is there, came for long, or can come back for a call that waits; the places where they
    /// were are forgotten then.
    fn is_over(self: &Arc<Self>, now: Instant, places: &CallerPlaces) -> bool {
        if self.host.has_parked_calls() || places.is_somebody_at(self) {
            self.touch();
            return false;
        }
        now.duration_since(*self.used.lock()) > IDLE && places.forget_unused(self)
    }
}
