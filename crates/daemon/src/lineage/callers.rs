//! The processes that called over HTTP, for as long as they run: they are clients as those of windows
//! are.
//!
//! They are looked for when a connection is first used, and again when somebody would approve; never
//! for a single call. Where many come at once, one look is for all of them.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_control::procfs::{self, ProcessIdentity};
use toolgate_types::{PeerConnection, PeerLink};

use super::left_behind::is_left_behind;
use super::{AgentClients, tcp};
use crate::lock;

#[derive(Debug, Default)]
pub(crate) struct HttpCallers {
    /// Each with whether it held a connection itself. Those that ended are forgotten.
    known: Mutex<BTreeMap<ProcessIdentity, bool>>,
    waiting: Mutex<Vec<Arc<PeerConnection>>>,
    turn: tokio::sync::Mutex<()>,
}

impl HttpCallers {
    /// Finds whoever holds this connection, and counts them from now on.
    pub(crate) async fn look_at(self: &Arc<Self>, link: &PeerLink) {
        lock(&self.waiting).push(link.connection());
        let _turn = self.turn.lock().await;
        let batch = std::mem::take(&mut *lock(&self.waiting));
        // Whoever had the turn before has looked at it.
        if !batch.is_empty() {
            let callers = Arc::clone(self);
            let _ = tokio::task::spawn_blocking(move || callers.find(&batch)).await;
        }
    }

    fn find(&self, connections: &[Arc<PeerConnection>]) {
        let ends: Vec<_> = connections.iter().map(|connection| connection.ends()).collect();
        let holders = tcp::holders(&ends, &self.clients().heads);
        for (connection, holders) in connections.iter().zip(holders) {
            let clients = AgentClients::of_connection(&holders);
            self.count(&clients);
            connection.keep_seen(clients.processes.iter().map(|it| (it.pid, it.start)).collect());
        }
    }

    /// Those who hold a connection now.
    pub(crate) fn holding(&self, link: &PeerLink) -> AgentClients {
        let holders = tcp::holders(&[link.connection().ends()], &[]).pop().unwrap_or_default();
        let clients = AgentClients::of_connection(&holders);
        self.count(&clients);
        clients
    }

    /// Those behind a connection: who holds it now, and who was seen to. A holder that its own shell
    /// left behind has somebody above it who hides.
    pub(crate) fn behind(&self, link: &PeerLink) -> AgentClients {
        let seen = link.connection();
        let seen = seen.seen().iter().map(|&(pid, start)| ProcessIdentity { pid, start });
        let mut clients = self.holding(link).and(&seen.collect::<Vec<_>>());
        clients.is_hidden |= clients.heads.iter().any(|head| is_left_behind(head.pid));
        clients
    }

    fn count(&self, clients: &AgentClients) {
        let mut known = lock(&self.known);
        for process in &clients.processes {
            *known.entry(*process).or_default() |= clients.heads.contains(process);
        }
    }

    /// All who called and still run, with those above them that count as much.
    pub(crate) fn clients(&self) -> AgentClients {
        let mut known = lock(&self.known);
        known.retain(|process, _| procfs::process(process.pid) == Some(*process));
        let heads = known.iter().filter(|(_, is_head)| **is_head);
        AgentClients {
            heads: heads.map(|(process, _)| *process).collect(),
            processes: known.keys().copied().collect(),
            is_hidden: false,
        }
    }
}
