//! The settings that are in force, defaults included: there are few, and all of them matter.

use serde_json::{Value, json};
use toolgate_types::config::{
    Channel, Config, GatewaySection, HttpEntrance, MetaSection, TokenCommand, WebOrigin,
};
use toolgate_types::{ConfigText, RoleId};

use super::{Object, patterns, put, put_list, put_some, put_table};

/// The settings sections, each with every value that is in force.
pub fn settings(config: &Config) -> Object {
    let Config { approval, sandbox, audit, limits, profile, .. } = config;
    let mut out = Object::new();
    put(&mut out, "profile", profile.as_str());
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
    let audit = json!({
        "durability": audit.durability.as_str(),
        "arguments": audit.arguments,
        "retention_days": audit.retention_days,
        "retention_bytes": audit.retention_bytes,
    });
    put(&mut out, "audit", audit);
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
    put(&mut out, "credentials", config.credentials.as_str());
    out
}

fn auth_provider(provider: &TokenCommand) -> Value {
    let TokenCommand { program, args, origins } = provider;
    let command = [program].into_iter().chain(args).map(ConfigText::shown);
    let origins = origins.iter().map(WebOrigin::as_str);
    json!({ "command": command.collect::<Vec<_>>(), "origins": origins.collect::<Vec<_>>() })
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
    if let Some(oauth) = &gateway.oauth {
        let mut issuer = Object::new();
        put(&mut issuer, "issuer", oauth.issuer.shown());
        put(&mut issuer, "audience", oauth.audience.as_str());
        put_some(&mut issuer, "role_claim", oauth.role_claim.as_deref());
        put_table(&mut out, "oauth", issuer);
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
