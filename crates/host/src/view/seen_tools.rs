//! The tools of all servers that an audience sees, by their places: server after server, each in the
//! order of its list.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use toolgate_types::{Definition, ListFigures, ServerId};

use super::seen_server::SeenServer;
use crate::Audience;
use crate::entry::{SharedTool, ToolEntry, ToolSource};
use crate::listed_name::ListedName;
use crate::named_servers::NamedServer;

/// What an audience sees of all servers.
#[derive(Debug)]
pub(super) struct SeenTools {
    audience: Arc<Audience>,
    servers: Vec<SeenServer>,
    /// Which server has each place. Nothing else is kept of every tool: a list has thousands of them, and
    /// is made for each audience.
    owners: Vec<u32>,
}

impl SeenTools {
    pub(super) fn new(audience: &Audience) -> Self {
        let audience = Arc::new(audience.clone());
        Self { audience, servers: Vec::new(), owners: Vec::new() }
    }

    /// Room for the tools of all these servers.
    pub(super) fn reserve(&mut self, servers: &[Arc<NamedServer>]) {
        self.servers.reserve(servers.len());
        self.owners.reserve(servers.iter().map(|named| named.names.tools.len()).sum());
    }

    /// And those of one more server, given by their places in its list, in that order; all of them where
    /// no places are given.
    pub(super) fn add(&mut self, named: Arc<NamedServer>, places: Option<Vec<u32>>) {
        let server = SeenServer::new(named, self.owners.len(), places);
        self.owners.resize(server.tools.end, self.servers.len() as u32);
        self.servers.push(server);
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        self.owners.len()
    }

    /// Whether it is a place of one of them, and not of what comes after.
    pub(super) fn is_seen(&self, place: usize) -> bool {
        place < self.count()
    }

    pub(super) fn knows(&self, server: &ServerId) -> bool {
        let is_its = |one: &SeenServer| one.named.upstream.id() == server && !one.tools.is_empty();
        self.servers.iter().any(is_its)
    }

    /// Whether the names of each server's tools are what they would be without the others of it.
    pub(super) fn is_plain(&self) -> bool {
        self.servers.iter().all(|one| one.named.names.is_plain || one.tools.is_empty())
    }

    /// The places of each server's tools, sorted by their plain names, in the order of the servers' first;
    /// and whether that is the order of all.
    pub(super) fn by_name_of_servers(&self) -> (Vec<u32>, bool) {
        let seen = self.servers.iter().filter(|one| !one.tools.is_empty());
        let mut all = Vec::with_capacity(self.count());
        let block = |server| {
            let start = all.len();
            SeenServer::add_by_name(server, &mut all);
            start..all.len()
        };
        let mut blocks: Vec<_> = seen.map(block).collect();
        let name = |at: usize| self.plain_name(all[at] as usize);
        let is_sorted = |blocks: &[Range<usize>]| {
            blocks.windows(2).all(|pair| name(pair[0].end - 1) < name(pair[1].start))
        };
        // Servers mostly stand in the order of their names.
        if is_sorted(&blocks) {
            return (all, true);
        }
        blocks.sort_unstable_by_key(|block| name(block.start));
        let is_sorted = is_sorted(&blocks);
        let in_order = blocks.into_iter().flat_map(|block| &all[block]).copied().collect();
        (in_order, is_sorted)
    }

    /// The name that a tool has by itself.
    pub(super) fn plain_name(&self, place: usize) -> &str {
        self.server(place).tool_name(place).name.as_str()
    }

    /// Its server, and the name under which it is shown beside that.
    pub(super) fn shown(&self, place: usize) -> (&ServerId, &str) {
        let server = self.server(place);
        let shown = server.tool_name(place).shown.as_deref();
        (server.named.upstream.id(), shown.unwrap_or_default())
    }

    /// Its server, and what that calls it.
    pub(super) fn key(&self, place: usize) -> (&ServerId, &str) {
        (self.server(place).named.upstream.id(), &self.definition(place).key)
    }

    /// As its server defines it.
    pub(super) fn definition(&self, place: usize) -> &Arc<Definition> {
        let server = self.server(place);
        &server.named.names.listing.items[server.in_list(place)]
    }

    /// Asked several times of every tool of a page, and so are the steps that lead to it.
    #[inline]
    fn server(&self, place: usize) -> &SeenServer {
        &self.servers[self.owners[place] as usize]
    }

    /// How long these are in a list, beside others: so many, of so many bytes.
    pub(super) fn figures(
        &self,
        listed: impl Iterator<Item = usize>,
        others: (usize, usize),
    ) -> ListFigures {
        let bytes = |place: usize| match self.server(place).made(place) {
            Some(entry) => entry.listed_bytes(),
            None => self.server(place).tool_name(place).bytes,
        };
        let (tools, bytes) =
            listed.fold(others, |(tools, all), place| (tools + 1, all + bytes(place)));
        ListFigures::of_bytes(tools, bytes)
    }

    /// The same of all of them, where each is listed under the name that it has by itself.
    pub(super) fn plain_figures(&self) -> ListFigures {
        let bytes = self.servers.iter().map(SeenServer::plain_bytes).sum();
        ListFigures::of_bytes(self.count(), bytes)
    }

    /// The tool at a place, as it is listed.
    pub(super) fn entry(&self, place: usize) -> &Arc<ToolEntry> {
        self.server(place).entry(place, &self.audience)
    }

    /// The name under which it is listed.
    pub(super) fn name(&self, place: usize) -> &str {
        let server = self.server(place);
        match server.made(place) {
            Some(entry) => entry.name(),
            None => server.tool_name(place).name.as_str(),
        }
    }

    /// The tool as it is listed, where that was written before and is the same for everybody.
    pub(super) fn written(&self, place: usize) -> Option<&[u8]> {
        let server = self.server(place);
        match server.made(place) {
            // It may have another name than by itself.
            Some(entry) => entry.tool().listed_name().written(),
            None => server.tool_name(place).name.written(),
        }
    }

    /// Has the tool at a place listed under this name, whatever it would be called by itself; what another
    /// view made of it is taken over.
    pub(super) fn call(
        &self,
        place: usize,
        name: &str,
        made: &HashMap<*const Definition, &Arc<SharedTool>>,
    ) {
        if self.plain_name(place) == name {
            return;
        }
        let named = &self.server(place).named;
        let definition = self.definition(place);
        let made = made.get(&Arc::as_ptr(definition)).copied();
        let made = made.filter(|tool| tool.is(name, &named.upstream, definition)).cloned();
        let tool = made.unwrap_or_else(|| {
            let (upstream, definition) = (Arc::clone(&named.upstream), Arc::clone(definition));
            let source = ToolSource::Server { upstream, definition };
            let (naming, bytes) = (self.audience.naming, named.names.schema_bytes());
            Arc::new(SharedTool::new(ListedName::new(name), naming, bytes, source))
        });
        let entry = Arc::new(ToolEntry::shared(&self.audience, &tool));
        let _ = self.server(place).room(place).set(entry);
    }

    /// Those that were made already.
    pub(super) fn made(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.servers.iter().flat_map(SeenServer::all_made)
    }

    /// What is wrong with how tools are shaped.
    pub(super) fn flaws(&self) -> Vec<String> {
        // Nearly no server shapes any.
        let shaped = self.servers.iter().filter(|one| one.named.has_shaped_tools());
        let entries = shaped.flat_map(|one| one.tools.clone()).map(|place| self.entry(place));
        entries.filter_map(|entry| entry.told_flaw()).collect()
    }
}
