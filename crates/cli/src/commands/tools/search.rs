//! `toolgate tools search`: the tools that fit what is wanted, the best first, as agents find them.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{ListTools, ListedTool, ListedTools};
use toolgate_search::{CatalogTool, ToolIndex};
use toolgate_terminal::{CommandOutput, one_line, table};

use crate::args::ToolsSearchArgs;
use crate::errand::{self, ErrandPlace};
use crate::failure::{CliFailure, CommandResult, Exit};
use crate::list_lines::report;
use crate::surroundings::Surroundings;

#[derive(Serialize)]
struct SearchJson<'a> {
    query: &'a str,
    tools: Vec<FoundJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundJson<'a> {
    server: &'a str,
    tool: &'a str,
    score: f32,
    description: Option<&'a str>,
    input_schema: Option<&'a RawValue>,
}

impl<'a> FoundJson<'a> {
    fn of(tool: &'a CatalogTool, score: f32) -> Self {
        Self {
            server: &tool.server,
            tool: &tool.name,
            score,
            description: tool.description.as_deref(),
            input_schema: tool.schema.as_deref(),
        }
    }
}

pub(super) fn run(
    arguments: &ToolsSearchArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ToolsSearchArgs { query, limit, catalog, role, cached, standalone } = arguments;
    let query = query.join(" ");
    let (tools, missing) = match catalog {
        Some(file) => (read(file)?, None),
        None => {
            let errand = ListTools { only: None, role: role.clone(), cached: *cached };
            let place = ErrandPlace::new(*standalone);
            let listed = errand::run(&errand, place, surroundings, output)??;
            let ListedTools { tools, missing, is_any_listed, .. } = listed;
            let definition = |tool: &ListedTool| {
                CatalogTool::of_definition(tool.server.as_deref()?, tool.definition.as_deref()?)
            };
            (tools.iter().filter_map(definition).collect(), Some((missing, is_any_listed)))
        }
    };
    let index = ToolIndex::new(tools.iter().map(CatalogTool::searched));
    let found = index.search(&query, *limit, |_| 0.0);
    let found: Vec<_> =
        found.iter().filter_map(|one| Some((tools.get(one.place)?, one.score))).collect();
    if output.json {
        let tools = found.iter().map(|(tool, score)| FoundJson::of(tool, *score)).collect();
        output.document_of(&SearchJson { query: &query, tools });
    } else if found.is_empty() {
        output.line("no tool fits");
    } else {
        let cells = |(tool, _): &(&CatalogTool, f32)| {
            let description = tool.description.as_deref().unwrap_or_default();
            [tool.server.clone(), tool.name.clone(), one_line(description)]
        };
        let rows: Vec<_> = found.iter().map(|one| cells(one).to_vec()).collect();
        output.raw(&table(&["server", "tool", "description"], &rows));
    }
    match missing {
        Some((missing, is_any_listed)) => report(&missing, is_any_listed, output),
        None => Ok(Exit::Ok),
    }
}

fn read(file: &Path) -> Result<Vec<CatalogTool>, CliFailure> {
    let shown = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| CliFailure::usage(format!("{shown} cannot be read: {error}")))?;
    CatalogTool::read_all(&text).map_err(|error| CliFailure::usage(format!("{shown}: {error}")))
}
