//! The tools of each server under their names, for all audiences that name tools in the same form.
//!
//! Who may see which tool is decided by others.

mod server_names;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use toolgate_types::config::Naming;
use toolgate_types::{ListKind, ServerId};
use toolgate_upstream::{CatalogListing, Upstream};

use crate::entry::{SharedTool, ToolSource};
pub(crate) use server_names::{NamingInputs, ServerToolName, ServerToolNames};

/// One server's tools under their names.
#[derive(Debug)]
pub(crate) struct NamedServer {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) names: Arc<ServerToolNames>,
    /// By their places. Made when somebody looks at that tool.
    tools: Vec<OnceLock<Arc<SharedTool>>>,
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
        let mut named = Vec::with_capacity(upstreams.len());
        for upstream in upstreams {
            let Some(listing) = upstream.known(ListKind::Tools) else { continue };
            let known = match self.0.get_mut(upstream.id()) {
                Some(known) => known,
                None => self.0.entry(upstream.id().clone()).or_default(),
            };
            let place = known.iter().position(|(naming, _)| *naming == inputs.naming);
            let before = place.map(|place| Arc::clone(&known[place].1));
            named.push(match before {
                Some(before) if before.is(upstream, &listing, inputs) => before,
                before => {
                    let made = NamedServer::new(upstream, listing, inputs, before.as_deref());
                    let made = Arc::new(made);
                    match place {
                        Some(place) => known[place].1 = Arc::clone(&made),
                        None => known.push((inputs.naming, Arc::clone(&made))),
                    }
                    made
                }
            });
        }
        named
    }
}

impl NamedServer {
    fn new(
        upstream: &Arc<Upstream>,
        listing: Arc<CatalogListing>,
        inputs: &NamingInputs,
        before: Option<&Self>,
    ) -> Self {
        // Of an entry that was loaded anew what is listed may be the same, and who does it is another.
        let alike = before.filter(|before| lists_alike(&before.upstream, upstream));
        let names = match alike {
            Some(before) if before.names.are_of(&listing, inputs) => Arc::clone(&before.names),
            alike => {
                let before = alike.map(|before| &*before.names);
                Arc::new(ServerToolNames::new(upstream, listing, inputs, before))
            }
        };
        let tools = vec![OnceLock::new(); names.tools.len()];
        if let Some(before) = before.filter(|before| Arc::ptr_eq(&before.upstream, upstream)) {
            before.pass_on(&names, &tools);
        }
        Self { upstream: Arc::clone(upstream), names, tools }
    }

    /// What is as it was is taken over, with everything that was worked out about it.
    fn pass_on(&self, names: &ServerToolNames, tools: &[OnceLock<Arc<SharedTool>>]) {
        let made = self.tools.iter().filter_map(OnceLock::get);
        let made: HashMap<_, _> =
            made.filter_map(|tool| Some((Arc::as_ptr(tool.definition()?), tool))).collect();
        if made.is_empty() || self.names.schema_bytes() != names.schema_bytes() {
            return;
        }
        for (place, tool) in tools.iter().enumerate() {
            let known = made.get(&Arc::as_ptr(&names.listing.items[place]));
            let name = &names.tools[place].name;
            if let Some(known) = known.filter(|known| known.name() == name.as_str()) {
                let _ = tool.set(Arc::clone(known));
            }
        }
    }

    fn is(
        &self,
        upstream: &Arc<Upstream>,
        listing: &Arc<CatalogListing>,
        inputs: &NamingInputs,
    ) -> bool {
        Arc::ptr_eq(&self.upstream, upstream) && self.names.are_of(listing, inputs)
    }

    /// The tool at a place of its list.
    pub(crate) fn tool(&self, place: usize) -> &Arc<SharedTool> {
        self.tools[place].get_or_init(|| {
            let definition = Arc::clone(&self.names.listing.items[place]);
            let source = ToolSource::Server { upstream: Arc::clone(&self.upstream), definition };
            let name = Arc::clone(&self.names.tools[place].name);
            let (naming, bytes) = (self.names.naming(), self.names.schema_bytes());
            Arc::new(SharedTool::new(name, naming, bytes, source))
        })
    }

    /// Whether its entry has any tool shown otherwise than it is defined.
    pub(crate) fn has_shaped_tools(&self) -> bool {
        shapes_any(&self.upstream)
    }
}

/// Whether two entries of a server have the same tools listed in the same way, by the little that is
/// looked at here: where tools are shaped or are commands, they may not, and nearly none are.
fn lists_alike(one: &Arc<Upstream>, other: &Arc<Upstream>) -> bool {
    let is_as_defined =
        |upstream: &Arc<Upstream>| !shapes_any(upstream) && upstream.commands().is_none();
    let omits = |upstream: &Arc<Upstream>| upstream.entry().value.omit_output_schemas;
    Arc::ptr_eq(one, other)
        || (is_as_defined(one) && is_as_defined(other) && omits(one) == omits(other))
}

fn shapes_any(upstream: &Upstream) -> bool {
    let mut settings = upstream.entry().value.tool_settings.values();
    settings.any(|tool| tool.shaping.is_some())
}
