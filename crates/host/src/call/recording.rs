//! Which calls are written down before they run.

use toolgate_types::config::Durability;
use toolgate_types::{Definition, Trust};

use crate::Host;

impl Host {
    /// By default all but those of which a trusted server says that they only read: what changes
    /// something must be known of, whatever ends first.
    pub(super) fn records_first(&self, trust: Trust, definition: &Definition) -> bool {
        match self.durability() {
            Some(Durability::Auto) => {
                trust == Trust::Untrusted || definition.hints.read_only != Some(true)
            }
            durability => durability == Some(Durability::BeforeCall),
        }
    }

    /// For what only reads by its nature.
    pub(super) fn records_always(&self) -> bool {
        self.durability() == Some(Durability::BeforeCall)
    }

    fn durability(&self) -> Option<Durability> {
        self.inner.journal.settings().map(|settings| settings.durability)
    }
}
