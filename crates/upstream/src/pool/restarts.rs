//! How often servers that failed were tried again, since this program began.
//!
//! Counted here and not by who is told of their state: one server has many hosts, and each is told.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use toolgate_types::{LABELLED_SERVERS, ServerId};

#[derive(Default)]
pub(super) struct RestartCounts(Mutex<BTreeMap<Option<ServerId>, u64>>);

impl RestartCounts {
    /// Under its own name while there is room for names.
    pub(super) fn add(&self, server: &ServerId) {
        let mut counts = self.0.lock();
        let named = Some(server.clone());
        let has_name = counts.contains_key(&named) || counts.len() < LABELLED_SERVERS;
        *counts.entry(named.filter(|_| has_name)).or_default() += 1;
    }

    /// By server; those beyond what has a name together, under none.
    pub(super) fn all(&self) -> Vec<(Option<ServerId>, u64)> {
        self.0.lock().iter().map(|(server, count)| (server.clone(), *count)).collect()
    }
}
