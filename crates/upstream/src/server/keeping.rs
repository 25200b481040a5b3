//! What watches over a connection: it is stopped when nobody uses it, missed when it is lost, and
//! listened to where the server only speaks to those who listen.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use toolgate_types::{HostEvent, LogLevel};
use toolgate_wire::Era;

use super::Upstream;
use super::connecting::{part_when_unused, part_with};
use super::failure::is_refusal;
use super::live::Live;
use crate::Wanted;

/// A stream of changes that ended is opened again after so long.
const LISTEN_AGAIN: Duration = Duration::from_secs(5);

impl Upstream {
    pub(super) fn watch_over(&self, live: &Arc<Live>) {
        if !self.is_eager() {
            let keeper = stop_when_idle(self.me.clone(), Arc::downgrade(live));
            live.keep(tokio::spawn(keeper).abort_handle());
        }
        let keeper = match live.connection.handshake().era() {
            Era::Modern => tokio::spawn(listen(self.me.clone(), Arc::downgrade(live))),
            Era::Legacy => tokio::spawn(greet(self.me.clone(), Arc::downgrade(live))),
        };
        live.keep(keeper.abort_handle());
    }

    /// The connection with this number is over.
    pub(super) fn lost(&self, serial: u64, reason: String) {
        let live = {
            let mut state = self.state();
            if state.live.as_ref().is_none_or(|live| live.serial != serial) {
                return;
            }
            state.lifecycle.lost(Instant::now(), reason);
            state.live.take()
        };
        self.tell();
        if let Some(live) = live {
            tokio::spawn(async move { part_when_unused(&live).await });
        }
        self.revive();
    }

    pub(super) fn needs_login(&self, serial: u64, reason: String) {
        let live = {
            let mut state = self.state();
            if state.live.as_ref().is_none_or(|live| live.serial != serial) {
                return;
            }
            state.lifecycle.login_needed(Instant::now(), reason);
            state.live.take()
        };
        self.tell();
        let server = self.id.clone();
        self.world.listener.happened(HostEvent::LoginNeeded { server });
        if let Some(live) = live {
            tokio::spawn(async move { part_when_unused(&live).await });
        }
    }

    /// Tells a running server of the older era how much to say; others are told when they start, or
    /// with each operation.
    pub async fn tell_log_level(&self, level: LogLevel) {
        let live = self.state().live.clone();
        if let Some(live) = live.filter(|live| live.connection.handshake().offers("logging")) {
            let _ = live.connection.set_log_level(level).await;
        }
    }

    /// Brings a server back that is to stay; others come back when they are used.
    pub(super) fn revive(&self) {
        if !self.is_eager() {
            return;
        }
        let (me, wait, serial) = {
            let state = self.state();
            let wait = state.lifecycle.retry_in(Instant::now()).unwrap_or_default();
            (self.me.clone(), wait, state.serial)
        };
        tokio::spawn(async move {
            sleep(wait).await;
            if let Some(upstream) = me.upgrade()
                // Closed, or tried by somebody else meanwhile.
                && upstream.state().serial == serial
            {
                // A further failure comes back here by itself.
                let _ = upstream.connect().await;
            }
        });
    }

    /// Ends this connection, unless somebody uses it after all.
    async fn stop(&self, serial: u64) {
        let live = {
            let mut state = self.state();
            let idle = |live: &&Arc<Live>| live.serial == serial && live.unused_since().is_some();
            if state.live.as_ref().filter(idle).is_none() {
                return;
            }
            state.serial += 1;
            state.lifecycle.stopped(Instant::now());
            state.live.take()
        };
        self.tell();
        if let Some(live) = live {
            // Not in the keeper, which ends with the connection.
            tokio::spawn(async move { part_with(&live).await });
        }
    }
}

async fn stop_when_idle(upstream: Weak<Upstream>, live: Weak<Live>) {
    loop {
        let end = {
            let (Some(upstream), Some(live)) = (upstream.upgrade(), live.upgrade()) else { return };
            let patience = upstream.entry.value.idle_timeout.duration();
            let now = Instant::now();
            match live.unused_since() {
                Some(since) if now >= since + patience => {
                    upstream.stop(live.serial).await;
                    return;
                }
                Some(since) => since + patience,
                None => now + patience,
            }
        };
        sleep_until(end).await;
    }
}

/// A modern server tells of changes only on a stream that was asked for.
async fn listen(upstream: Weak<Upstream>, live: Weak<Live>) {
    let Some(mut subscriptions) = upstream.upgrade().map(|up| up.subscriptions.subscribe()) else {
        return;
    };
    loop {
        let Some(live) = live.upgrade() else { return };
        let wanted = subscriptions.borrow_and_update().wanted(&live);
        if wanted == Wanted::default() {
            drop(live);
            if subscriptions.changed().await.is_err() {
                return;
            }
            continue;
        }
        tokio::select! {
            ended = live.connection.listen(&wanted) => {
                // One that refuses has no such stream; its lists are asked for by their age.
                if ended.is_err_and(|error| is_refusal(&error)) {
                    return;
                }
            }
            changed = subscriptions.changed() => match changed {
                Ok(()) => continue,
                Err(_) => return,
            },
        }
        drop(live);
        sleep(LISTEN_AGAIN).await;
        // Whatever changed in between was not heard.
        if let Some(upstream) = upstream.upgrade() {
            upstream.state().catalog.reconnected();
        }
    }
}

/// An older server is told once what it should tell us.
async fn greet(upstream: Weak<Upstream>, live: Weak<Live>) {
    let (Some(upstream), Some(live)) = (upstream.upgrade(), live.upgrade()) else { return };
    if let Some(level) = upstream.world.log_level()
        && live.connection.handshake().offers("logging")
    {
        let _ = live.connection.set_log_level(level).await;
    }
    upstream.subscribe_again(&live).await;
}
