//! `toolgate tools`: the tools of the servers under the names that agents see.

mod manifest;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{ListTools, ListedTool, ListedTools};
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::visible;

use crate::args::ToolsArgs;
use crate::errand::{self, ErrandPlace};
use crate::failure::CommandResult;
use crate::list_lines::{MissingServer, emptiness, one_line, report};
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &ToolsArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ToolsArgs { listing, role, manifest, cached } = arguments;
    if *manifest {
        return manifest::run(surroundings, output);
    }
    let errand = ListTools { only: listing.server.clone(), role: role.clone(), cached: *cached };
    let place = ErrandPlace::new(listing.standalone);
    let listed = errand::run(&errand, place, surroundings, output)??;
    let ListedTools { tools, missing, is_any_listed, set_aside } = listed;
    let rows = tools.iter().map(ToolRow::of).collect::<Vec<_>>();
    if output.json {
        output.document_of(&ToolsJson { tools: &rows, servers: &missing });
    } else if !rows.is_empty() {
        let rows = rows.iter().map(ToolRow::cells).collect::<Vec<_>>();
        output.raw(&table(&["name", "server", "tool", "description"], &rows));
    } else if let Some(line) = emptiness("tools", &missing, is_any_listed) {
        output.line(line);
    }
    for odd in &set_aside {
        output.warning(format!("a tool was set aside: {}", visible(odd)));
    }
    report(&missing, errand.only.is_some(), is_any_listed, output)
}

#[derive(Serialize)]
struct ToolsJson<'a> {
    tools: &'a [ToolRow<'a>],
    servers: &'a [MissingServer],
}

#[derive(Serialize)]
struct ToolRow<'a> {
    name: &'a str,
    /// None where it is a tool of Toolgate's own, which leads to others.
    server: Option<&'a str>,
    tool: Option<&'a str>,
    description: Option<&'a str>,
    definition: Option<&'a RawValue>,
}

impl<'a> ToolRow<'a> {
    fn of(tool: &'a ListedTool) -> Self {
        Self {
            name: &tool.name,
            server: tool.server.as_deref(),
            tool: tool.tool.as_deref(),
            description: tool.description.as_deref(),
            definition: tool.definition.as_deref(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let server = self.server.unwrap_or("-").to_owned();
        let tool = visible(self.tool.unwrap_or("-"));
        vec![visible(self.name), server, tool, one_line(self.description)]
    }
}
