//! How an instance is doing, for the status of a server. Only short locks are taken: whoever waits
//! for the server holds none of them.

use std::sync::atomic::Ordering;

use tokio::time::Instant;
use toolgate_types::{ListKind, ServerState, ServerStatus};

use super::ServerInstance;

impl ServerInstance {
    /// Fills in what is known of it, and of those that sessions have for themselves.
    pub(crate) fn describe(&self, status: &mut ServerStatus) {
        {
            let state = self.state();
            let lifecycle = &state.lifecycle;
            status.state = lifecycle.state();
            status.last_error = lifecycle.last_error().map(str::to_owned);
            status.last_connected_at = lifecycle.last_connected_at();
            status.retry_in = lifecycle.retry_in(Instant::now());
            status.failures = lifecycle.failures();
            status.connection = state.live.as_ref().map(|live| live.spoken());
            let tools = state.catalog.known(ListKind::Tools);
            status.tools = tools.map(|tools| tools.items.len());
        }
        self.count_in(status);
        for own in self.sessions.list() {
            own.count_in(status);
            let state = own.state();
            // Where only sessions use it, it is doing as well as theirs.
            if status.state == ServerState::Idle && state.live.is_some() {
                status.state = ServerState::Ready;
            }
            status.last_connected_at =
                status.last_connected_at.max(state.lifecycle.last_connected_at());
        }
    }

    fn count_in(&self, status: &mut ServerStatus) {
        status.calls += self.performed.load(Ordering::Relaxed);
        status.in_flight += self.under_way.load(Ordering::Relaxed);
        if let Some((pid, memory)) = self.process() {
            status.pid = status.pid.or(Some(pid));
            status.processes += 1;
            status.memory_bytes = match (status.memory_bytes, memory) {
                (Some(others), Some(memory)) => Some(others + memory),
                (others, memory) => others.or(memory),
            };
        }
    }
}
