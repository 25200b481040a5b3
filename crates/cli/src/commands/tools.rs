//! `toolgate tools`: the tools of the servers under the names that agents see.

mod manifest;

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use toolgate_host::{ToolEntry, View};
use toolgate_types::{ListKind, ServerId, visible};

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
    let Tools { listing, role, manifest, cached } = arguments;
    if *manifest {
        return manifest::run(surroundings, output);
    }
    let only = listing.server.as_deref();
    let wish = Wish { only, role: role.as_deref(), cached: *cached, answers: false };
    let listed =
        with_host(wish, surroundings, output, async |hosted| list(hosted, *cached).await)??;
    let Listed { view, missing, is_any_listed } = listed;
    // A role's view holds its other servers too, where they are known from before.
    let is_meant = |row: &Row<'_>| only.is_none() || row.server.is_none() || row.server == only;
    let rows = view.tools().map(Row::of).filter(is_meant).collect::<Vec<_>>();
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
    let view = hosted.unless_interrupted(view(hosted)).await?;
    if let Some(error) = view.unresolved() {
        return Err(Failure::new(error));
    }
    let missing = hosted.missing(|status| status.tools.is_some());
    // Nothing is missing where a role has no bundles.
    let is_none_meant = hosted.meant.as_ref().is_some_and(Vec::is_empty);
    let is_any_listed =
        is_none_meant || hosted.host.status().iter().any(|status| status.tools.is_some());
    Ok(Listed { view, missing, is_any_listed })
}

/// What the audience sees; only the servers that are meant are asked for it.
async fn view(hosted: &Hosted) -> Arc<View> {
    let Some(meant) = &hosted.meant else {
        return hosted.host.list_tools(&hosted.audience).await;
    };
    for server in meant {
        hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(server)).await;
    }
    hosted.host.view(&hosted.audience)
}

#[derive(Serialize)]
struct Document<'a> {
    tools: &'a [Row<'a>],
    servers: &'a [Missing],
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    /// None where it is a tool of Toolgate's own, which leads to others.
    server: Option<&'a str>,
    tool: Option<&'a str>,
    description: Option<&'a str>,
    definition: Option<&'a RawValue>,
}

impl<'a> Row<'a> {
    fn of(entry: &'a Arc<ToolEntry>) -> Self {
        let definition = entry.definition();
        Self {
            name: entry.name(),
            server: entry.server().map(ServerId::as_str),
            tool: definition.map(|definition| definition.key.as_str()),
            description: match definition {
                Some(definition) => definition.description.as_deref(),
                None => Some(entry.description()),
            },
            definition: definition.map(|definition| &*definition.raw),
        }
    }

    fn cells(&self) -> Vec<String> {
        let server = self.server.unwrap_or("-").to_owned();
        let tool = visible(self.tool.unwrap_or("-"));
        vec![visible(self.name), server, tool, one_line(self.description)]
    }
}
