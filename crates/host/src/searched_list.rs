//! The tools of an audience as they were searched last: a list changes seldom, and is searched often.

use std::sync::Arc;

use toolgate_search::{SearchedTool, ToolIndex};
use toolgate_types::{Definition, ServerId};

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
    index: ToolIndex,
}

impl SearchedList {
    pub(crate) fn of(tools: Vec<OwnedTool>) -> Self {
        let index =
            ToolIndex::new(tools.iter().map(|OwnedTool { server, shown: tool, .. }| {
                SearchedTool {
                    server: server.as_str(),
                    name: &tool.key,
                    title: tool.title.as_deref(),
                    description: tool.description.as_deref(),
                    schema: tool.input_schema.as_deref(),
                }
            }));
        Self { tools, index }
    }

    /// Whether these are the same tools, as they were.
    pub(crate) fn is_of(&self, tools: &[OwnedTool]) -> bool {
        self.tools.len() == tools.len()
            && self.tools.iter().zip(tools).all(|(one, other)| one.is_same(other))
    }

    /// The best first.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<&OwnedTool> {
        let found = self.index.search(query, limit, |_| 0.0);
        found.iter().filter_map(|one| self.tools.get(one.place)).collect()
    }
}
