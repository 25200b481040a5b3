//! The names of one server's tools: what of a list does not depend on who sees it, nor on how the server's
//! entry was loaded.
//!
//! A name may depend on what else is listed, so these are names only where they do not: each server's are
//! settled without all others', and whoever puts servers together sees whether two tools come out alike.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_types::Definition;
use toolgate_types::config::Naming;
use toolgate_upstream::{CatalogListing, Upstream};

use crate::entry::listed_bytes;
use crate::listed_name::ListedName;
use crate::names::{ConfiguredIds, NamedTool, ToolNames};
use crate::own_tool::OwnTool;
use crate::shaping::ShownNames;

/// The names of one server's tools.
#[derive(Debug)]
pub(crate) struct ServerToolNames {
    pub(crate) listing: Arc<CatalogListing>,
    /// In the order of the listing.
    pub(crate) tools: Vec<ServerToolName>,
    /// The places of all, sorted by name.
    pub(crate) by_name: Vec<u32>,
    /// Whether each name is what it would be without all other tools of this server.
    pub(crate) is_plain: bool,
    /// Whether every tool has a name beside its server's.
    pub(crate) are_all_shown: bool,
    /// How long all of them are in a list.
    pub(crate) bytes: usize,
    inputs: NamingInputs,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct ServerToolName {
    /// The name that it is shown under beside its server's, or why there is none.
    pub(crate) shown: Result<Box<str>, String>,
    pub(crate) name: Arc<ListedName>,
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

impl ServerToolNames {
    /// `before` are those of an entry that has its tools listed in the same way.
    pub(super) fn new(
        upstream: &Upstream,
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
        let kept = before.filter(|before| before.inputs.schema_bytes == *schema_bytes);
        let kept = kept.map(Self::by_definition).unwrap_or_default();
        let mut place = 0;
        let mut tools = Vec::with_capacity(shown.len());
        for (definition, shown) in listing.items.iter().zip(shown) {
            let name = shown.is_ok().then(|| names.listed(place)).flatten();
            place += usize::from(shown.is_ok());
            let name = name.unwrap_or_else(|| shown.as_ref().map_or(&definition.key, |name| name));
            let bytes = listed_bytes(name, definition);
            let known = kept.get(&Arc::as_ptr(definition)).filter(|known| known.as_str() == name);
            let name = known.map_or_else(|| ListedName::new(name), |known| Arc::clone(known));
            tools.push(ServerToolName { shown: shown.map(Box::from), name, bytes });
        }
        let mut by_name: Vec<u32> = (0..tools.len() as u32).collect();
        by_name.sort_unstable_by_key(|place| tools[*place as usize].name.as_str());
        Self {
            listing,
            by_name,
            is_plain: names.is_plain(),
            are_all_shown: tools.iter().all(|tool| tool.shown.is_ok()),
            bytes: tools.iter().map(|tool| tool.bytes).sum(),
            inputs: inputs.clone(),
            tools,
        }
    }

    /// Whether they are those of this list, made of the same.
    pub(super) fn are_of(&self, listing: &Arc<CatalogListing>, inputs: &NamingInputs) -> bool {
        let NamingInputs { naming, ids, schema_bytes } = &self.inputs;
        Arc::ptr_eq(&self.listing, listing)
            && Arc::ptr_eq(ids, &inputs.ids)
            && (*naming, *schema_bytes) == (inputs.naming, inputs.schema_bytes)
    }

    /// By the definitions, which a server's word that says nothing new leaves the very same.
    fn by_definition(&self) -> HashMap<*const Definition, &Arc<ListedName>> {
        let definitions = self.listing.items.iter().map(Arc::as_ptr);
        definitions.zip(self.tools.iter().map(|tool| &tool.name)).collect()
    }

    pub(super) fn naming(&self) -> Naming {
        self.inputs.naming
    }

    /// How many bytes of a schema are shown at most.
    pub(crate) fn schema_bytes(&self) -> usize {
        self.inputs.schema_bytes
    }
}
