//! Which servers have a label of their own: the first so many that somebody really used.
//!
//! A project names its servers as it likes, and a caller may name ones that do not exist. Each label
//! is memory here and at whoever collects it, so there is an end to them.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::RwLock;
use toolgate_types::{LABELLED_SERVERS, OTHER_SERVERS, ServerId};

pub(super) struct ServerLabels {
    known: RwLock<HashSet<Arc<str>>>,
    other: Arc<str>,
    none: Arc<str>,
}

impl Default for ServerLabels {
    fn default() -> Self {
        Self { known: RwLock::default(), other: OTHER_SERVERS.into(), none: "".into() }
    }
}

impl ServerLabels {
    /// The label of a server that exists, which is known from now on as long as there is room.
    pub(super) fn of(&self, server: &ServerId) -> Arc<str> {
        if let Some(known) = self.find(server) {
            return known;
        }
        let mut known = self.known.write();
        if known.len() >= LABELLED_SERVERS && !known.contains(server.as_str()) {
            return Arc::clone(&self.other);
        }
        let label: Arc<str> = server.as_str().into();
        known.insert(Arc::clone(&label));
        label
    }

    /// The same for a name that may be anything: it takes nobody's room.
    pub(super) fn of_unsure(&self, server: &ServerId) -> Arc<str> {
        self.find(server).unwrap_or_else(|| Arc::clone(&self.other))
    }

    /// Of what belongs to no server.
    pub(super) fn none(&self) -> Arc<str> {
        Arc::clone(&self.none)
    }

    fn find(&self, server: &ServerId) -> Option<Arc<str>> {
        self.known.read().get(server.as_str()).cloned()
    }
}
