//! The tools of all servers that an audience sees, by their places: server after server, each in the
//! order of its list. An entry is made when somebody looks at that tool.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use toolgate_types::{Definition, ListFigures, ServerId};

use crate::Audience;
use crate::entry::{SharedTool, ToolEntry, ToolSource};
use crate::listed_name::ListedName;
use crate::named_servers::{NamedServer, ServerToolName};

/// What an audience sees of all servers.
#[derive(Debug)]
pub(super) struct SeenTools {
    audience: Arc<Audience>,
    servers: Vec<SeenServer>,
    tools: Vec<SeenTool>,
}

#[derive(Debug)]
struct SeenServer {
    named: Arc<NamedServer>,
    /// Its places.
    tools: Range<usize>,
}

#[derive(Debug)]
struct SeenTool {
    server: usize,
    /// In the list of the server.
    place: usize,
    entry: OnceLock<Arc<ToolEntry>>,
}

impl SeenServer {
    /// Whether all of its tools are seen, each at its own place after the first one's.
    fn is_whole(&self) -> bool {
        self.tools.len() == self.named.names.tools.len()
    }
}

impl SeenTools {
    pub(super) fn new(audience: &Audience) -> Self {
        let audience = Arc::new(audience.clone());
        Self { audience, servers: Vec::new(), tools: Vec::new() }
    }

    /// Room for the tools of all these servers.
    pub(super) fn reserve(&mut self, servers: &[Arc<NamedServer>]) {
        self.servers.reserve(servers.len());
        self.tools.reserve(servers.iter().map(|named| named.names.tools.len()).sum());
    }

    /// And all tools of one more server.
    pub(super) fn add_whole(&mut self, named: Arc<NamedServer>) {
        let all = 0..named.names.tools.len();
        self.add(named, all);
    }

    /// And those of one more server, given by their places in its list, in that order.
    pub(super) fn add(&mut self, named: Arc<NamedServer>, places: impl Iterator<Item = usize>) {
        let (start, server) = (self.tools.len(), self.servers.len());
        self.tools.extend(places.map(|place| SeenTool { server, place, entry: OnceLock::new() }));
        self.servers.push(SeenServer { named, tools: start..self.tools.len() });
    }

    pub(super) fn count(&self) -> usize {
        self.tools.len()
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

    /// The places of each server's tools, sorted by their plain names.
    pub(super) fn blocks_by_name(&self) -> Vec<Vec<usize>> {
        let block = |one: &SeenServer| {
            let by_name = &one.named.names.by_name;
            if one.is_whole() {
                return by_name.iter().map(|place| one.tools.start + place).collect();
            }
            let mut seen = vec![None; one.named.names.tools.len()];
            for place in one.tools.clone() {
                seen[self.tools[place].place] = Some(place);
            }
            by_name.iter().filter_map(|place| seen[*place]).collect()
        };
        let seen = self.servers.iter().filter(|one| !one.tools.is_empty());
        seen.map(block).collect()
    }

    /// The name that a tool has by itself.
    pub(super) fn plain_name(&self, place: usize) -> &str {
        self.named(place).1.name.as_str()
    }

    /// Its server, and the name under which it is shown beside that.
    pub(super) fn shown(&self, place: usize) -> (&ServerId, &str) {
        let (named, tool) = self.named(place);
        (named.upstream.id(), tool.shown.as_deref().unwrap_or_default())
    }

    /// Its server, and what that calls it.
    pub(super) fn key(&self, place: usize) -> (&ServerId, &str) {
        let (named, _) = self.named(place);
        (named.upstream.id(), &self.definition(place).key)
    }

    /// As its server defines it.
    pub(super) fn definition(&self, place: usize) -> &Arc<Definition> {
        let SeenTool { server, place, .. } = &self.tools[place];
        &self.servers[*server].named.names.listing.items[*place]
    }

    fn named(&self, place: usize) -> (&NamedServer, &ServerToolName) {
        let SeenTool { server, place, .. } = &self.tools[place];
        let named = &self.servers[*server].named;
        (named, &named.names.tools[*place])
    }

    /// How long these are in a list, beside others: so many, of so many bytes.
    pub(super) fn figures(
        &self,
        listed: impl Iterator<Item = usize>,
        others: (usize, usize),
    ) -> ListFigures {
        let bytes = |place: usize| match self.tools[place].entry.get() {
            Some(entry) => entry.listed_bytes(),
            None => self.named(place).1.bytes,
        };
        let (tools, bytes) =
            listed.fold(others, |(tools, all), place| (tools + 1, all + bytes(place)));
        ListFigures::of_bytes(tools, bytes)
    }

    /// The same of all of them, where each is listed under the name that it has by itself.
    pub(super) fn plain_figures(&self) -> ListFigures {
        let bytes = |one: &SeenServer| match one.is_whole() {
            true => one.named.names.bytes,
            false => one.tools.clone().map(|place| self.named(place).1.bytes).sum(),
        };
        ListFigures::of_bytes(self.count(), self.servers.iter().map(bytes).sum())
    }

    /// The tool at a place, as it is listed.
    pub(super) fn entry(&self, place: usize) -> &Arc<ToolEntry> {
        let SeenTool { server, place, entry } = &self.tools[place];
        let shared = || self.servers[*server].named.tool(*place);
        entry.get_or_init(|| Arc::new(ToolEntry::shared(&self.audience, shared())))
    }

    /// The name under which it is listed.
    pub(super) fn name(&self, place: usize) -> &str {
        match self.tools[place].entry.get() {
            Some(entry) => entry.name(),
            None => self.plain_name(place),
        }
    }

    /// The tool as it is listed, where that was written before and is the same for everybody.
    pub(super) fn written(&self, place: usize) -> Option<&[u8]> {
        match self.tools[place].entry.get() {
            // It may have another name than by itself.
            Some(entry) => entry.tool().listed_name().written(),
            None => self.named(place).1.name.written(),
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
        let seen = &self.tools[place];
        let named = &self.servers[seen.server].named;
        let definition = &named.names.listing.items[seen.place];
        let made = made.get(&Arc::as_ptr(definition)).copied();
        let made = made.filter(|tool| tool.is(name, &named.upstream, definition)).cloned();
        let tool = made.unwrap_or_else(|| {
            let (upstream, definition) = (Arc::clone(&named.upstream), Arc::clone(definition));
            let source = ToolSource::Server { upstream, definition };
            let (naming, bytes) = (self.audience.naming, named.names.schema_bytes());
            Arc::new(SharedTool::new(ListedName::new(name), naming, bytes, source))
        });
        let _ = seen.entry.set(Arc::new(ToolEntry::shared(&self.audience, &tool)));
    }

    /// Those that were made already.
    pub(super) fn made(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.tools.iter().filter_map(|tool| tool.entry.get())
    }

    /// What is wrong with how tools are shaped.
    pub(super) fn flaws(&self) -> Vec<String> {
        // Nearly no server shapes any.
        let shaped = self.servers.iter().filter(|one| one.named.has_shaped_tools());
        let entries = shaped.flat_map(|one| one.tools.clone()).map(|place| self.entry(place));
        entries.filter_map(|entry| entry.told_flaw()).collect()
    }
}
