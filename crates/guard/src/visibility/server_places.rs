//! Where each server stands among those that a visibility is compiled for. Which that are is the same for
//! every audience of a configuration, so it is put in order once for all of them.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_types::ServerId;

use super::inputs::ServerInput;

/// The places of some servers, by their ids.
#[derive(Debug)]
pub struct ServerPlaces {
    ids: Vec<ServerId>,
    by_id: HashMap<ServerId, usize>,
}

impl ServerPlaces {
    /// Of exactly these; those that are known are taken where they are.
    pub(super) fn of(servers: &[ServerInput<'_>], known: Option<&Arc<Self>>) -> Arc<Self> {
        if let Some(known) = known.filter(|known| known.are_of(servers)) {
            return Arc::clone(known);
        }
        let ids: Vec<ServerId> = servers.iter().map(|server| server.id.clone()).collect();
        let by_id = ids.iter().enumerate().map(|(place, id)| (id.clone(), place)).collect();
        Arc::new(Self { ids, by_id })
    }

    /// Looked at each time: whoever keeps them need not know when they are others.
    fn are_of(&self, servers: &[ServerInput<'_>]) -> bool {
        self.ids.len() == servers.len()
            && self.ids.iter().zip(servers).all(|(id, server)| id == server.id)
    }

    pub(super) fn get(&self, id: &ServerId) -> Option<usize> {
        self.by_id.get(id).copied()
    }
}
