//! One who is attached: a window of an agent, or a command of the person's own.

use std::time::SystemTime;

use tokio::sync::mpsc;
use toolgate_control::AttachedWindow;
use toolgate_control::hello::{FromDaemon, Hello, line};
use toolgate_types::since_1970;

use crate::lineage::Clients;

/// Somebody who is attached.
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

    pub(crate) fn is_window(&self) -> bool {
        self.kind == Kind::Window
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
