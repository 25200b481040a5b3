//! The tools that fit what is wanted, the best first: of a list that servers gave, or of any file.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_control::CommandFailure;
use toolgate_search::{CatalogTool, ToolIndex, prior_of};

use crate::ListedTool;

/// What was looked for, and what fits.
#[derive(Debug, Serialize)]
pub struct ToolFinds {
    pub query: String,
    pub tools: Vec<ToolFind>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFind {
    pub server: String,
    pub tool: String,
    pub score: f32,
    pub description: Option<String>,
    input_schema: Option<Box<RawValue>>,
}

impl ToolFinds {
    /// Among the tools of servers; Toolgate's own only lead to others.
    pub fn among(listed: &[ListedTool], query: String, limit: usize) -> Self {
        let (mut tools, mut priors) = (Vec::new(), Vec::new());
        for tool in listed {
            let (Some(server), Some(raw)) = (tool.server.as_deref(), tool.definition.as_deref())
            else {
                continue;
            };
            if let Some(defined) = CatalogTool::of_definition(server, raw) {
                tools.push(defined);
                priors.push(prior_of(tool.successes));
            }
        }
        Self::of(&tools, query, limit, |place| priors.get(place).copied().unwrap_or_default())
    }

    /// Among the definitions in a file.
    pub fn in_file(file: &Path, query: String, limit: usize) -> Result<Self, CommandFailure> {
        let shown = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| CommandFailure::usage(format!("{shown} cannot be read: {error}")))?;
        let tools = CatalogTool::read_all(&text)
            .map_err(|error| CommandFailure::usage(format!("{shown}: {error}")))?;
        // Nothing is known of these but what the file says.
        Ok(Self::of(&tools, query, limit, |_| 0.0))
    }

    fn of(
        tools: &[CatalogTool],
        query: String,
        limit: usize,
        prior: impl Fn(usize) -> f32,
    ) -> Self {
        let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
        let found = index.search(&query, limit, prior);
        let find = |(place, score): (usize, f32)| {
            let tool = tools.get(place)?;
            Some(ToolFind {
                server: tool.server.clone(),
                tool: tool.name.clone(),
                score,
                description: tool.description.clone(),
                input_schema: tool.schema.clone(),
            })
        };
        let tools = found.iter().filter_map(|one| find((one.place, one.score))).collect();
        Self { query, tools }
    }
}
