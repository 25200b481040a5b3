//! Which servers and which role a verb means: found, accepted and usable, or the sentence why not.

use toolgate_assembly::{is_brought, server_standing};
use toolgate_config::McpConfigLoadResult;
use toolgate_control::{CommandExit, CommandFailure};
use toolgate_host::{ActingAs, Audience, AudienceAddress, StepAddress};
use toolgate_types::config::{Config, Entry, Server, Transport};
use toolgate_types::{
    Acceptances, BundleId, EntryKind, EntryStanding, RoleId, ServerId, ServerState, StepId, ToolId,
    WorkflowId, visible,
};

use super::{HostWish, MissingServer, unknown_name, unknown_role, unknown_server};

/// What a wish comes to in a configuration.
#[derive(Debug)]
pub struct ChosenServers {
    /// With the servers that the host knows.
    pub config: Config,
    pub(super) audience: Audience,
    pub(super) meant: Option<Vec<ServerId>>,
    pub(super) left_out: Vec<MissingServer>,
}

impl ChosenServers {
    pub fn of(
        wish: &HostWish<'_>,
        loaded: &McpConfigLoadResult,
        known: &Acceptances,
    ) -> Result<Self, CommandFailure> {
        match wish.only {
            Some(ServerId::LOCAL) => refuse_without_tools(wish, loaded, known)?,
            Some(id) => refuse_unusable(id, wish, loaded, known)?,
            None => {}
        }
        let acting = wish.role.map(|role| find_acting(role, loaded, known)).transpose()?;
        let meant = meant(wish, acting.as_ref(), &loaded.config)?;
        let left_out = left_out(wish, loaded, known);
        let config = hosted_config(wish, &loaded.config);
        let address = AudienceAddress::acting(acting);
        let naming = config.gateway.naming;
        let audience = Audience { naming, resource_tools: false, ..Audience::at(address) };
        Ok(Self { config, audience, meant, left_out })
    }
}

/// A server that was named is there, accepted and enabled, or the verb ends here.
fn refuse_unusable(
    id: &str,
    wish: &HostWish<'_>,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> Result<(), CommandFailure> {
    let entry = find_server(loaded, id)?;
    if let EntryStanding::Pending(reason) = server_standing(id, entry, known) {
        return Err(CommandFailure::new(format!("server {id} is pending: {reason}"))
            .hint("nothing was started; accept it with: toolgate trust")
            .exits(CommandExit::TrustNeeded));
    }
    refuse_switched_off(id, wish, loaded)?;
    if loaded.config.switched.off.contains_key(id) {
        return Ok(());
    }
    if !entry.value.enabled {
        return Err(CommandFailure::new(format!("server {id} is disabled"))
            .hint(format!("enable it with: toolgate enable {id}")));
    }
    match entry.value.transport {
        Transport::Builtin if !is_brought(id) => Err(CommandFailure::new(format!(
            "server {id} is built in, and this version has none of that name"
        ))),
        _ => Ok(()),
    }
}

/// The command tool that is meant is accepted and enabled, or the verb ends here; where none is meant, at
/// least one of them.
fn refuse_without_tools(
    wish: &HostWish<'_>,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> Result<(), CommandFailure> {
    let tools = &loaded.config.tools;
    if tools.is_empty() {
        return Err(CommandFailure::new("no command tool is configured")
            .hint("name one under [tools.NAME]; see `toolgate config check`"));
    }
    refuse_switched_off(ServerId::LOCAL, wish, loaded)?;
    // One that is not there at all is told by whoever looks for it.
    let meant = wish.tool.filter(|tool| tools.contains_key(*tool));
    let is_meant = |id: &ToolId| meant.is_none_or(|meant| meant == id.as_str());
    let mut pending = None;
    let tools = tools.iter().filter(|(id, _)| is_meant(id));
    for (id, entry) in tools.filter(|(_, entry)| entry.value.enabled) {
        let (grade, print) = (entry.origin.grade, &entry.fingerprint);
        match known.standing(grade, EntryKind::Tool, id.as_str(), print, None) {
            EntryStanding::Accepted(_) => return Ok(()),
            EntryStanding::Pending(reason) => pending = pending.or(Some((id, reason))),
        }
    }
    Err(match pending {
        Some((id, reason)) => CommandFailure::new(format!("tool {id} is pending: {reason}"))
            .hint("nothing was started; accept it with: toolgate trust")
            .exits(CommandExit::TrustNeeded),
        None => match meant {
            Some(tool) => CommandFailure::new(format!("tool {tool} is disabled")),
            None => CommandFailure::new("every command tool is disabled"),
        },
    })
}

fn refuse_switched_off(
    id: &str,
    wish: &HostWish<'_>,
    loaded: &McpConfigLoadResult,
) -> Result<(), CommandFailure> {
    match loaded.config.switched.off.get(id).filter(|_| !wish.explains) {
        Some(scope) => {
            let scope = visible(&scope.to_string());
            Err(CommandFailure::new(format!("server {id} is off by a switch ({scope})"))
                .hint(format!("bring it back with: toolgate on {id}")))
        }
        None => Ok(()),
    }
}

/// Entries that are invalid, and those that nobody accepted.
fn left_out(
    wish: &HostWish<'_>,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> Vec<MissingServer> {
    if wish.only.is_some() || wish.role.is_some() {
        return Vec::new();
    }
    let rejected = loaded.rejected.iter().filter(|entry| entry.kind == EntryKind::Server);
    let rejected = rejected.map(|entry| MissingServer {
        id: entry.id.clone(),
        state: ServerState::Error,
        error: Some(entry.reason.clone()),
    });
    let pending = loaded.config.servers.iter().filter_map(|(id, entry)| {
        match server_standing(id.as_str(), entry, known) {
            EntryStanding::Pending(reason) if entry.value.enabled => Some(MissingServer {
                id: id.to_string(),
                state: ServerState::Pending,
                error: Some(reason.to_string()),
            }),
            _ => None,
        }
    });
    rejected.chain(pending).collect()
}

/// The role, or the step of a workflow, that was named is there and accepted, or the verb ends here.
fn find_acting(
    typed: &str,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> Result<ActingAs, CommandFailure> {
    if !typed.contains('/') {
        return find_role(typed, loaded, known).map(ActingAs::Role);
    }
    let acting = ActingAs::parse(typed).map_err(CommandFailure::usage)?;
    let (step, bundles) = match &acting {
        ActingAs::Step(step) => (step, [].as_slice()),
        ActingAs::StepPart(step, bundles) => (step, bundles.as_slice()),
        ActingAs::Role(_) => return Ok(acting),
    };
    let workflows = &loaded.config.workflows;
    let Some(entry) = workflows.get(&step.workflow) else {
        let names = workflows.keys().map(WorkflowId::as_str);
        let message = "no such workflow is configured";
        return Err(unknown_name(message, step.workflow.as_str(), names, "toolgate config show"));
    };
    let (grade, print) = (entry.origin.grade, &entry.fingerprint);
    let id = step.workflow.as_str();
    if let EntryStanding::Pending(reason) =
        known.standing(grade, EntryKind::Workflow, id, print, None)
    {
        return Err(CommandFailure::new(format!("workflow {id} is pending: {reason}"))
            .hint("accept it with: toolgate trust")
            .exits(CommandExit::TrustNeeded));
    }
    let steps = entry.value.roles.get(&step.role);
    let Some(its) = steps.and_then(|steps| steps.get(&step.step)) else {
        let message = format!("workflow {id} has no such step for the role {}", step.role);
        let names = steps.into_iter().flat_map(|steps| steps.keys()).map(StepId::as_str);
        return Err(unknown_name(&message, step.step.as_str(), names, "toolgate config show"));
    };
    if let Some(other) = bundles.iter().find(|bundle| !its.contains(bundle)) {
        let message = format!("the step {step} has no such bundle");
        let names = its.iter().map(BundleId::as_str);
        return Err(unknown_name(&message, other.as_str(), names, "toolgate config show"));
    }
    Ok(acting)
}

/// A role that was named is there and accepted, or the verb ends here: to the host one that is not
/// means nothing at all, which would read as "sees nothing".
pub(crate) fn find_role(
    id: &str,
    loaded: &McpConfigLoadResult,
    known: &Acceptances,
) -> Result<RoleId, CommandFailure> {
    let role = RoleId::parse(id).ok();
    let Some((id, entry)) = role.and_then(|role| loaded.config.roles.get_key_value(&role)) else {
        return Err(unknown_role(id, loaded.config.roles.keys().map(RoleId::as_str)));
    };
    let (grade, print) = (entry.origin.grade, &entry.fingerprint);
    match known.standing(grade, EntryKind::Role, id.as_str(), print, None) {
        EntryStanding::Accepted(_) => Ok(id.clone()),
        EntryStanding::Pending(reason) => {
            Err(CommandFailure::new(format!("role {id} is pending: {reason}"))
                .hint("accept it with: toolgate trust")
                .exits(CommandExit::TrustNeeded))
        }
    }
}

/// The one server that was named, or those of the bundles of the role or the step.
fn meant(
    wish: &HostWish<'_>,
    acting: Option<&ActingAs>,
    config: &Config,
) -> Result<Option<Vec<ServerId>>, CommandFailure> {
    if let Some(only) = wish.only {
        return Ok(Some(vec![server_id(only)?]));
    }
    let bundles = acting.and_then(|acting| match acting {
        ActingAs::Role(role) => config.roles.get(role).map(|entry| &entry.value.bundles),
        ActingAs::Step(StepAddress { workflow, role, step }) => {
            config.workflows.get(workflow)?.value.roles.get(role)?.get(step)
        }
        ActingAs::StepPart(_, bundles) => Some(bundles),
    });
    Ok(bundles.map(|bundles| {
        let bundles = bundles.iter().filter_map(|id| config.bundles.get(id));
        bundles.map(|bundle| bundle.value.server.clone()).collect()
    }))
}

/// The configuration with the servers that the host knows, without the built-in ones that do not exist
/// yet.
fn hosted_config(wish: &HostWish<'_>, config: &Config) -> Config {
    let mut config = config.clone();
    let is_in_use = config.switched.role.is_some();
    let ids: Vec<ServerId> = config.servers.keys().cloned().collect();
    config.servers.retain(|id, entry| {
        // A role may be in use, and its bundles are those of other servers too.
        let has_role = wish.role.is_some() || is_in_use;
        let is_known = has_role || wish.only.is_none_or(|only| only == id.as_str());
        let is_there =
            !matches!(entry.value.transport, Transport::Builtin) || is_brought(id.as_str());
        is_known && is_there
    });
    if wish.role.is_none() && wish.only.is_some_and(|only| only != ServerId::LOCAL) {
        config.tools.clear();
    }
    // The others are configured all the same: a tool's name does not depend on who asks for it.
    config.other_ids.extend(ids.into_iter().filter(|id| !config.servers.contains_key(id)));
    config
}

/// The server of this id, or why there is none.
pub fn find_server<'l>(
    loaded: &'l McpConfigLoadResult,
    id: &str,
) -> Result<&'l Entry<Server>, CommandFailure> {
    if let Some(entry) = loaded.config.servers.get(id) {
        return Ok(entry);
    }
    let mut rejected = loaded.rejected.iter().filter(|entry| entry.kind == EntryKind::Server);
    Err(match rejected.find(|entry| entry.id == id) {
        Some(rejected) => CommandFailure::new(format!(
            "server {id} is invalid: {} ({})",
            visible(&rejected.reason),
            rejected.origin
        ))
        .hint("see `toolgate config check`"),
        None => unknown_server(id, loaded.config.servers.keys().map(ServerId::as_str)),
    })
}

/// The id of a server that was let in.
pub fn server_id(id: &str) -> Result<ServerId, CommandFailure> {
    ServerId::parse_reference(id).map_err(CommandFailure::new)
}
