//! Hears what a server says unasked, and what happens to its connection.

use std::sync::{Arc, Weak};

use tokio::time::Instant;
use toolgate_types::{
    EventSink, HostEvent, ListKind, NetworkDecision, Secret, ServerEvent, ServerId,
};
use toolgate_wire::method;

use super::{InstanceMembers, ServerInstance};
use crate::transport::stdio::process_listener::{ProcessEars, ProcessListener};

/// The listener of one connection.
pub(crate) struct ConnectionListener {
    pub(crate) instance: Weak<ServerInstance>,
    pub(crate) serial: u64,
}

impl EventSink for ConnectionListener {
    fn shown_token(&self, token: &Secret) {
        if let Some(instance) = self.instance.upgrade() {
            instance.members().shown_token(token);
        }
    }

    fn event(&self, server: &ServerId, event: ServerEvent) {
        let Some(instance) = self.instance.upgrade() else { return };
        let members = instance.members();
        match event {
            ServerEvent::ListChanged(list) => instance.list_changed(list),
            ServerEvent::Closed { reason } => instance.lost(self.serial, reason),
            ServerEvent::ResourceUpdated { uri } => members.tell(|| {
                let (server, uri) = (server.clone(), uri.clone());
                HostEvent::ResourceUpdated { server, uri }
            }),
            ServerEvent::Log(message) => members.tell(|| {
                let (server, message) = (server.clone(), message.clone());
                HostEvent::Log { server, message }
            }),
            ServerEvent::Notified { method, params: Some(params) }
                if method == method::ELICITATION_COMPLETE =>
            {
                members.tell(|| {
                    let (server, params) = (server.clone(), params.clone());
                    HostEvent::ElicitationComplete { server, params }
                });
            }
            // Nobody is helped by these; the connection counts and survives them.
            ServerEvent::Notified { .. } | ServerEvent::Garbage { .. } => {}
        }
    }

    fn answers_handshake(&self) {
        if let Some(instance) = self.instance.upgrade() {
            instance.gave_sign();
        }
    }
}

/// The listener of the second connection of a server that is spoken to in both eras. It hears what
/// belongs to operations, and what changed; how that connection is doing is nobody's matter.
pub(super) struct OlderListener(pub(super) Weak<ServerInstance>);

impl EventSink for OlderListener {
    fn shown_token(&self, token: &Secret) {
        if let Some(instance) = self.0.upgrade() {
            instance.members().shown_token(token);
        }
    }

    fn event(&self, server: &ServerId, event: ServerEvent) {
        let Some(instance) = self.0.upgrade() else { return };
        match event {
            ServerEvent::Log(message) => instance.members().tell(|| {
                let (server, message) = (server.clone(), message.clone());
                HostEvent::Log { server, message }
            }),
            ServerEvent::ListChanged(list) => instance.list_changed(list),
            ServerEvent::ResourceUpdated { uri } => instance.members().tell(|| {
                let (server, uri) = (server.clone(), uri.clone());
                HostEvent::ResourceUpdated { server, uri }
            }),
            ServerEvent::Notified { method, params: Some(params) }
                if method == method::ELICITATION_COMPLETE =>
            {
                instance.members().tell(|| {
                    let (server, params) = (server.clone(), params.clone());
                    HostEvent::ElicitationComplete { server, params }
                });
            }
            _ => {}
        }
    }
}

/// The listener of a local process.
struct InstanceEars {
    me: Weak<ServerInstance>,
    members: Arc<InstanceMembers>,
    server: ServerId,
}

impl ProcessListener for InstanceEars {
    fn complains(&self, line: &str) {
        self.works();
        self.members.complained(&self.server, line);
    }

    fn reaches(&self, decision: NetworkDecision) {
        let server = self.server.clone();
        self.members.tell_one(HostEvent::Network { server, decision });
    }

    fn works(&self) {
        if let Some(instance) = self.me.upgrade() {
            instance.gave_sign();
        }
    }
}

impl ServerInstance {
    /// Passes on what a local process writes to its standard error, and takes note that it works.
    pub(super) fn hear(&self) -> ProcessEars {
        let (members, server) = (Arc::clone(&self.members), self.id.clone());
        Arc::new(InstanceEars { me: self.me.clone(), members, server })
    }

    /// It is there, and doing something. Once it is connected, that is said by what it answers.
    fn gave_sign(&self) {
        let mut state = self.state();
        if state.attempt.is_some() {
            state.last_sign = Some(Instant::now());
        }
    }

    /// A server that says so a thousand times says it once.
    pub(super) fn list_changed(&self, list: ListKind) {
        let is_news = {
            let mut state = self.state();
            let news = state.catalog.changed(list);
            // There is one notification for both lists of resources.
            match list {
                ListKind::Resources => state.catalog.changed(ListKind::ResourceTemplates) || news,
                _ => news,
            }
        };
        match (is_news, &self.shared) {
            (false, _) => {}
            (true, None) => {
                self.members.changed();
                self.members.tell(|| HostEvent::ListChanged { server: self.id.clone(), list });
            }
            // What is shown are the lists of the shared one, which learns of it.
            (true, Some(_)) => drop(self.fetch(list)),
        }
    }
}
