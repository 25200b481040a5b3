//! The tools of an audience as they were searched last: a list changes seldom, and is searched often.

use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_audit::definition_digest;
use toolgate_search::{SearchedTool, ToolIndex, prior_of};
use toolgate_types::{Definition, Digest, ServerId};

use crate::past_success::SuccessCounts;

/// A server's tool.
pub(crate) type OwnedTool = (ServerId, Arc<Definition>);

/// A tool as it is told to those who search: its entry may shape it.
#[derive(Debug)]
pub(crate) struct ToldTool {
    pub(crate) server: ServerId,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) schema: Option<Box<RawValue>>,
    /// As its server defines it.
    pub(crate) definition: Arc<Definition>,
}

#[derive(Debug)]
pub(crate) struct SearchedList {
    /// What all of it was made of.
    found: Vec<OwnedTool>,
    tools: Vec<ToldTool>,
    /// The hash of each definition, by which its past is known.
    digests: Vec<Digest>,
    index: ToolIndex,
}

impl SearchedList {
    /// Of these, each as it is told; what is not told is not there.
    pub(crate) fn of(
        found: Vec<OwnedTool>,
        told: impl Fn(&ServerId, &Arc<Definition>) -> Option<ToldTool>,
    ) -> Self {
        let tools: Vec<ToldTool> =
            found.iter().filter_map(|(server, definition)| told(server, definition)).collect();
        let index = ToolIndex::new(tools.iter().map(|tool| SearchedTool {
            server: tool.server.as_str(),
            name: &tool.name,
            title: tool.definition.title.as_deref(),
            description: tool.description.as_deref(),
            schema: tool.schema.as_deref(),
        }));
        let digests = tools.iter().map(|tool| definition_digest(&tool.definition.raw)).collect();
        Self { found, tools, digests, index }
    }

    /// Whether it is made of the same tools, as they were.
    pub(crate) fn is_of(&self, found: &[OwnedTool]) -> bool {
        let is_same = |(one, other): (&OwnedTool, &OwnedTool)| Arc::ptr_eq(&one.1, &other.1);
        self.found.len() == found.len() && self.found.iter().zip(found).all(is_same)
    }

    /// The best first. Of those that fit alike, the one that served more often.
    pub(crate) fn search(&self, query: &str, limit: usize, past: &SuccessCounts) -> Vec<&ToldTool> {
        let prior = |place: usize| match (self.tools.get(place), self.digests.get(place)) {
            (Some(tool), Some(digest)) => prior_of(past.count(&tool.server, *digest)),
            _ => 0.0,
        };
        let found = self.index.search(query, limit, prior);
        found.iter().filter_map(|one| self.tools.get(one.place)).collect()
    }
}
