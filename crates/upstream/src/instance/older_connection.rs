//! A second connection to a remote server that speaks both eras, in the older one: for callers who can
//! be asked in the middle of a call. In the modern era such a server asks by its results, and many a
//! tool was written to ask on its connection alone.
//!
//! Lists and pins are those of the first connection. Subscriptions are on both: a server may tell each
//! of its sessions only what happened in it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use toolgate_types::config::Transport;
use toolgate_wire::Era;
use tracing::debug;

use super::ServerInstance;
use super::connect::part_with;
use super::live::{ConnectionUse, LiveConnection};
use super::watch_connection::end_when_idle;

/// A server that did not want to be spoken to in this way is not asked again for so long.
const ASK_AGAIN: Duration = Duration::from_secs(10 * 60);

/// So long a call waits for it: there is another way, which it has already.
const OPENED_WITHIN: Duration = Duration::from_secs(5);

/// Its number among connections: news of the first one are never about this one.
const SERIAL: u64 = u64::MAX;

#[derive(Default)]
pub(super) struct OlderConnection(Mutex<OlderState>);

#[derive(Default)]
struct OlderState {
    live: Option<Arc<LiveConnection>>,
    not_before: Option<Instant>,
}

impl OlderState {
    fn begin(&self) -> Option<ConnectionUse> {
        let live = self.live.as_ref().filter(|live| live.connection.ended().is_none())?;
        live.begin()
    }

    fn may_try(&self) -> bool {
        self.not_before.is_none_or(|moment| moment <= Instant::now())
    }
}

impl ServerInstance {
    /// The same server in the older era, where it speaks that too.
    pub(crate) async fn in_older_era(&self, first: ConnectionUse) -> ConnectionUse {
        if !self.may_have_two(&first) {
            return first;
        }
        let mut state = self.older.0.lock().await;
        if let Some(using) = state.begin() {
            return using;
        }
        if !state.may_try() {
            return first;
        }
        match timeout(OPENED_WITHIN, self.open_in_older_era()).await {
            Ok(Ok(connection)) => {
                let live = Arc::new(LiveConnection::new(connection, SERIAL, None));
                live.tell_level(self.members.log_level()).await;
                self.subscribe_again(&live).await;
                let keeper = end_when_idle(self.me.clone(), Arc::downgrade(&live), close_unused);
                live.keep(tokio::spawn(keeper).abort_handle());
                debug!(server = self.id.as_str(), "spoken to in both eras");
                let using = live.begin();
                state.live = Some(live);
                using.unwrap_or(first)
            }
            refused => {
                let why = match refused {
                    Ok(Err(error)) => error.kind(),
                    _ => "gave no answer in time",
                };
                debug!(server = self.id.as_str(), why, "spoken to in the modern era alone");
                state.not_before = Some(Instant::now() + ASK_AGAIN);
                first
            }
        }
    }

    /// The same where nothing has to be waited for; else nothing.
    pub(crate) fn in_older_era_now(&self, first: ConnectionUse) -> Option<ConnectionUse> {
        if !self.may_have_two(&first) {
            return Some(first);
        }
        let state = self.older.0.try_lock().ok()?;
        match state.begin() {
            None if !state.may_try() => Some(first),
            using => using,
        }
    }

    pub(super) async fn close_older(&self) {
        let live = self.older.0.lock().await.live.take();
        if let Some(live) = live {
            live.end();
            part_with(&live).await;
        }
    }

    /// The same once nobody uses it.
    pub(super) async fn leave_older(&self) {
        let live = self.older.0.lock().await.live.take();
        if let Some(live) = live {
            live.end();
            self.until_unused(&live).await;
            part_with(&live).await;
        }
    }

    /// What runs in the older era beside the first connection.
    pub(super) async fn live_in_older_era(&self) -> Option<ConnectionUse> {
        self.older.0.lock().await.begin()
    }

    pub(super) async fn tell_log_level_in_older_era(&self) {
        let live = self.older.0.lock().await.live.clone();
        if let Some(live) = live {
            live.tell_level(self.members.log_level()).await;
        }
    }

    /// A local process is one, whichever way it is spoken to.
    fn may_have_two(&self, first: &ConnectionUse) -> bool {
        matches!(self.entry.value.transport, Transport::Remote(_))
            && first.connection.handshake().era() == Era::Modern
    }
}

/// Whether nobody used it, so that it is over.
fn close_unused(instance: &Arc<ServerInstance>, live: &LiveConnection) -> bool {
    let is_over = live.end_if_unused();
    if is_over {
        let instance = Arc::clone(instance);
        // Not here: this ends with the connection.
        tokio::spawn(async move { instance.close_older().await });
    }
    is_over
}
