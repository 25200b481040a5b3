//! Hears what a server says unasked, and what happens to its connection.

use std::sync::{Arc, Weak};

use toolgate_types::{EventSink, HostEvent, ListKind, ServerEvent, ServerId};
use toolgate_wire::method;

use super::Upstream;
use crate::transport::stdio::complaints::Hear;

/// The listener of one connection.
pub(crate) struct Ears {
    pub(crate) upstream: Weak<Upstream>,
    pub(crate) serial: u64,
}

impl EventSink for Ears {
    fn event(&self, server: &ServerId, event: ServerEvent) {
        let Some(upstream) = self.upstream.upgrade() else { return };
        let server = server.clone();
        let event = match event {
            ServerEvent::ListChanged(list) => return upstream.list_changed(list),
            ServerEvent::Closed { reason } => return upstream.lost(self.serial, reason),
            ServerEvent::ResourceUpdated { uri } => HostEvent::ResourceUpdated { server, uri },
            ServerEvent::Log(message) => HostEvent::Log { server, message },
            ServerEvent::Notified { method, params: Some(params) }
                if method == method::ELICITATION_COMPLETE =>
            {
                HostEvent::ElicitationComplete { server, params }
            }
            // Nobody is helped by these; the connection counts and survives them.
            ServerEvent::Notified { .. } | ServerEvent::Garbage { .. } => return,
        };
        upstream.world.listener.happened(event);
    }
}

impl Upstream {
    /// Passes on what a local process writes to its standard error.
    pub(super) fn hear(&self) -> Hear {
        let (listener, server) = (Arc::clone(&self.world.listener), self.id.clone());
        Arc::new(move |line: &str| listener.complained(&server, line))
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
        if is_news {
            self.world.changed();
            let server = self.id.clone();
            self.world.listener.happened(HostEvent::ListChanged { server, list });
        }
    }
}
