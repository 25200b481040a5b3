//! The settings that are in force, defaults included: there are few, and all of them matter.

use serde_json::{Value, json};
use toolgate_types::config::{
    AuditSection, Channel, Config, GatewaySection, HttpEntrance, MetaSection, TokenCommand,
    TokenIssuer, WebOrigin,
};
use toolgate_types::{ConfigText, Endpoint, RoleId};

use super::{Object, patterns, put, put_list, put_some, put_table};

/// The settings sections, each with every value that is in force.
pub fn settings(config: &Config) -> Object {
    let Config { approval, sandbox, audit, limits, profile, .. } = config;
    let mut out = Object::new();
    put(&mut out, "profile", profile.as_str());
    put(&mut out, "credentials", config.credentials.as_str());
    put(&mut out, "gateway", gateway(&config.gateway));
    let approval = json!({
        "timeout_ms": approval.timeout.get(),
        "channels": channels(&approval.channels),
        "fastest_answer_ms": approval.fastest_answer.as_millis(),
        "unattended_ms": approval.unattended.get(),
    });
    put(&mut out, "approval", approval);
    let sandbox = json!({
        "outer": sandbox.outer.as_str(),
        "readable": sandbox.readable,
        "writable": sandbox.writable,
    });
    put(&mut out, "sandbox", sandbox);
    put(&mut out, "audit", audit_section(audit));
    let limits = json!({
        "message_bytes": limits.message_bytes,
        "result_bytes": limits.result_bytes,
        "result_spill_bytes": limits.result_spill_bytes,
        "schema_bytes": limits.schema_bytes,
        "artifact_bytes": limits.artifact_bytes,
        "artifact_days": limits.artifact_days,
        "sessions": limits.sessions,
        "connections": limits.connections,
        "pool_servers": limits.pool_servers,
        "pool_memory_bytes": limits.pool_memory_bytes,
        "tools_ttl_ms": limits.tools_ttl.get(),
        "list_wait_ms": limits.list_wait.get(),
        "daemon_idle_ms": limits.daemon_idle.get(),
    });
    put(&mut out, "limits", limits);
    let providers = config.auth_providers.iter();
    let providers = providers.map(|(id, provider)| (id.clone(), auth_provider(provider)));
    put_table(&mut out, "auth_providers", providers.collect());
    out
}

fn auth_provider(provider: &TokenCommand) -> Value {
    let TokenCommand { program, args, origins } = provider;
    let command = [program].into_iter().chain(args).map(ConfigText::shown);
    let origins = origins.iter().map(WebOrigin::as_str);
    json!({ "command": command.collect::<Vec<_>>(), "origins": origins.collect::<Vec<_>>() })
}

fn audit_section(audit: &AuditSection) -> Object {
    let mut out = Object::new();
    put(&mut out, "durability", audit.durability.as_str());
    put(&mut out, "fsync", audit.fsync.as_str());
    put(&mut out, "arguments", audit.arguments);
    put(&mut out, "retention_days", audit.retention_days);
    put(&mut out, "retention_bytes", audit.retention_bytes);
    put_some(&mut out, "jsonl", audit.jsonl.as_ref().map(|path| path.display().to_string()));
    out
}

fn gateway(gateway: &GatewaySection) -> Object {
    let mut out = Object::new();
    put(&mut out, "enable_mcp_server_surface", gateway.enable_mcp_server_surface);
    put(&mut out, "listen", gateway.listen.to_string());
    match &gateway.entrance {
        HttpEntrance::Plain => {}
        HttpEntrance::Tls(files) => {
            let mut tls = Object::new();
            put(&mut tls, "cert", files.cert.display().to_string());
            put(&mut tls, "key", files.key.display().to_string());
            let client_ca = files.client_ca.as_ref();
            put_some(&mut tls, "client_ca", client_ca.map(|file| file.display().to_string()));
            put_table(&mut out, "tls", tls);
        }
        HttpEntrance::BehindProxies(proxies) => {
            let proxies: Vec<String> = proxies.iter().map(ToString::to_string).collect();
            put_list(&mut out, "tls_proxies", &proxies);
        }
    }
    put(&mut out, "auth", gateway.auth.as_str());
    put_some(&mut out, "public_url", gateway.public_url.as_ref().map(Endpoint::shown));
    if let Some(oauth) = &gateway.oauth {
        put_table(&mut out, "oauth", token_issuer(oauth));
    }
    put(&mut out, "naming", gateway.naming.as_str());
    put(&mut out, "exposure", gateway.exposure.as_str());
    put_list(&mut out, "always_visible", &patterns(&gateway.always_visible));
    put(&mut out, "meta", meta_tools(&gateway.meta));
    put_list(&mut out, "allowed_hosts", &gateway.allowed_hosts);
    put_list(&mut out, "allowed_origins", &gateway.allowed_origins);
    let clients = gateway.clients.iter().map(|(name, settings)| {
        let mut client = Object::new();
        put_some(&mut client, "naming", settings.naming.map(|naming| naming.as_str()));
        put_some(&mut client, "exposure", settings.exposure.map(|exposure| exposure.as_str()));
        put_some(&mut client, "result_bytes", settings.result_bytes);
        put_some(&mut client, "role", settings.role.as_ref().map(RoleId::as_str));
        let asked = settings.approval_channels.as_deref().map(channels);
        put_some(&mut client, "approval_channels", asked);
        put_some(&mut client, "resource_tools", settings.resource_tools);
        (name.clone(), Value::Object(client))
    });
    put_table(&mut out, "clients", clients.collect());
    out
}

fn token_issuer(oauth: &TokenIssuer) -> Object {
    let TokenIssuer { issuer, audience, jwks_uri, introspection_endpoint, .. } = oauth;
    let TokenIssuer { client_id, client_secret, required_scopes, .. } = oauth;
    let TokenIssuer { algorithms, role_claim, roles, .. } = oauth;
    let mut out = Object::new();
    put(&mut out, "issuer", issuer.shown());
    put_some(&mut out, "audience", audience.as_deref());
    put_some(&mut out, "jwks_uri", jwks_uri.as_ref().map(Endpoint::shown));
    let asked = introspection_endpoint.as_ref().map(Endpoint::shown);
    put_some(&mut out, "introspection_endpoint", asked);
    put_some(&mut out, "client_id", client_id.as_ref().map(ConfigText::shown));
    put_some(&mut out, "client_secret", client_secret.as_ref().map(ConfigText::shown));
    put_list(&mut out, "required_scopes", required_scopes);
    let algorithms: Vec<&str> = algorithms.iter().map(|one| one.as_str()).collect();
    put_list(&mut out, "algorithms", &algorithms);
    put(&mut out, "role_claim", role_claim.as_str());
    let roles = roles.iter().map(|(value, role)| (value.clone(), role.as_str().into()));
    put_table(&mut out, "roles", roles.collect());
    out
}

/// Zero where there is no limit, as it is written.
fn meta_tools(meta: &MetaSection) -> Value {
    json!({
        "above_tools": meta.above_tools.unwrap_or(0),
        "above_tokens": meta.above_tokens.unwrap_or(0),
        "listed_tools": meta.listed_tools.unwrap_or(0),
        "description_chars": meta.description_chars.unwrap_or(0),
        "schema_chars": meta.schema_chars.unwrap_or(0),
        "result_chars": meta.result_chars.unwrap_or(0),
        "call_timeout_ms": meta.call_timeout.map_or(0, |time| time.as_millis()),
    })
}

fn channels(channels: &[Channel]) -> Vec<&'static str> {
    channels.iter().map(|channel| channel.as_str()).collect()
}
