//! The tools of each server under their names, for all audiences that name tools in the same form.
//!
//! A name may depend on what else is listed, so these are names only where they do not: each server's are
//! settled without all others', and whoever puts servers together sees whether two tools come out alike.
//! Who may see which tool is decided by others.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_types::config::Naming;
use toolgate_types::{Definition, ListKind, ServerId};
use toolgate_upstream::{CatalogListing, Upstream};

use crate::entry::{SharedTool, ToolSource, listed_bytes};
use crate::names::{ConfiguredIds, NamedTool, ToolNames};
use crate::own_tool::OwnTool;
use crate::shaping::ShownNames;

/// One server's tools under their names.
#[derive(Debug)]
pub(crate) struct NamedServer {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) listing: Arc<CatalogListing>,
    /// In the order of the listing.
    pub(crate) tools: Vec<NamedServerTool>,
    /// The places of all, sorted by name.
    pub(crate) by_name: Vec<usize>,
    /// Whether each name is what it would be without all other tools of this server.
    pub(crate) is_plain: bool,
    ids: Arc<ConfiguredIds>,
    schema_bytes: usize,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct NamedServerTool {
    /// The name that it is shown under beside its server's, or why there is none.
    pub(crate) shown: Result<Box<str>, String>,
    pub(crate) tool: Arc<SharedTool>,
    /// How long it is in a list.
    pub(crate) bytes: usize,
}

/// What names are made of besides the tools.
#[derive(Debug, Clone)]
pub(crate) struct NamingInputs {
    pub(crate) naming: Naming,
    pub(crate) ids: Arc<ConfiguredIds>,
    pub(crate) schema_bytes: usize,
}

/// Those of a host, by server, in each form that somebody asked for.
#[derive(Debug, Default)]
pub(crate) struct NamedServers(HashMap<ServerId, Vec<(Naming, Arc<NamedServer>)>>);

impl NamedServers {
    /// The tools of these servers, in their order, as far as their lists are known.
    pub(crate) fn of(
        &mut self,
        upstreams: &[Arc<Upstream>],
        inputs: &NamingInputs,
    ) -> Vec<Arc<NamedServer>> {
        if self.0.len() > upstreams.len() {
            self.0.retain(|id, _| upstreams.iter().any(|upstream| upstream.id() == id));
        }
        let named = upstreams.iter().filter_map(|upstream| {
            let listing = upstream.known(ListKind::Tools)?;
            let known = match self.0.get_mut(upstream.id()) {
                Some(known) => known,
                None => self.0.entry(upstream.id().clone()).or_default(),
            };
            let place = known.iter().position(|(naming, _)| *naming == inputs.naming);
            let before = place.map(|place| Arc::clone(&known[place].1));
            match before {
                Some(before) if before.is(upstream, &listing, inputs) => Some(before),
                before => {
                    let made = NamedServer::new(upstream, listing, inputs, before.as_deref());
                    let made = Arc::new(made);
                    match place {
                        Some(place) => known[place].1 = Arc::clone(&made),
                        None => known.push((inputs.naming, Arc::clone(&made))),
                    }
                    Some(made)
                }
            }
        });
        named.collect()
    }
}

impl NamedServer {
    fn new(
        upstream: &Arc<Upstream>,
        listing: Arc<CatalogListing>,
        inputs: &NamingInputs,
        before: Option<&Self>,
    ) -> Self {
        let NamingInputs { naming, ids, schema_bytes } = inputs;
        let given = ShownNames::of(&upstream.entry().value);
        let shown: Vec<_> = listing.items.iter().map(|tool| given.shown(&tool.key)).collect();
        let id = upstream.id();
        let keys = shown.iter().flatten().map(|tool| NamedTool { server: id, tool });
        let keys: Vec<NamedTool<'_>> = keys.collect();
        let names = ToolNames::build(*naming, &keys, &OwnTool::NAMES, Arc::clone(ids));
        // What is as it was is taken over, with everything that was worked out about it.
        let kept = before.filter(|before| {
            Arc::ptr_eq(&before.upstream, upstream) && before.schema_bytes == *schema_bytes
        });
        let kept = kept.map(Self::by_definition).unwrap_or_default();
        let mut place = 0;
        let mut tools = Vec::with_capacity(shown.len());
        for (definition, shown) in listing.items.iter().zip(shown) {
            let name = shown.is_ok().then(|| names.listed(place)).flatten();
            place += usize::from(shown.is_ok());
            let name = name.unwrap_or_else(|| shown.as_ref().map_or(&definition.key, |name| name));
            let tool = match kept.get(&Arc::as_ptr(definition)) {
                Some(tool) if tool.name() == name => Arc::clone(tool),
                _ => {
                    let (upstream, definition) = (Arc::clone(upstream), Arc::clone(definition));
                    let source = ToolSource::Server { upstream, definition };
                    Arc::new(SharedTool::new(name.into(), *naming, *schema_bytes, source))
                }
            };
            let bytes = listed_bytes(name, definition);
            tools.push(NamedServerTool { shown: shown.map(Box::from), tool, bytes });
        }
        let mut by_name: Vec<usize> = (0..tools.len()).collect();
        by_name.sort_unstable_by_key(|place| tools[*place].tool.name());
        Self {
            upstream: Arc::clone(upstream),
            listing,
            tools,
            by_name,
            is_plain: names.is_plain(),
            ids: Arc::clone(ids),
            schema_bytes: *schema_bytes,
        }
    }

    fn is(
        &self,
        upstream: &Arc<Upstream>,
        listing: &Arc<CatalogListing>,
        inputs: &NamingInputs,
    ) -> bool {
        Arc::ptr_eq(&self.upstream, upstream)
            && Arc::ptr_eq(&self.listing, listing)
            && Arc::ptr_eq(&self.ids, &inputs.ids)
            && self.schema_bytes == inputs.schema_bytes
    }

    fn by_definition(&self) -> HashMap<*const Definition, &Arc<SharedTool>> {
        let tools = self.listing.items.iter().map(Arc::as_ptr).zip(&self.tools);
        tools.map(|(definition, tool)| (definition, &tool.tool)).collect()
    }

    /// How many bytes of a schema are shown at most.
    pub(crate) fn schema_bytes(&self) -> usize {
        self.schema_bytes
    }

    /// Whether its entry has any tool shown otherwise than it is defined.
    pub(crate) fn has_shaped_tools(&self) -> bool {
        let mut settings = self.upstream.entry().value.tool_settings.values();
        settings.any(|tool| tool.shaping.is_some())
    }
}
