//! The tools of an audience as they were searched last: a list changes seldom, and is searched often.

use std::sync::Arc;

use toolgate_search::{SearchedTool, ToolIndex};
use toolgate_types::{Definition, ServerId};

/// A server's tool.
pub(crate) type OwnedTool = (ServerId, Arc<Definition>);

#[derive(Debug)]
pub(crate) struct SearchedList {
    tools: Vec<OwnedTool>,
    index: ToolIndex,
}

impl SearchedList {
    pub(crate) fn of(tools: Vec<OwnedTool>) -> Self {
        let index = ToolIndex::new(tools.iter().map(|(server, tool)| SearchedTool {
            server: server.as_str(),
            name: &tool.key,
            title: tool.title.as_deref(),
            description: tool.description.as_deref(),
            schema: tool.input_schema.as_deref(),
        }));
        Self { tools, index }
    }

    /// Whether these are the same tools, as they were.
    pub(crate) fn is_of(&self, tools: &[OwnedTool]) -> bool {
        let is_same = |(one, other): (&OwnedTool, &OwnedTool)| Arc::ptr_eq(&one.1, &other.1);
        self.tools.len() == tools.len() && self.tools.iter().zip(tools).all(is_same)
    }

    /// The best first.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<&OwnedTool> {
        let found = self.index.search(query, limit, |_| 0.0);
        found.iter().filter_map(|one| self.tools.get(one.place)).collect()
    }
}
