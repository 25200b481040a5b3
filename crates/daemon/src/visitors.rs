//! Who is attached: windows of agents, commands of the person's own, and those who call over HTTP.

mod visitor;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Notify;
use toolgate_control::procfs::{self, ProcessIdentity};
use toolgate_types::Requester;

use crate::lineage::{self, AgentClients, Attachment, HttpCallers, ProcessChain};
use crate::lock;
pub(crate) use visitor::AttachedVisitor;

/// Everybody who is attached.
#[derive(Default)]
pub(crate) struct AttachedVisitors {
    all: Mutex<BTreeMap<u64, AttachedVisitor>>,
    /// Those who come over HTTP.
    pub(crate) callers: Arc<HttpCallers>,
    /// Somebody came or left.
    pub(crate) changed: Notify,
    /// The same, kept for the one who looks after contexts.
    pub(crate) noted: Notify,
}

impl AttachedVisitors {
    pub(crate) fn all(&self) -> Vec<AttachedVisitor> {
        lock(&self.all).values().cloned().collect()
    }

    /// Whether an agent that is attached may have started the process of this chain; or we did,
    /// since a server does what agents call for.
    pub(crate) fn may_have_started(&self, chain: &ProcessChain) -> bool {
        let ourselves = AgentClients::only(procfs::process(std::process::id()));
        ourselves.may_have_started(chain)
            || self.callers.clients().may_have_started(chain)
            || self.windows().any(|window| window.clients.may_have_started(chain))
    }

    /// Whether any agent is attached, or called and still runs.
    pub(crate) fn has_agents(&self) -> bool {
        self.windows().next().is_some() || !self.callers.clients().processes.is_empty()
    }

    /// Whether a person may be asked through this caller itself.
    pub(crate) fn may_be_asked(&self, requester: &Requester) -> bool {
        let asked = match requester {
            // Where nobody can be looked at, nobody is held to be out of sight.
            Requester::Processes { .. } if !lineage::is_told() => return true,
            Requester::Processes { processes, .. } => {
                let shim = processes.first().map(|&(pid, start)| ProcessIdentity { pid, start });
                let is_it =
                    |window: &AttachedVisitor| window.clients.processes.first() == shim.as_ref();
                let Some(window) = self.windows().find(is_it) else { return false };
                Attachment::Window(window.clients)
            }
            Requester::Peer(link) => Attachment::Connection(self.callers.holding(link)),
            Requester::Unknown => return false,
        };
        let windows = self.windows().map(|window| Attachment::Window(window.clients));
        let callers = Attachment::Connection(self.callers.clients());
        let others: Vec<Attachment> = windows.chain([callers]).collect();
        lineage::may_be_asked(&asked, &others)
    }

    fn windows(&self) -> impl Iterator<Item = AttachedVisitor> {
        self.all().into_iter().filter(|visitor| visitor.is_window())
    }

    fn tell(&self) {
        self.changed.notify_waiters();
        self.noted.notify_one();
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.all).is_empty()
    }

    /// Whether anybody is in the context with this key.
    pub(crate) fn is_in(&self, key: &str) -> bool {
        lock(&self.all).values().any(|visitor| visitor.key == key)
    }

    pub(crate) fn enter(self: &Arc<Self>, visitor: AttachedVisitor) -> WindowPresence {
        let mut all = lock(&self.all);
        let number = all.last_key_value().map_or(0, |(number, _)| number + 1);
        all.insert(number, visitor);
        drop(all);
        self.tell();
        WindowPresence { visitors: Arc::clone(self), number }
    }
}

/// While it is held, a window is there.
pub(crate) struct WindowPresence {
    visitors: Arc<AttachedVisitors>,
    number: u64,
}

impl Drop for WindowPresence {
    fn drop(&mut self) {
        lock(&self.visitors.all).remove(&self.number);
        self.visitors.tell();
    }
}
