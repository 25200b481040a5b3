//! Tools by the names that they are shown under beside their server's, whether they are listed or not.

use std::sync::Arc;

use toolgate_types::{Definition, ServerId};

use crate::entry::ToolSource;
use crate::searched_list::OwnedTool;
use crate::shaping::ShownNames;
use crate::{Audience, CatalogItem, Host, ToolEntry};

impl Host {
    /// What a server calls the tool that is shown under this name beside the server's own.
    pub fn own_tool_name(&self, server: &ServerId, shown: &str) -> Option<String> {
        let Some(upstream) = self.inner.servers.get(server) else { return Some(shown.to_owned()) };
        ShownNames::of(&upstream.entry().value).own(shown).map(str::to_owned)
    }

    /// The tools that have a name, each as callers see it.
    pub(crate) fn shown_tools(
        &self,
        audience: &Audience,
        found: Vec<CatalogItem>,
    ) -> Vec<OwnedTool> {
        let mut shaped: Option<(ServerId, bool)> = None;
        let mut tools = Vec::with_capacity(found.len());
        for CatalogItem { server, definition: own } in found {
            // Found by server, and nearly none shapes anything.
            let is_shaped = match &shaped {
                Some((of, is_shaped)) if *of == server => *is_shaped,
                _ => {
                    let is_shaped = self.inner.servers.get(&server).is_some_and(|upstream| {
                        let mut settings = upstream.entry().value.tool_settings.values();
                        settings.any(|tool| tool.shaping.is_some())
                    });
                    shaped = Some((server.clone(), is_shaped));
                    is_shaped
                }
            };
            let shown = match is_shaped {
                false => Some(Arc::clone(&own)),
                true => self.told_tool(audience, &server, &own).map(|told| told.as_shown(&own)),
            };
            tools.extend(shown.map(|shown| OwnedTool { server, own, shown }));
        }
        tools
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

impl ToolEntry {
    /// Its definition as callers see it.
    fn as_shown(&self, own: &Arc<Definition>) -> Arc<Definition> {
        match (self.shaping(), self.shown_definition()) {
            (Some(_), Some(shown)) => {
                let name = self.name_at_server().to_owned();
                Arc::new(Definition::new(name, shown.into_owned()))
            }
            _ => Arc::clone(own),
        }
    }
}
