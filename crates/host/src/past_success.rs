//! How often each tool did what it was asked in this workspace, for whoever searches among them.
//!
//! It is known from the records when somebody first searches, and counted from then on. It decides between
//! tools that fit alike and no more: [`toolgate_search`] bounds what it can do.

use std::collections::HashMap;

use parking_lot::Mutex;
use toolgate_audit::{SucceededTool, definition_digest};
use toolgate_types::{Definition, Digest, OperationOutcome, Principal, ServerId};
use toolgate_upstream::Upstream;

/// More are not remembered.
const MOST_TOOLS: usize = 10_000;

/// Nothing until somebody searches.
#[derive(Debug, Default)]
pub(crate) struct PastSuccess(Mutex<Option<HashMap<SucceededTool, u32>>>);

impl PastSuccess {
    /// How a call went; one that was done, and whose tool does not say that it failed, counts.
    pub(crate) fn note(
        &self,
        outcome: &OperationOutcome,
        principal: &Principal,
        (upstream, definition): (&Upstream, &Definition),
    ) {
        match outcome {
            OperationOutcome::Done(done) if !done.is_error => {}
            OperationOutcome::DoneAtLength(long) if !long.is_error => {}
            _ => return,
        }
        let mut counts = self.0.lock();
        if let Some(counts) = counts.as_mut() {
            let (principal, server) = (principal.as_str().to_owned(), upstream.id().to_string());
            let definition = definition.digest(definition_digest);
            let tool = SucceededTool { principal, server, definition };
            if counts.len() < MOST_TOOLS || counts.contains_key(&tool) {
                let count = counts.entry(tool).or_default();
                *count = count.saturating_add(1);
            }
        }
    }

    /// Whether somebody searched before.
    pub(crate) fn is_known(&self) -> bool {
        self.0.lock().is_some()
    }

    /// What the records say; what was counted meanwhile holds.
    pub(crate) fn learn(&self, known: HashMap<SucceededTool, u32>) {
        self.0.lock().get_or_insert(known);
    }

    pub(crate) fn of(&self, principal: &Principal) -> SuccessCounts {
        let counts = self.0.lock();
        let mut own: HashMap<Digest, Vec<(String, u32)>> = HashMap::new();
        for (tool, count) in counts.iter().flatten() {
            if tool.principal == principal.as_str() {
                own.entry(tool.definition).or_default().push((tool.server.clone(), *count));
            }
        }
        SuccessCounts(own)
    }
}

/// How often tools served one principal, by their definitions.
pub(crate) struct SuccessCounts(HashMap<Digest, Vec<(String, u32)>>);

impl SuccessCounts {
    pub(crate) fn count(&self, server: &ServerId, definition: Digest) -> u32 {
        let servers = self.0.get(&definition).map(Vec::as_slice).unwrap_or_default();
        let own = servers.iter().find(|(name, _)| name == server.as_str());
        own.map_or(0, |(_, count)| *count)
    }
}
