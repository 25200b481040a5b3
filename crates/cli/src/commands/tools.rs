//! `toolgate tools`: the tools of the servers under the names that agents see.

mod manifest;
mod search;
mod show;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_daemon::{ListTools, ListedTool, ListedTools};
use toolgate_terminal::{CommandOutput, counted, list_costs, one_line, server_costs, table};
use toolgate_types::{ListCost, visible};

use crate::args::{ToolsArgs, ToolsVerb};
use crate::errand::{self, ErrandPlace};
use crate::failure::{CliFailure, CommandResult};
use crate::list_lines::{MissingServer, emptiness, refuse_missing, report};
use crate::pinned_tools::pinned;
use crate::surroundings::Surroundings;

pub(crate) fn run(
    arguments: &ToolsArgs,
    surroundings: &Surroundings,
    output: &mut CommandOutput,
) -> CommandResult {
    let ToolsArgs { verb, listing, role, at, manifest, tokens, cached } = arguments;
    match verb {
        Some(ToolsVerb::Show(arguments)) => return show::run(arguments, surroundings, output),
        Some(ToolsVerb::Search(arguments)) => {
            return search::run(arguments, surroundings, output);
        }
        None => {}
    }
    if *manifest {
        return manifest::run(surroundings, output);
    }
    let (only, role) = (listing.server.clone(), at.acting(role.as_deref()));
    let (cached, with_costs) = (*cached, *tokens);
    let errand = ListTools { only, role, cached, with_costs, with_past: false };
    let place = ErrandPlace::new(listing.standalone);
    let listed = errand::run(&errand, place, surroundings, output)??;
    let ListedTools { tools, missing, is_any_listed, set_aside, flaws, costs } = listed;
    refuse_missing(&missing, errand.only.is_some())?;
    let rows = tools.iter().map(ToolRow::of).collect::<Vec<_>>();
    if *tokens {
        show_costs(&costs, &missing, output);
        return report(&missing, is_any_listed, output);
    }
    if output.json {
        output.document_of(&ToolsJson { tools: &rows, servers: &missing });
    } else if !rows.is_empty() {
        let rows = rows.iter().map(ToolRow::cells).collect::<Vec<_>>();
        output.raw(&table(&["name", "server", "tool", "description"], &rows));
    } else if let Some(line) = emptiness("tools", &missing, is_any_listed) {
        output.line(line);
    }
    for (server, count) in unaccepted(errand.only.as_deref(), surroundings)? {
        let tools = counted(count, "tool");
        output.note(format!(
            "{server}: {tools} that nobody accepted by name, so agents do not see them; see \
             `toolgate pins accept {server}`"
        ));
    }
    for odd in &set_aside {
        output.warning(format!("a tool was set aside: {}", visible(odd)));
    }
    for flaw in &flaws {
        output.warning(format!("no call of a tool can be right: {}", visible(flaw)));
    }
    report(&missing, is_any_listed, output)
}

fn show_costs(lists: &[ListCost], servers: &[MissingServer], output: &mut CommandOutput) {
    #[derive(Serialize)]
    struct CostsJson<'a> {
        lists: &'a [ListCost],
        servers: &'a [MissingServer],
    }
    match output.json {
        true => output.document_of(&CostsJson { lists, servers }),
        false => output.raw(&format!("{}\n{}", list_costs(lists), server_costs(lists))),
    }
}

/// How many tools of untrusted servers wait to be accepted by name.
fn unaccepted(
    only: Option<&str>,
    surroundings: &Surroundings,
) -> Result<Vec<(String, usize)>, CliFailure> {
    let all = pinned(surroundings, &surroundings.load_as_hosted())?.into_iter();
    let meant = all.filter(|one| only.is_none_or(|only| one.key.server.as_str() == only));
    let counts = meant.map(|one| {
        let unnamed = one.pins.iter().filter(|pin| one.is_unnamed(pin)).count();
        (one.key.server.to_string(), unnamed)
    });
    Ok(counts.filter(|(_, count)| *count > 0).collect())
}

#[derive(Serialize)]
struct ToolsJson<'a> {
    tools: &'a [ToolRow<'a>],
    servers: &'a [MissingServer],
}

#[derive(Serialize)]
struct ToolRow<'a> {
    /// None where agents reach it through another.
    name: Option<&'a str>,
    #[serde(rename = "reachedThrough", skip_serializing_if = "Option::is_none")]
    through: Option<&'a str>,
    /// None where it is a tool of Toolgate's own, which leads to others.
    server: Option<&'a str>,
    tool: Option<&'a str>,
    #[serde(rename = "ownName", skip_serializing_if = "Option::is_none")]
    own_name: Option<&'a str>,
    description: Option<&'a str>,
    definition: Option<&'a RawValue>,
}

impl<'a> ToolRow<'a> {
    fn of(tool: &'a ListedTool) -> Self {
        Self {
            name: tool.name.as_deref(),
            through: tool.through.as_deref(),
            server: tool.server.as_deref(),
            tool: tool.tool.as_deref(),
            own_name: tool.own_name.as_deref(),
            description: tool.description.as_deref(),
            definition: tool.definition.as_deref(),
        }
    }

    fn cells(&self) -> Vec<String> {
        let server = self.server.unwrap_or("-").to_owned();
        let own = self.own_name.map(|own| format!(" (at the server {})", visible(own)));
        let tool = visible(self.tool.unwrap_or("-")) + &own.unwrap_or_default();
        let through = self.through.map(|through| format!("(through {through})"));
        let name = self.name.map(visible).or(through).unwrap_or_else(|| "-".to_owned());
        vec![name, server, tool, one_line(self.description.unwrap_or_default())]
    }
}
