//! What watches over a connection: it is stopped when nobody uses it, missed when it is lost, and
//! listened to where the server only speaks to those who listen.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use toolgate_types::HostEvent;
use toolgate_wire::Era;
use tracing::debug;

use super::ServerInstance;
use super::change_streams::hear_changes;
use super::connect::{part_when_unused, part_with};
use super::live::LiveConnection;
use crate::pool::PoolSlotId;

impl ServerInstance {
    pub(super) fn watch_over(&self, live: &Arc<LiveConnection>) {
        if !self.is_eager() {
            let keeper = end_when_idle(self.me.clone(), Arc::downgrade(live), |instance, live| {
                instance.stop(|one| one.serial == live.serial, "nobody used it for so long")
            });
            live.keep(tokio::spawn(keeper).abort_handle());
        }
        let keeper = match live.connection.handshake().era() {
            Era::Modern => tokio::spawn(hear_changes(self.me.clone(), Arc::downgrade(live))),
            Era::Legacy => tokio::spawn(greet(self.me.clone(), Arc::downgrade(live))),
        };
        live.keep(keeper.abort_handle());
    }

    /// The connection with this number is over.
    pub(super) fn lost(&self, serial: u64, reason: String) {
        let live = {
            let mut state = self.state();
            let Some(live) = state.live.take_if(|live| live.serial == serial) else { return };
            state.lifecycle.lost(Instant::now(), reason, live.answered());
            live
        };
        self.log_end(serial, "it was lost");
        self.log_back_off();
        self.tell();
        tokio::spawn(async move { part_when_unused(&live).await });
        self.revive(Duration::ZERO);
    }

    pub(super) fn needs_login(&self, serial: u64, reason: String) {
        let live = {
            let mut state = self.state();
            if state.live.as_ref().is_none_or(|live| live.serial != serial) {
                return;
            }
            state.logins_then = self.logins_state();
            state.lifecycle.login_needed(Instant::now(), reason);
            state.live.take()
        };
        self.log_end(serial, "the server wants a login");
        self.log_back_off();
        self.tell();
        self.members.tell(|| HostEvent::LoginNeeded { server: self.id.clone() });
        if let Some(live) = live {
            tokio::spawn(async move { part_when_unused(&live).await });
        }
    }

    /// Tells a running server of the older era how much to say; others are told when they start, or
    /// with each operation.
    pub(crate) async fn tell_log_level(&self) {
        let live = self.state().live.clone();
        if let Some(live) = live {
            live.tell_level(self.members.log_level()).await;
        }
        self.tell_log_level_in_older_era().await;
    }

    /// Brings a server back that is to stay; others come back when they are used.
    pub(super) fn revive(&self, at_least: Duration) {
        if !self.is_eager() {
            return;
        }
        let (me, wait, serial) = {
            let state = self.state();
            let wait = state.lifecycle.retry_in(Instant::now()).unwrap_or_default();
            let wait = wait.max(at_least);
            (self.me.clone(), wait, state.serial)
        };
        debug!(server = self.id.as_str(), try_in = ?wait, "it is to stay, and is tried again");
        tokio::spawn(async move {
            sleep(wait).await;
            if let Some(instance) = me.upgrade()
                // Closed, or tried by somebody else meanwhile.
                && instance.state().serial == serial
            {
                // A further failure comes back here by itself.
                let _ = instance.connect().await;
            }
        });
    }

    /// Ends what runs at this place of the pool, unless somebody uses it after all. `true`: it ends.
    pub(crate) fn stop_at(&self, place: PoolSlotId) -> bool {
        self.stop(|live| live.place() == Some(place), "another local server needs its room")
    }

    fn stop(&self, is_meant: impl Fn(&LiveConnection) -> bool, why: &'static str) -> bool {
        let live = {
            let mut state = self.state();
            if !state.live.as_ref().is_some_and(|live| is_meant(live) && live.end_if_unused()) {
                return false;
            }
            state.serial += 1;
            state.lifecycle.stopped(Instant::now());
            state.live.take()
        };
        self.tell();
        if let Some(live) = live {
            self.log_end(live.serial, why);
            // Not in the keeper, which ends with the connection.
            tokio::spawn(async move { part_with(&live).await });
        }
        true
    }
}

/// Ends a connection once nobody used it for as long as its server's entry says. Where `end` says that it
/// could not, since somebody came in that very moment, it is looked at again later.
pub(super) async fn end_when_idle(
    instance: Weak<ServerInstance>,
    live: Weak<LiveConnection>,
    end: impl Fn(&Arc<ServerInstance>, &LiveConnection) -> bool,
) {
    loop {
        let next = {
            let (Some(instance), Some(live)) = (instance.upgrade(), live.upgrade()) else { return };
            let patience = instance.entry.value.idle_timeout.duration();
            let now = Instant::now();
            match live.unused_since() {
                Some(since) if now < since + patience => since + patience,
                Some(_) if end(&instance, &live) => return,
                _ => now + patience,
            }
        };
        sleep_until(next).await;
    }
}

/// An older server is told once in each session what it should tell us.
async fn greet(instance: Weak<ServerInstance>, live: Weak<LiveConnection>) {
    loop {
        let renewals = {
            let (Some(instance), Some(live)) = (instance.upgrade(), live.upgrade()) else { return };
            live.tell_level(instance.members.log_level()).await;
            instance.subscribe_again(&live).await;
            live.connection.renewals()
        };
        // Nothing is held meanwhile: this ends with the connection.
        renewals.notified().await;
        let (Some(instance), Some(live)) = (instance.upgrade(), live.upgrade()) else { return };
        live.was_told_nothing();
        // What changed between the two sessions was told to nobody.
        instance.state().catalog.reconnected();
    }
}
