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

    /// Whether a tool was not there when this server was first listed, and no person accepted it since.
    pub fn came_later(&self, tool: &str) -> bool {
        self.part.as_ref().is_some_and(|part| part.instance.came_later(tool))
    }

    /// The tools that a person accepted by name. Like its lists, they are known once it was
    /// refreshed or held for the first time, whether it runs or not.
    pub fn accepted_by_name(&self) -> Arc<[String]> {
        self.part.as_ref().map(|part| part.instance.accepted_by_name()).unwrap_or_default()
    }
}
