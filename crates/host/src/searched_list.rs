//! The tools of an audience as they were searched last: a list changes seldom, and is searched often.

use std::sync::Arc;

use toolgate_audit::definition_digest;
use toolgate_search::{SearchedTool, ToolIndex, prior_of};
use toolgate_types::{Definition, Digest, ServerId};

use crate::past_success::SuccessCounts;

/// A server's tool.
#[derive(Debug)]
pub(crate) struct OwnedTool {
    pub(crate) server: ServerId,
    /// As its server defines it.
    pub(crate) own: Arc<Definition>,
    /// As callers see it: the same, unless its entry shapes it.
    pub(crate) shown: Arc<Definition>,
}

impl OwnedTool {
    fn is_same(&self, other: &Self) -> bool {
        let is_shown_alike =
            Arc::ptr_eq(&self.shown, &other.shown) || self.shown.raw.get() == other.shown.raw.get();
        Arc::ptr_eq(&self.own, &other.own) && is_shown_alike
    }
}

#[derive(Debug)]
pub(crate) struct SearchedList {
    tools: Vec<OwnedTool>,
    /// The hash of each definition, by which its past is known.
    digests: Vec<Digest>,
    index: ToolIndex,
}

impl SearchedList {
    pub(crate) fn of(tools: Vec<OwnedTool>) -> Self {
        let index =
            ToolIndex::new(tools.iter().map(|OwnedTool { server, shown, .. }| SearchedTool {
                server: server.as_str(),
                name: &shown.key,
                title: shown.title.as_deref(),
                description: shown.description.as_deref(),
                schema: shown.input_schema.as_deref(),
            }));
        let digests = tools.iter().map(|tool| definition_digest(&tool.own.raw)).collect();
        Self { tools, digests, index }
    }

    /// Whether these are the same tools, as they were.
    pub(crate) fn is_of(&self, tools: &[OwnedTool]) -> bool {
        self.tools.len() == tools.len()
            && self.tools.iter().zip(tools).all(|(one, other)| one.is_same(other))
    }

    /// The best first. Of those that fit alike, the one that served more often.
    pub(crate) fn search(
        &self,
        query: &str,
        limit: usize,
        past: &SuccessCounts,
    ) -> Vec<&OwnedTool> {
        let prior = |place: usize| match (self.tools.get(place), self.digests.get(place)) {
            (Some(tool), Some(digest)) => prior_of(past.count(&tool.server, *digest)),
            _ => 0.0,
        };
        let found = self.index.search(query, limit, prior);
        found.iter().filter_map(|one| self.tools.get(one.place)).collect()
    }
}
