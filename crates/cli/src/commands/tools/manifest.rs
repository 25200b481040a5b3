//! `toolgate tools --manifest`: every tool that the servers have, also the hidden ones, with what is
//! configured about it and who sees it. For the owner of the configuration.
//!
//! A host shows nobody what is hidden, so each server is asked for its list beside the host first,
//! as `toolgate test` asks it.

use std::sync::Arc;

use serde::Serialize;
use toolgate_config::McpConfigLoadResult;
use toolgate_daemon::{ErrandHost, HostWish, test_server};
use toolgate_guard::{ToolExposure, admits};
use toolgate_host::{Audience, AudienceAddress, ToolEntry, ToolView};
use toolgate_terminal::{CommandOutput, table};
use toolgate_types::config::{ApprovalMode, Entry, Server, Transport};
use toolgate_types::{
    Acceptances, Accepted, EntryKind, EntryStanding, ListKind, RoleId, ServerId, ServerStatus,
    Trust, visible,
};

use crate::command_host::with_host;
use crate::failure::{CliFailure, CommandResult};
use crate::list_lines::{MissingServer, emptiness, report};
use crate::progress::keep_from_terminal;
use crate::surroundings::Surroundings;
use crate::trust_standing;

const HEADER: [&str; 8] =
    ["name", "server", "tool", "trust", "approval", "exposure", "allowed", "roles"];

pub(super) fn run(surroundings: &Surroundings, output: &mut CommandOutput) -> CommandResult {
    let mut loaded = surroundings.load_as_hosted();
    keep_from_terminal(&mut loaded.config);
    let known = surroundings.acceptances(&loaded)?;
    let wish = HostWish {
        only: None,
        role: None,
        cached: false,
        answers: false,
        waits: false,
        explains: false,
    };
    let work = async |hosted: &ErrandHost| manifest(hosted, &loaded, &known, surroundings).await;
    let ToolManifest { tools, unresolved, missing, is_any_listed } =
        with_host(wish, surroundings, output, work)??;
    if output.json {
        output.document_of(&ManifestJson { tools: &tools, servers: &missing });
    } else if !tools.is_empty() {
        output.raw(&table(&HEADER, &tools.iter().map(ManifestRow::cells).collect::<Vec<_>>()));
    } else if let Some(line) = emptiness("tools", &missing, is_any_listed) {
        output.line(line);
    }
    for (role, why) in unresolved {
        output.warning(format!("role {role} sees nothing: {}", visible(&why)));
    }
    report(&missing, is_any_listed, output)
}

struct ToolManifest {
    tools: Vec<ManifestRow>,
    /// Roles whose bundles do not resolve, and why.
    unresolved: Vec<(RoleId, String)>,
    missing: Vec<MissingServer>,
    is_any_listed: bool,
}

#[derive(Serialize)]
struct ManifestJson<'a> {
    tools: &'a [ManifestRow],
    servers: &'a [MissingServer],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManifestRow {
    /// As it is listed to whoever has no role, where it is.
    name: Option<String>,
    server: String,
    tool: String,
    trust: &'static str,
    /// None where nothing is configured; then a person is asked.
    approval: Option<&'static str>,
    /// To whoever has no role.
    exposure: &'static str,
    /// By the lists of the server's own entry.
    is_allowed_by_default: bool,
    roles: Vec<String>,
}

impl ManifestRow {
    fn cells(&self) -> Vec<String> {
        vec![
            visible(self.name.as_deref().unwrap_or("-")),
            self.server.clone(),
            visible(&self.tool),
            self.trust.to_owned(),
            self.approval.unwrap_or("-").to_owned(),
            self.exposure.to_owned(),
            if self.is_allowed_by_default { "yes" } else { "no" }.to_owned(),
            self.roles.join(" "),
        ]
    }
}

async fn manifest(
    hosted: &ErrandHost,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
    surroundings: &Surroundings,
) -> Result<ToolManifest, CliFailure> {
    hosted.progress.doing("listing tools");
    let store = surroundings.store().ok();
    let mut found = Vec::new();
    for ServerStatus { id, .. } in hosted.host.status() {
        let Some(entry) = loaded.config.servers.get(&id).filter(|entry| entry.value.enabled) else {
            continue;
        };
        let standing = trust_standing::server_standing(id.as_str(), entry, known);
        let Ok(server) = Accepted::new(&entry.value, &standing) else { continue };
        let trust = server.trust();
        let mut names = Vec::new();
        if matches!(entry.value.transport, Transport::Builtin) {
            // It is in this process, and hides nothing.
            let its = hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(&id)).await;
            names.extend(its.into_iter().map(|found| found.definition.key.clone()));
        } else {
            let store = store.as_ref().map(|store| store as _);
            let asked =
                test_server(&id, server, entry, surroundings.test_ground(&loaded.config), store);
            // One that fails here fails in the host too, and is said to be missing then.
            if let Ok(tested) = hosted.unless_interrupted(asked).await? {
                names.extend(tested.tools.items.into_iter().map(|(name, _)| name));
            }
        }
        let tools = names.into_iter();
        found.extend(tools.map(|tool| ManifestTool { id: id.clone(), entry, trust, tool }));
    }
    hosted.connect().await?;
    let listed = hosted.unless_interrupted(hosted.host.list_tools(&hosted.audience)).await?;
    let (roles, unresolved) = roles(hosted, loaded, known);
    let mut tools = Vec::with_capacity(found.len());
    for about in found {
        tools.push(about.row(hosted, &listed, &roles).await?);
    }
    let missing = hosted.missing(|status| status.tools.is_some());
    let is_any_listed = hosted.host.status().iter().any(|status| status.tools.is_some());
    Ok(ToolManifest { tools, unresolved, missing, is_any_listed })
}

/// The audience of each role that a person accepted, and the roles that resolve to nothing.
#[expect(clippy::type_complexity, reason = "two lists of pairs")]
fn roles(
    hosted: &ErrandHost,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> (Vec<(RoleId, Audience)>, Vec<(RoleId, String)>) {
    let (mut roles, mut unresolved) = (Vec::new(), Vec::new());
    for (id, entry) in &loaded.config.roles {
        let (grade, print) = (entry.origin.grade, &entry.fingerprint);
        let standing = known.standing(grade, EntryKind::Role, id.as_str(), print, None);
        if matches!(standing, EntryStanding::Pending(_)) {
            continue;
        }
        let address = AudienceAddress::Role(id.clone());
        let audience = Audience { address, ..hosted.audience.clone() };
        match hosted.host.view(&audience).unresolved() {
            Some(error) => unresolved.push((id.clone(), error.to_string())),
            None => roles.push((id.clone(), audience)),
        }
    }
    (roles, unresolved)
}

/// A tool of a server.
struct ManifestTool<'a> {
    id: ServerId,
    entry: &'a Entry<Server>,
    trust: Trust,
    tool: String,
}

impl ManifestTool<'_> {
    async fn row(
        self,
        hosted: &ErrandHost,
        listed: &ToolView,
        roles: &[(RoleId, Audience)],
    ) -> Result<ManifestRow, CliFailure> {
        let server = &self.entry.value;
        let mut seeing = Vec::new();
        for (role, audience) in roles {
            if self.exposure(hosted, audience).await? != "hidden" {
                seeing.push(role.to_string());
            }
        }
        let is_this = |entry: &&Arc<ToolEntry>| {
            let name = entry.definition().map(|definition| definition.key.as_str());
            entry.server() == Some(&self.id) && name == Some(self.tool.as_str())
        };
        let of_tool = server.tool_settings.get(&self.tool).and_then(|settings| settings.approval);
        Ok(ManifestRow {
            name: listed.tools().find(is_this).map(|entry| entry.name().to_owned()),
            server: self.id.to_string(),
            trust: self.trust.as_str(),
            approval: of_tool.or(server.approval).map(ApprovalMode::as_str),
            exposure: self.exposure(hosted, &hosted.audience).await?,
            is_allowed_by_default: admits(&server.tools, &self.id, &self.tool),
            roles: seeing,
            tool: self.tool,
        })
    }

    async fn exposure(
        &self,
        hosted: &ErrandHost,
        audience: &Audience,
    ) -> Result<&'static str, CliFailure> {
        let explained = hosted.host.explain(audience, &self.id, &self.tool, None);
        let explained = hosted.unless_interrupted(explained).await?.map_err(CliFailure::new)?;
        Ok(match explained.map(|explained| explained.exposed) {
            Some(ToolExposure::Direct) => "direct",
            Some(ToolExposure::Meta) => "meta",
            Some(ToolExposure::Hidden { .. }) | None => "hidden",
        })
    }
}
