//! Every tool that the servers have, also the hidden ones, with what is configured about it and who
//! sees it. For the owner of the configuration, and so for a host in the command's own process alone.
//!
//! A host shows nobody what is hidden, so each server is asked for its list beside the host first,
//! as `toolgate test` asks it.

use std::sync::Arc;

use serde::Serialize;
use toolgate_assembly::server_standing;
use toolgate_config::McpConfigLoadResult;
use toolgate_control::CommandFailure;
use toolgate_guard::{ToolExposure, admits};
use toolgate_host::{Audience, AudienceAddress, ToolEntry, ToolView};
use toolgate_store::Store;
use toolgate_types::config::{ApprovalMode, Entry, Server, Transport};
use toolgate_types::{
    Acceptances, Accepted, EntryKind, EntryStanding, ListKind, RoleId, ServerId, ServerStatus,
    Trust,
};

use super::{ErrandHost, MissingServer};
use crate::TestGround;
use crate::server_test::test_server;

/// What a manifest is made from, beside a host.
#[derive(Clone, Copy)]
pub struct ManifestSources<'a> {
    pub loaded: &'a McpConfigLoadResult,
    pub known: &'a Acceptances,
    pub ground: &'a TestGround<'a>,
    pub store: Option<&'a dyn Store>,
}

#[derive(Debug)]
pub struct ToolManifest {
    pub tools: Vec<ManifestRow>,
    /// Roles whose bundles do not resolve, and why.
    pub unresolved: Vec<(RoleId, String)>,
    pub missing: Vec<MissingServer>,
    pub is_any_listed: bool,
}

/// One tool, as the owner of the configuration is told of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestRow {
    /// As it is listed to whoever has no role, where it is.
    pub name: Option<String>,
    pub server: String,
    pub tool: String,
    pub trust: &'static str,
    /// None where nothing is configured; then a person is asked.
    pub approval: Option<&'static str>,
    /// To whoever has no role.
    pub exposure: &'static str,
    /// By the lists of the server's own entry.
    pub is_allowed_by_default: bool,
    pub roles: Vec<String>,
}

impl ToolManifest {
    pub async fn of(
        hosted: &ErrandHost,
        sources: ManifestSources<'_>,
    ) -> Result<Self, CommandFailure> {
        hosted.progress.doing("listing tools");
        let found = tools_of_servers(hosted, sources).await?;
        hosted.connect().await?;
        let listed = hosted.unless_interrupted(hosted.host.list_tools(&hosted.audience)).await?;
        let RoleAudiences { resolved, unresolved } = RoleAudiences::of(hosted, sources);
        let mut tools = Vec::with_capacity(found.len());
        for tool in found {
            tools.push(tool.row(hosted, &listed, &resolved).await?);
        }
        let missing = hosted.missing(|status| status.tools.is_some());
        let is_any_listed = hosted.host.status().iter().any(|status| status.tools.is_some());
        Ok(Self { tools, unresolved, missing, is_any_listed })
    }
}

/// A tool of a server.
struct ToolOfServer<'a> {
    id: ServerId,
    entry: &'a Entry<Server>,
    trust: Trust,
    tool: String,
}

/// What each server says that it has, be it shown to anybody or not.
async fn tools_of_servers<'a>(
    hosted: &ErrandHost,
    ManifestSources { loaded, known, ground, store }: ManifestSources<'a>,
) -> Result<Vec<ToolOfServer<'a>>, CommandFailure> {
    let mut found = Vec::new();
    for ServerStatus { id, .. } in hosted.host.status() {
        let Some(entry) = loaded.config.servers.get(&id).filter(|entry| entry.value.enabled) else {
            continue;
        };
        let standing = server_standing(id.as_str(), entry, known);
        let Ok(server) = Accepted::new(&entry.value, &standing) else { continue };
        let trust = server.trust();
        let mut names = Vec::new();
        if matches!(entry.value.transport, Transport::Builtin) {
            // It is in this process, and hides nothing.
            let its = hosted.host.found(&hosted.audience.address, ListKind::Tools, Some(&id)).await;
            names.extend(its.into_iter().map(|found| found.definition.key.to_string()));
        } else {
            let asked = test_server(&id, server, entry, ground.clone(), store);
            // One that fails here fails in the host too, and is said to be missing then.
            if let Ok(tested) = hosted.unless_interrupted(asked).await? {
                names.extend(tested.tools.items.into_iter().map(|(name, _)| name));
            }
        }
        let tools = names.into_iter();
        found.extend(tools.map(|tool| ToolOfServer { id: id.clone(), entry, trust, tool }));
    }
    Ok(found)
}

/// The audience of each role that a person accepted.
struct RoleAudiences {
    resolved: Vec<(RoleId, Audience)>,
    /// The roles that resolve to nothing, and why.
    unresolved: Vec<(RoleId, String)>,
}

impl RoleAudiences {
    fn of(hosted: &ErrandHost, sources: ManifestSources<'_>) -> Self {
        let (mut resolved, mut unresolved) = (Vec::new(), Vec::new());
        for (id, entry) in &sources.loaded.config.roles {
            let (grade, print) = (entry.origin.grade, &entry.fingerprint);
            let standing = sources.known.standing(grade, EntryKind::Role, id.as_str(), print, None);
            if matches!(standing, EntryStanding::Pending(_)) {
                continue;
            }
            let address = AudienceAddress::Role(id.clone());
            let audience = Audience { address, ..hosted.audience.clone() };
            match hosted.host.view(&audience).unresolved() {
                Some(error) => unresolved.push((id.clone(), error.to_string())),
                None => resolved.push((id.clone(), audience)),
            }
        }
        Self { resolved, unresolved }
    }
}

impl ToolOfServer<'_> {
    async fn row(
        self,
        hosted: &ErrandHost,
        listed: &ToolView,
        roles: &[(RoleId, Audience)],
    ) -> Result<ManifestRow, CommandFailure> {
        let server = &self.entry.value;
        let mut seeing = Vec::new();
        for (role, audience) in roles {
            if self.exposure(hosted, audience).await? != "hidden" {
                seeing.push(role.to_string());
            }
        }
        let is_this = |entry: &&Arc<ToolEntry>| {
            let name = entry.definition().map(|definition| &*definition.key);
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
    ) -> Result<&'static str, CommandFailure> {
        let explained = hosted.host.explain(audience, &self.id, &self.tool, None);
        let explained = hosted.unless_interrupted(explained).await?.map_err(CommandFailure::new)?;
        Ok(match explained.map(|explained| explained.exposed) {
            Some(ToolExposure::Direct) => "direct",
            Some(ToolExposure::Meta) => "meta",
            Some(ToolExposure::Hidden { .. }) | None => "hidden",
        })
    }
}

impl std::fmt::Debug for ManifestSources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ManifestSources").field("ground", &self.ground).finish_non_exhaustive()
    }
}
