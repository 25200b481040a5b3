//! Somebody who is attached to a gate.

use toolgate_control::procfs::ProcessIdentity;

use super::clients::AgentClients;

/// Who is at the other end of a window or of a connection.
#[derive(Debug, Clone)]
pub(crate) enum Attachment {
    Window(AgentClients),
    Connection(AgentClients),
}

impl Attachment {
    pub(super) fn clients(&self) -> &AgentClients {
        let (Self::Window(clients) | Self::Connection(clients)) = self;
        clients
    }

    /// The one at the other end of a window; a connection has no shim.
    pub(super) fn shim(&self) -> Option<ProcessIdentity> {
        match self {
            Self::Window(clients) => clients.processes.first().copied(),
            Self::Connection(_) => None,
        }
    }
}
