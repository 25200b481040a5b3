//! What was accepted of a server's tools, for who decides about them.

use std::sync::Arc;

use toolgate_store::PinKey;
use toolgate_types::{Definition, ListKind};

use super::Upstream;

impl Upstream {
    /// What its tools are pinned under; nothing where they are not.
    pub fn pin_key(&self) -> Option<&PinKey> {
        self.part.as_ref()?.instance.pin_key()
    }

    /// What the server sends for a tool, where that is not what was accepted of it and is listed.
    /// Asks nobody; of a session's own process [`Held::drifted`](crate::Held::drifted) knows better.
    pub fn drifted(&self, tool: &str) -> Option<Arc<Definition>> {
        self.known(ListKind::Tools)?.drifted(tool).cloned()
    }

    /// The tools that a person accepted by name. Like its lists, they are known once it was
    /// refreshed or held for the first time, whether it runs or not.
    pub fn accepted_by_name(&self) -> Arc<[String]> {
        self.part.as_ref().map(|part| part.instance.accepted_by_name()).unwrap_or_default()
    }
}
