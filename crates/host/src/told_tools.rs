//! Tools by the names that they are shown under beside their server's, whether they are listed or not.

use std::sync::Arc;

use toolgate_types::{Definition, ServerId};

use crate::entry::ToolSource;
use crate::shaping::ShownNames;
use crate::{Audience, Host, ToolEntry};

impl Host {
    /// What a server calls the tool that is shown under this name beside the server's own.
    pub fn own_tool_name(&self, server: &ServerId, shown: &str) -> Option<String> {
        let Some(upstream) = self.inner.servers.get(server) else { return Some(shown.to_owned()) };
        ShownNames::of(&upstream.entry().value).own(shown).map(str::to_owned)
    }

    /// A tool of a server as this audience would be told of it, whether it is listed or not.
    pub fn told_tool(
        &self,
        audience: &Audience,
        server: &ServerId,
        definition: &Arc<Definition>,
    ) -> Option<ToolEntry> {
        let upstream = self.inner.servers.get(server)?;
        let name = ShownNames::of(&upstream.entry().value).shown(&definition.key).ok()?.to_owned();
        let source = ToolSource::Server { upstream, definition: Arc::clone(definition) };
        Some(ToolEntry::new(name, audience, self.schema_bytes(), source))
    }
}
