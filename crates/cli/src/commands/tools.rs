//! `toolgate tools`: the tools of the servers under the names that agents see.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_host::{Audience, Guard, ToolEntry, View};
use toolgate_types::visible;

use crate::args::Tools;
use crate::failure::{Done, Failure};
use crate::hosting::{Hosted, Wish, with_host};
use crate::listing::{Missing, emptiness, one_line, report};
use crate::output::{Output, table};
use crate::surroundings::Surroundings;

struct Listed {
    view: Arc<View>,
    missing: Vec<Missing>,
    is_any_listed: bool,
}

pub(crate) fn run(arguments: &Tools, surroundings: &Surroundings, output: &mut Output) -> Done {
    let Tools { listing, cached } = arguments;
    // Listing asks no guard.
    let only = listing.server.as_deref();
    let wish = Wish { only, guard: Guard::default(), cached: *cached, answers: false };
    let listed =
        with_host(wish, surroundings, output, async |hosted| list(hosted, *cached).await)??;
    let Listed { view, missing, is_any_listed } = listed;
    let rows = view.tools().filter_map(Row::of).collect::<Vec<_>>();
    if output.json {
        output.document_of(&Document { tools: &rows, servers: &missing });
    } else if !rows.is_empty() {
        let rows = rows.iter().map(Row::cells).collect::<Vec<_>>();
        output.raw(&table(&["name", "server", "tool", "description"], &rows));
    } else if let Some(line) = emptiness("tools", &missing, is_any_listed) {
        output.line(line);
    }
    for odd in view.set_aside() {
        output.warning(format!("a tool was set aside: {}", visible(odd)));
    }
    report(&missing, only.is_some(), is_any_listed, output)
}

async fn list(hosted: &Hosted, cached: bool) -> Result<Listed, Failure> {
    if !cached {
        hosted.connect().await?;
    }
    hosted.progress.doing("listing tools");
    let audience = Audience { naming: hosted.naming, resource_tools: false };
    let view = hosted.unless_interrupted(hosted.host.list_tools(&audience)).await?;
    let missing = hosted.missing(|status| status.tools.is_some());
    let is_any_listed = hosted.host.status().iter().any(|status| status.tools.is_some());
    Ok(Listed { view, missing, is_any_listed })
}

#[derive(Serialize)]
struct Document<'a> {
    tools: &'a [Row<'a>],
    servers: &'a [Missing],
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    server: &'a str,
    tool: &'a str,
    description: Option<&'a str>,
    definition: &'a RawValue,
}

impl<'a> Row<'a> {
    fn of(entry: &'a Arc<ToolEntry>) -> Option<Self> {
        let (server, definition) = (entry.server()?, entry.definition()?);
        Some(Self {
            name: entry.name(),
            server: server.as_str(),
            tool: &definition.key,
            description: definition.description.as_deref(),
            definition: &definition.raw,
        })
    }

    fn cells(&self) -> Vec<String> {
        let server = self.server.to_owned();
        vec![visible(self.name), server, visible(self.tool), one_line(self.description)]
    }
}
