//! What is written down of calls, and which of them before they run.

use std::time::Duration;

use toolgate_audit::Terms;
use toolgate_types::config::{Durability, Transport};
use toolgate_types::{Definition, Trust};
use toolgate_upstream::Upstream;

use super::rounds::timeout_of;
use crate::entry::ToolEntry;
use crate::{Audience, Host};

impl Host {
    /// What a call of a tool is made under.
    pub(super) fn terms(
        &self,
        entry: &ToolEntry,
        upstream: &Upstream,
        definition: &Definition,
    ) -> Terms {
        self.terms_for(&entry.audience, upstream, timeout_of(upstream, definition))
    }

    pub(super) fn terms_for(
        &self,
        audience: &Audience,
        upstream: &Upstream,
        timeout: Duration,
    ) -> Terms {
        let world = &self.inner.world;
        let (sandbox, cwd) = match &upstream.entry().value.transport {
            Transport::Stdio(stdio) => {
                let own = stdio.cwd.as_ref().map(|cwd| world.workspace.join(cwd.expose()));
                let cwd = own.unwrap_or_else(|| world.workspace.clone());
                (Some(stdio.confinement.profile), Some(cwd))
            }
            Transport::Remote(_) | Transport::Builtin => (None, None),
        };
        let role = audience.address.role().map(str::to_owned);
        let policy = self.view(audience).revision();
        Terms { role, policy, timeout: Some(timeout), sandbox, cwd }
    }

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
