//! The tools of one server that an audience sees, by their places among those of all servers. An entry is
//! made when somebody looks at that tool.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::Audience;
use crate::entry::ToolEntry;
use crate::named_servers::{NamedServer, ServerToolName};

/// What an audience sees of one server.
#[derive(Debug)]
pub(super) struct SeenServer {
    pub(super) named: Arc<NamedServer>,
    /// Its places.
    pub(super) tools: Range<usize>,
    /// Where each of them stands in the list of the server; nothing where all are seen.
    seen: Option<Box<[u32]>>,
    /// Of thousands of tools nearly none is looked at: there is room for any once one is.
    entries: OnceLock<Box<[OnceLock<Arc<ToolEntry>>]>>,
}

impl SeenServer {
    /// With those that are seen, by their places in its list and in that order; all where none are given.
    pub(super) fn new(named: Arc<NamedServer>, start: usize, seen: Option<Vec<u32>>) -> Self {
        let count = seen.as_ref().map_or(named.names.tools.len(), Vec::len);
        let (tools, seen) = (start..start + count, seen.map(Vec::into_boxed_slice));
        Self { named, tools, seen, entries: OnceLock::new() }
    }

    /// Where the tool at a place stands in the list of the server.
    #[inline]
    pub(super) fn in_list(&self, place: usize) -> usize {
        let at = place - self.tools.start;
        self.seen.as_ref().map_or(at, |seen| seen[at] as usize)
    }

    #[inline]
    pub(super) fn tool_name(&self, place: usize) -> &ServerToolName {
        &self.named.names.tools[self.in_list(place)]
    }

    /// All of its places, sorted by the names that its tools have by themselves.
    pub(super) fn add_by_name(&self, all: &mut Vec<u32>) {
        let (start, by_name) = (self.tools.start as u32, &self.named.names.by_name);
        let Some(places) = &self.seen else {
            all.extend(by_name.iter().map(|at| start + at));
            return;
        };
        let mut seen = vec![None; by_name.len()];
        for (place, at) in (start..).zip(places) {
            seen[*at as usize] = Some(place);
        }
        all.extend(by_name.iter().filter_map(|at| seen[*at as usize]));
    }

    /// How long its tools are in a list, each under the name that it has by itself.
    pub(super) fn plain_bytes(&self) -> usize {
        match &self.seen {
            None => self.named.names.bytes,
            Some(seen) => seen.iter().map(|at| self.named.names.tools[*at as usize].bytes).sum(),
        }
    }

    /// The tool at a place, as it is listed.
    pub(super) fn entry(&self, place: usize, audience: &Arc<Audience>) -> &Arc<ToolEntry> {
        let shared = || self.named.tool(self.in_list(place));
        self.room(place).get_or_init(|| Arc::new(ToolEntry::shared(audience, shared())))
    }

    /// The same where it was made already.
    #[inline]
    pub(super) fn made(&self, place: usize) -> Option<&Arc<ToolEntry>> {
        self.entries.get()?[place - self.tools.start].get()
    }

    /// All that were made already.
    pub(super) fn all_made(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        self.entries.get().into_iter().flatten().filter_map(OnceLock::get)
    }

    /// Where the entry of the tool at a place belongs.
    pub(super) fn room(&self, place: usize) -> &OnceLock<Arc<ToolEntry>> {
        let all =
            self.entries.get_or_init(|| self.tools.clone().map(|_| OnceLock::new()).collect());
        &all[place - self.tools.start]
    }
}
