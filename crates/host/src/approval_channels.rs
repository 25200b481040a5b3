//! How people are asked about calls, and for which besides, as the configuration says it.

use std::collections::HashMap;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use toolgate_guard::{DefinitionMismatch, OwnSecrets};
use toolgate_types::config::{Channel, Config};
use toolgate_types::{Definition, Digest, LockedTool, ProjectLock};

/// Who may be asked, and how long.
#[derive(Debug)]
pub(crate) struct ApprovalChannels {
    pub(crate) lifetime: Duration,
    /// An answer that comes sooner after its question is a machine's.
    pub(crate) fastest_answer: Duration,
    /// How long a call waits where no person can be reached.
    pub(crate) unattended: Duration,
    channels: Vec<Channel>,
    /// Of clients that have their own.
    of_clients: HashMap<String, Vec<Channel>>,
    lock: ProjectLock,
    /// What of a prompt is covered.
    pub(crate) own_secrets: OwnSecrets,
}

impl ApprovalChannels {
    pub(crate) fn of(config: &Config) -> Self {
        let clients = config.gateway.clients.iter();
        // A client may be whoever it says it is: a name takes channels away and opens none.
        let is_open = |channel: &Channel| config.approval.channels.contains(channel);
        let of_clients = clients.filter_map(|(name, client)| {
            let own = client.approval_channels.as_ref()?;
            Some((name.to_string(), own.iter().copied().filter(is_open).collect()))
        });
        Self {
            lifetime: config.approval.timeout.duration(),
            fastest_answer: config.approval.fastest_answer,
            unattended: config.approval.unattended.duration(),
            channels: config.approval.channels.clone(),
            of_clients: of_clients.collect(),
            lock: config.lock.clone(),
            own_secrets: OwnSecrets::of(config),
        }
    }

    /// What a tool is not that it should be: what was accepted of it, or what the project holds it
    /// to be.
    pub(crate) fn unlike(
        &self,
        server: &str,
        definition: &Definition,
        is_drifted: bool,
    ) -> Option<DefinitionMismatch> {
        if is_drifted {
            return Some(DefinitionMismatch::Accepted);
        }
        let is_as_locked = match self.lock.holds(server, &definition.key) {
            LockedTool::Free => true,
            LockedTool::Unnamed => false,
            LockedTool::To(hash) => hash == Digest(Sha256::digest(definition.raw.get()).into()),
        };
        (!is_as_locked).then_some(DefinitionMismatch::Lock)
    }

    pub(crate) fn channels(&self, client: Option<&str>) -> &[Channel] {
        client.and_then(|client| self.of_clients.get(client)).unwrap_or(&self.channels)
    }
}
