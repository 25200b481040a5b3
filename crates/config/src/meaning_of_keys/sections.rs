//! Bundles, roles, workflows, policies, and the settings a person's own layers may have.

use std::net::SocketAddr;
use std::time::Duration;

use indexmap::IndexMap;
use toolgate_types::config::{
    ApprovalSection, AuditSection, Bundle, BundleMode, CallRule, CallerAuth, ClientSettings,
    GatewaySection, LimitsSection, MetaSection, NameFilter, Policy, Role, RuleEffect,
    SandboxSection, Workflow,
};
use toolgate_types::{BundleId, Endpoint, IdError, LayerGrade, Pattern, RoleId, ServerId, StepId};

use super::http_entrance::{http_entrance, persons_file, warn_of_readable_tokens};
use super::remote::endpoint;
use super::token_issuer::token_issuer;
use crate::lock::definition_hash;
use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::raw::{
    RawApproval, RawAudit, RawBundle, RawCallRule, RawClient, RawGateway, RawLimits, RawMeta,
    RawPolicy, RawRole, RawSandbox, RawWorkflow,
};
use crate::reader::DocumentReader;
use crate::shape::ConfigShape;

pub(crate) fn id<T>(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    parsed: Result<T, IdError>,
) -> Option<T> {
    match parsed {
        Ok(id) => Some(id),
        Err(error) => {
            reader.error(at, "bad-id", error.to_string());
            None
        }
    }
}

pub(crate) fn bundle(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawBundle,
) -> Option<Bundle> {
    let RawBundle { server, mode, description, allow_tools, deny_tools } = raw;
    let names = ["server", "server_id"];
    let tools = NameFilter {
        allow: reader.allow_list(place, &["allow_tools"], allow_tools),
        deny: reader.deny_list(place, &["deny_tools"], deny_tools),
    };
    let Some(server) = server else {
        if place.find(&names).is_none() {
            let help = Some("name the server whose tools it slices".to_owned());
            let message = "the `server` is missing".to_owned();
            reader.report(Severity::Error, place, "missing-server", message, help);
        }
        return None;
    };
    let server = id(reader, &place.at(&names), ServerId::parse_reference(&server))?;
    let mode = mode.unwrap_or(match reader.shape {
        ConfigShape::ToolLoop => BundleMode::Direct,
        _ => BundleMode::default(),
    });
    Some(Bundle { server, mode, description, tools })
}

pub(crate) fn role(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawRole,
) -> Role {
    let RawRole { description, bundles, allow_tools, deny_tools } = raw;
    Role {
        description,
        bundles: bundle_ids(reader, &place.at(&["bundles"]), bundles.unwrap_or_default()),
        tools: NameFilter {
            allow: reader.allow_list(place, &["allow_tools"], allow_tools),
            deny: reader.deny_list(place, &["deny_tools"], deny_tools),
        },
    }
}

fn bundle_ids(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    written: Vec<String>,
) -> Vec<BundleId> {
    written.iter().filter_map(|text| id(reader, at, BundleId::parse(text))).collect()
}

pub(crate) fn workflow(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawWorkflow,
) -> Workflow {
    let mut roles = IndexMap::new();
    let role_places = place.by_key();
    for (role, steps) in raw {
        let role_at = role_places.get(role.as_str()).unwrap_or(place);
        let step_places = role_at.by_key();
        let mut resolved = IndexMap::new();
        for (step, bundles) in steps {
            let step_at = step_places.get(step.as_str()).unwrap_or(role_at);
            if let Some(step) = id(reader, step_at, StepId::parse(&step)) {
                resolved.insert(step, bundle_ids(reader, step_at, bundles));
            }
        }
        if let Some(role) = id(reader, role_at, RoleId::parse(&role)) {
            roles.insert(role, resolved);
        }
    }
    Workflow { roles }
}

pub(crate) fn policy(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawPolicy,
) -> Policy {
    let mut folders = |name: &str, written: Option<Vec<String>>| {
        if written.as_ref().is_some_and(Vec::is_empty) {
            let message = "an allow list cannot be empty".to_owned();
            reader.error(&place.at(&[name]), "empty-allow-list", message);
        }
        written
    };
    let allowed_cwds = folders("allowed_cwds", raw.allowed_cwds);
    let allowed_arg_paths = folders("allowed_arg_paths", raw.allowed_arg_paths);
    let rules = raw.rules.unwrap_or_default().into_iter();
    let rules = rules.filter_map(|rule| call_rule(reader, place, rule)).collect();
    Policy {
        tools: NameFilter {
            allow: reader.allow_list(place, &["allow_tools"], raw.allow_tools),
            deny: reader.deny_list(place, &["deny_tools"], raw.deny_tools),
        },
        resources: NameFilter {
            allow: reader.allow_list(place, &["allow_resources"], raw.allow_resources),
            deny: reader.deny_list(place, &["deny_resources"], raw.deny_resources),
        },
        prompts: NameFilter {
            allow: reader.allow_list(place, &["allow_prompts"], raw.allow_prompts),
            deny: reader.deny_list(place, &["deny_prompts"], raw.deny_prompts),
        },
        allowed_cwds,
        allowed_arg_paths,
        rules,
    }
}

fn call_rule(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawCallRule,
) -> Option<CallRule> {
    let RawCallRule { tool, when, definition, then } = raw;
    let place = place.at(&["rules"]);
    if reader.grade == LayerGrade::Project && then == RuleEffect::Allow {
        let message = "only your own file can allow calls; a project's can ask and deny".to_owned();
        reader.error(&place, "project-allows-calls", message);
        return None;
    }
    let definition = match definition.as_deref().map(definition_hash) {
        Some(None) => {
            let message = "not `sha256:` and 64 hexadecimal digits".to_owned();
            reader.error(&place, "definition-hash", message);
            return None;
        }
        hash => hash.flatten(),
    };
    match Pattern::parse(&tool) {
        Ok(tool) => {
            let when = when.unwrap_or_default().into_iter().collect();
            Some(CallRule { tool, when, definition, then })
        }
        Err(error) => {
            reader.error(&place, "pattern", error.to_string());
            None
        }
    }
}

/// Each key that is given replaces the one of the layers below.
pub(crate) fn gateway(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawGateway,
    below: &GatewaySection,
) -> GatewaySection {
    let RawGateway {
        enable_mcp_server_surface,
        listen,
        tls,
        tls_proxies,
        auth,
        public_url,
        oauth,
        naming,
        exposure,
        always_visible,
        meta,
        allowed_hosts,
        allowed_origins,
        clients,
    } = raw;
    let listen = match listen.as_deref().map(str::parse::<SocketAddr>) {
        Some(Ok(listen)) => listen,
        Some(Err(_)) => {
            let message = "not an address with a port, such as `127.0.0.1:7332`".to_owned();
            reader.error(&place.at(&["listen"]), "bad-address", message);
            below.listen
        }
        None => below.listen,
    };
    let entrance = http_entrance(reader, place, (tls, tls_proxies));
    let entrance = entrance.unwrap_or_else(|| below.entrance.clone());
    warn_of_readable_tokens(reader, place, listen, &entrance);
    let auth = auth.unwrap_or(below.auth);
    if auth == CallerAuth::None {
        let at = place.at(&["auth"]);
        if listen.ip().is_loopback() {
            let message = "every local process may call every tool".to_owned();
            reader.warn(&at, "no-caller-auth", message, "use `auth = \"token\"`");
        } else {
            let message = "`auth = \"none\"` is for loopback addresses only".to_owned();
            reader.error(&at, "open-listener", message);
        }
    }
    let public_url = public_url.and_then(|url| public_url_of(reader, place, url));
    let public_url = public_url.or_else(|| below.public_url.clone());
    let oauth = oauth.and_then(|raw| token_issuer(reader, &place.at(&["oauth"]), raw));
    let oauth = oauth.or_else(|| below.oauth.clone());
    if auth.takes_oauth() {
        for (key, is_there) in [("public_url", public_url.is_some()), ("oauth", oauth.is_some())] {
            if !is_there && place.find(&[key]).is_none() {
                let message = format!("`auth = \"{auth}\"` needs `gateway.{key}`");
                reader.error(&place.at(&["auth"]), "missing-key", message);
            }
        }
    }
    let mut merged_clients = below.clients.clone();
    merged_clients.extend(clients.unwrap_or_default().into_iter().map(|(name, raw)| {
        let RawClient { naming, exposure, result_bytes, role, approval_channels, resource_tools } =
            raw;
        let at = place.at(&["clients"]);
        let role = role.and_then(|role| id(reader, &at, RoleId::parse(&role)));
        let settings = ClientSettings {
            naming,
            exposure,
            result_bytes,
            role,
            approval_channels,
            resource_tools,
        };
        (name, settings)
    }));
    GatewaySection {
        enable_mcp_server_surface: enable_mcp_server_surface
            .unwrap_or(below.enable_mcp_server_surface),
        listen,
        entrance,
        auth,
        public_url,
        oauth,
        naming: naming.unwrap_or(below.naming),
        exposure: exposure.unwrap_or(below.exposure),
        always_visible: match always_visible {
            Some(patterns) => reader.deny_list(place, &["always_visible"], Some(patterns)),
            None => below.always_visible.clone(),
        },
        meta: meta.map_or(below.meta, |meta| meta_tools(meta, &below.meta)),
        allowed_hosts: allowed_hosts.unwrap_or_else(|| below.allowed_hosts.clone()),
        allowed_origins: allowed_origins.unwrap_or_else(|| below.allowed_origins.clone()),
        clients: merged_clients,
    }
}

/// An identifier: it is compared as it is written, so nothing stands in it that depends on who asks.
fn public_url_of(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    url: String,
) -> Option<Endpoint> {
    let at = place.at(&["public_url"]);
    let url = endpoint(reader, &at, url)?;
    if url.url().query().is_some() {
        reader.error(&at, "bad-url", "the gateway's own URL has no query".to_owned());
        return None;
    }
    Some(url)
}

fn meta_tools(raw: RawMeta, below: &MetaSection) -> MetaSection {
    let RawMeta {
        above_tools,
        above_tokens,
        listed_tools,
        description_chars,
        schema_chars,
        result_chars,
        call_timeout_ms,
    } = raw;
    let limit = |written: Option<u64>, below: Option<u64>| match written {
        Some(0) => None,
        written => written.or(below),
    };
    MetaSection {
        above_tools: limit(above_tools, below.above_tools),
        above_tokens: limit(above_tokens, below.above_tokens),
        listed_tools: limit(listed_tools, below.listed_tools),
        description_chars: limit(description_chars, below.description_chars),
        schema_chars: limit(schema_chars, below.schema_chars),
        result_chars: limit(result_chars, below.result_chars),
        call_timeout: match call_timeout_ms {
            Some(0) => None,
            written => written.map(Duration::from_millis).or(below.call_timeout),
        },
    }
}

pub(crate) fn approval(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawApproval,
    below: &ApprovalSection,
) -> ApprovalSection {
    let RawApproval { timeout_ms, channels, fastest_answer_ms, unattended_ms } = raw;
    ApprovalSection {
        timeout: reader.millis(&place.at(&["timeout_ms"]), timeout_ms, below.timeout),
        channels: channels.unwrap_or_else(|| below.channels.clone()),
        fastest_answer: fastest_answer_ms.map_or(below.fastest_answer, Duration::from_millis),
        unattended: reader.millis(&place.at(&["unattended_ms"]), unattended_ms, below.unattended),
    }
}

pub(crate) fn sandbox(raw: RawSandbox, below: &SandboxSection) -> SandboxSection {
    let RawSandbox { outer, readable, writable } = raw;
    SandboxSection {
        outer: outer.unwrap_or(below.outer),
        readable: readable.unwrap_or_else(|| below.readable.clone()),
        writable: writable.unwrap_or_else(|| below.writable.clone()),
    }
}

pub(crate) fn audit(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawAudit,
    below: &AuditSection,
) -> AuditSection {
    let RawAudit { durability, fsync, arguments, retention_days, retention_bytes, jsonl } = raw;
    let jsonl = jsonl.map(|written| persons_file(reader, &place.at(&["jsonl"]), written));
    AuditSection {
        durability: durability.unwrap_or(below.durability),
        fsync: fsync.unwrap_or(below.fsync),
        arguments: arguments.unwrap_or(below.arguments),
        retention_days: retention_days.unwrap_or(below.retention_days),
        retention_bytes: retention_bytes.unwrap_or(below.retention_bytes),
        jsonl: jsonl.unwrap_or_else(|| below.jsonl.clone()),
    }
}

pub(crate) fn limits(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawLimits,
    below: &LimitsSection,
) -> LimitsSection {
    LimitsSection {
        message_bytes: raw.message_bytes.unwrap_or(below.message_bytes),
        result_bytes: raw.result_bytes.unwrap_or(below.result_bytes),
        result_spill_bytes: raw.result_spill_bytes.unwrap_or(below.result_spill_bytes),
        schema_bytes: raw.schema_bytes.unwrap_or(below.schema_bytes),
        artifact_bytes: raw.artifact_bytes.unwrap_or(below.artifact_bytes),
        artifact_days: raw.artifact_days.unwrap_or(below.artifact_days),
        sessions: raw.sessions.unwrap_or(below.sessions),
        connections: raw.connections.unwrap_or(below.connections),
        pool_servers: raw.pool_servers.unwrap_or(below.pool_servers),
        pool_memory_bytes: raw.pool_memory_bytes.unwrap_or(below.pool_memory_bytes),
        tools_ttl: reader.millis(&place.at(&["tools_ttl_ms"]), raw.tools_ttl_ms, below.tools_ttl),
        list_wait: reader.millis(&place.at(&["list_wait_ms"]), raw.list_wait_ms, below.list_wait),
        daemon_idle: reader.millis(
            &place.at(&["daemon_idle_ms"]),
            raw.daemon_idle_ms,
            below.daemon_idle,
        ),
    }
}
