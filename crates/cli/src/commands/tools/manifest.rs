//! `toolgate tools --manifest`: every tool that the servers have, also the hidden ones, with what is
//! configured about it and who sees it. For the owner of the configuration.

use serde::Serialize;
use toolgate_daemon::{ErrandHost, HostWish, ManifestRow, ManifestSources, ToolManifest};
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::visible;

use crate::command_host::with_host;
use crate::failure::CommandResult;
use crate::list_lines::{MissingServer, emptiness, report};
use crate::progress::keep_from_terminal;
use crate::surroundings::Surroundings;

const HEADER: [&str; 8] =
    ["name", "server", "tool", "trust", "approval", "exposure", "allowed", "roles"];

pub(super) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let mut loaded = surroundings.load_as_hosted();
    keep_from_terminal(&mut loaded.config);
    let known = surroundings.acceptances(&loaded)?;
    let ground = &surroundings.test_ground(&loaded.config);
    let (loaded, known) = (&loaded, &known);
    let work = async |hosted: &ErrandHost| {
        let store = surroundings.store().ok();
        let store = store.as_ref().map(|store| store as _);
        ToolManifest::of(hosted, ManifestSources { loaded, known, ground, store }).await
    };
    let ToolManifest { tools, unresolved, missing, is_any_listed } =
        with_host(HostWish::default(), surroundings, output, work)??;
    if output.json {
        output.document_of(&ManifestJson { tools: &tools, servers: &missing });
    } else if !tools.is_empty() {
        output.raw(&table(&HEADER, &tools.iter().map(cells).collect::<Vec<_>>()));
    } else if let Some(line) = emptiness("tools", &missing, is_any_listed) {
        output.line(line);
    }
    for (role, why) in unresolved {
        output.warning(format!("role {role} sees nothing: {}", visible(&why)));
    }
    report(&missing, is_any_listed, output)
}

#[derive(Serialize)]
struct ManifestJson<'a> {
    tools: &'a [ManifestRow],
    servers: &'a [MissingServer],
}

fn cells(row: &ManifestRow) -> Vec<String> {
    vec![
        visible(row.name.as_deref().unwrap_or("-")),
        row.server.clone(),
        visible(&row.tool),
        row.trust.to_owned(),
        row.approval.unwrap_or("-").to_owned(),
        row.exposure.to_owned(),
        if row.is_allowed_by_default { "yes" } else { "no" }.to_owned(),
        row.roles.join(" "),
    ]
}
