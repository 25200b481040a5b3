//! Who is attached: windows of agents, commands of the person's own, and those who call over HTTP.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use tokio::sync::{Notify, mpsc};
use toolgate_control::AttachedWindow;
use toolgate_control::hello::{FromDaemon, Hello, line};
use toolgate_control::procfs::{self, ProcessIdentity};
use toolgate_types::{Requester, since_1970};

use crate::lineage::{self, Attachment, Chain, Clients, HttpCallers};
use crate::lock;

/// A window that is attached.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) key: String,
    pub(crate) client: Option<String>,
    pub(crate) role: Option<String>,
    /// Whose descendants may not approve what it asks for.
    pub(crate) clients: Clients,
    kind: Kind,
    pub(crate) since: SystemTime,
    tell: mpsc::UnboundedSender<Vec<u8>>,
}

/// What is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A window of an agent.
    Window,
    /// A command of the person's own, for as long as it runs.
    Command,
}

/// Everybody who is attached.
#[derive(Default)]
pub(crate) struct Visitors {
    all: Mutex<BTreeMap<u64, Visitor>>,
    /// Those who come over HTTP.
    pub(crate) callers: Arc<HttpCallers>,
    /// Somebody came or left.
    pub(crate) changed: Notify,
    /// The same, kept for the one who looks after contexts.
    pub(crate) noted: Notify,
}

impl Visitors {
    pub(crate) fn all(&self) -> Vec<Visitor> {
        lock(&self.all).values().cloned().collect()
    }

    /// Whether an agent that is attached may have started the process of this chain; or we did,
    /// since a server does what agents call for.
    pub(crate) fn may_have_started(&self, chain: &Chain) -> bool {
        let ourselves = Clients::only(procfs::process(std::process::id()));
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
                let is_it = |window: &Visitor| window.clients.processes.first() == shim.as_ref();
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

    fn windows(&self) -> impl Iterator<Item = Visitor> {
        self.all().into_iter().filter(|visitor| visitor.kind == Kind::Window)
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

    pub(crate) fn enter(self: &Arc<Self>, visitor: Visitor) -> Presence {
        let mut all = lock(&self.all);
        let number = all.last_key_value().map_or(0, |(number, _)| number + 1);
        all.insert(number, visitor);
        drop(all);
        self.tell();
        Presence { visitors: Arc::clone(self), number }
    }
}

/// While it is held, a window is there.
pub(crate) struct Presence {
    visitors: Arc<Visitors>,
    number: u64,
}

impl Drop for Presence {
    fn drop(&mut self) {
        lock(&self.visitors.all).remove(&self.number);
        self.visitors.tell();
    }
}

impl Visitor {
    /// A window, as its shim says; through `tell` it is asked for more later.
    pub(crate) fn window(
        key: String,
        hello: &Hello,
        clients: Clients,
        tell: mpsc::UnboundedSender<Vec<u8>>,
    ) -> Self {
        let (client, role) = (hello.client.clone(), hello.role.clone());
        Self { key, client, role, clients, kind: Kind::Window, since: SystemTime::now(), tell }
    }

    /// A command of the person's own, for as long as it runs. It is asked for nothing later.
    pub(crate) fn command(key: String, client: String, pid: Option<u32>) -> Self {
        let (tell, _) = mpsc::unbounded_channel();
        let (client, since) = (Some(client), SystemTime::now());
        let (clients, kind) = (Clients::of_command(pid), Kind::Command);
        Self { key, client, role: None, clients, kind, since, tell }
    }

    pub(crate) fn shown(&self) -> AttachedWindow {
        let process = match self.kind {
            Kind::Window => self.clients.heads.first().copied(),
            Kind::Command => self.clients.processes.first().copied(),
        };
        AttachedWindow {
            client: self.client.clone(),
            role: self.role.clone(),
            pid: process.map(|process| process.pid),
            since: since_1970(self.since),
        }
    }

    /// Asks for variables that its configuration wants since it changed.
    pub(crate) fn ask_for(&self, names: Vec<String>) {
        let (version, pid) = (env!("CARGO_PKG_VERSION").to_owned(), std::process::id());
        let mut wants = line(&FromDaemon::Wants { version, pid, variables: names });
        wants.pop();
        let _ = self.tell.send(wants);
    }
}
