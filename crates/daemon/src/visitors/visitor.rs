//! One who is attached: a window of an agent, or a command of the person's own.

use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::mpsc;
use toolgate_control::AttachedWindow;
use toolgate_control::hello::{FromDaemon, ShimHello, line};
use toolgate_gateway::WindowSwitches;
use toolgate_types::{WindowMark, since_1970};

use crate::lineage::AgentClients;
use crate::window_marks::window_mark;

/// Somebody who is attached.
#[derive(Debug, Clone)]
pub(crate) struct AttachedVisitor {
    pub(crate) key: String,
    pub(crate) client: Option<String>,
    pub(crate) role: Option<String>,
    /// Whose descendants may not approve what it asks for.
    pub(crate) clients: AgentClients,
    /// What is switched off for it alone.
    pub(crate) switches: Arc<WindowSwitches>,
    kind: VisitorKind,
    pub(crate) since: SystemTime,
    tell: mpsc::UnboundedSender<Vec<u8>>,
}

/// What is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisitorKind {
    /// A window of an agent.
    Window,
    /// A command of the person's own, for as long as it runs.
    Command,
}

impl AttachedVisitor {
    /// A window, as its shim says; through `tell` it is asked for more later.
    pub(crate) fn window(
        key: String,
        hello: &ShimHello,
        (clients, switches): (AgentClients, Arc<WindowSwitches>),
        tell: mpsc::UnboundedSender<Vec<u8>>,
    ) -> Self {
        let (client, role) = (hello.client.clone(), hello.role.clone());
        Self {
            key,
            client,
            role,
            clients,
            switches,
            kind: VisitorKind::Window,
            since: SystemTime::now(),
            tell,
        }
    }

    /// A command of the person's own, for as long as it runs. It is asked for nothing later.
    pub(crate) fn command(key: String, client: String, pid: Option<u32>) -> Self {
        let (tell, _) = mpsc::unbounded_channel();
        let (client, since) = (Some(client), SystemTime::now());
        let (clients, kind) = (AgentClients::of_command(pid), VisitorKind::Command);
        let switches = Arc::default();
        Self { key, client, role: None, clients, switches, kind, since, tell }
    }

    pub(crate) fn is_window(&self) -> bool {
        self.kind == VisitorKind::Window
    }

    /// The window as the next daemon will know it too; nothing for one that cannot be seen.
    pub(crate) fn mark(&self) -> Option<WindowMark> {
        self.is_window().then(|| window_mark(&self.clients)).flatten()
    }

    pub(crate) fn shown(&self) -> AttachedWindow {
        let process = match self.kind {
            VisitorKind::Window => self.clients.heads.first().copied(),
            VisitorKind::Command => self.clients.processes.first().copied(),
        };
        AttachedWindow {
            client: self.client.clone(),
            role: self.role.clone(),
            pid: process.map(|process| process.pid),
            since: since_1970(self.since),
            off: self.switches.off().unwrap_or_default().keys().map(ToString::to_string).collect(),
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
