//! Hears what a server says unasked, and what happens to its connection.

use std::sync::{Arc, Weak};

use toolgate_types::{EventSink, HostEvent, ListKind, ServerEvent, ServerId};
use toolgate_wire::method;

use super::Instance;
use crate::transport::stdio::complaints::Hear;

/// The listener of one connection.
pub(crate) struct Ears {
    pub(crate) instance: Weak<Instance>,
    pub(crate) serial: u64,
}

impl EventSink for Ears {
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
}

impl Instance {
    /// Passes on what a local process writes to its standard error.
    pub(super) fn hear(&self) -> Hear {
        let (members, server) = (Arc::clone(&self.members), self.id.clone());
        Arc::new(move |line: &str| members.complained(&server, line))
    }

    /// A server that says so a thousand times says it once.
    fn list_changed(&self, list: ListKind) {
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
