//! A server: which transport it means, and that only that transport's keys are there.

use toolgate_types::LayerGrade;
use toolgate_types::config::{
    NameFilter, RemoteKind, SandboxProfile, Server, ServerTimeouts, StdioServer, ToolSettings,
    Transport,
};

use super::further_folders::further_folders;
use super::process::{self, WrittenWall};
use super::remote::{self, WrittenRemote};
use super::tool_shaping::{self, WrittenShaping};
use crate::place::DocumentPlace;
use crate::problem::Severity;
use crate::raw::{RawServer, RawToolSettings};
use crate::reader::DocumentReader;
use crate::shape::ConfigShape;

const STDIO_KEYS: [&str; 11] = [
    "command",
    "args",
    "cwd",
    "env_vars",
    "inherit_env",
    "stderr",
    "sandbox_profile",
    "allow_network",
    "readable",
    "writable",
    "resources",
];
const REMOTE_KEYS: [&str; 8] = [
    "url",
    "headers",
    "env_headers",
    "bearer_token_env",
    "auth_provider",
    "auth_provider_id",
    "oauth",
    "ca_file",
];

/// Codex's own spellings of keys above.
const CODEX_REMOTE_KEYS: [&str; 4] =
    ["http_headers", "env_http_headers", "bearer_token_env_var", "oauth_resource"];

/// The keys that a `transport` object may hold besides its `type`.
pub(crate) fn transport_keys() -> Vec<&'static str> {
    [&STDIO_KEYS[..], &REMOTE_KEYS[..], &["env"]].concat()
}

enum MeantTransport {
    Stdio,
    Remote(RemoteKind),
    Builtin,
}

pub(crate) fn server(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawServer,
) -> Option<Server> {
    let meant = transport_meant(reader, place, &raw);
    if reader.shape.requires_trust() && raw.trust.is_none() && place.find(&["trust"]).is_none() {
        let help = Some("add `\"trust\": \"trusted\"` or `\"untrusted\"`".to_owned());
        let message = "`trust` is required in this kind of file".to_owned();
        reader.report(Severity::Error, place, "missing-trust", message, help);
    }
    let request = reader.millis(
        &place.at(&["request_timeout_ms"]),
        raw.request_timeout_ms,
        ServerTimeouts::DEFAULT.request,
    );
    let tool_default = match reader.shape.request_timeout_bounds_calls() {
        true => request,
        false => ServerTimeouts::DEFAULT.tool,
    };
    let timeouts = ServerTimeouts {
        request,
        startup: reader.millis(
            &place.at(&["startup_timeout_ms", "startup_timeout_sec"]),
            raw.startup_timeout_ms,
            ServerTimeouts::DEFAULT.startup,
        ),
        tool: reader.millis(
            &place.at(&["tool_timeout_ms", "tool_timeout_sec"]),
            raw.tool_timeout_ms,
            tool_default,
        ),
    };
    let idle = &place.at(&["idle_timeout_ms"]);
    let idle_timeout = reader.millis(idle, raw.idle_timeout_ms, Server::DEFAULT_IDLE_TIMEOUT);
    let allow_names = ["enabled_tools", "allow_tools"];
    let deny_names = ["disabled_tools", "deny_tools"];
    let tools = NameFilter {
        allow: reader.allow_list(place, &allow_names, raw.enabled_tools),
        deny: reader.deny_list(place, &deny_names, raw.disabled_tools),
    };
    let resources = NameFilter {
        allow: reader.allow_list(place, &["allow_resources"], raw.allow_resources),
        deny: reader.deny_list(place, &["deny_resources"], raw.deny_resources),
    };
    let prompts = NameFilter {
        allow: reader.allow_list(place, &["allow_prompts"], raw.allow_prompts),
        deny: reader.deny_list(place, &["deny_prompts"], raw.deny_prompts),
    };
    let tools_at = place.at(&["tools"]);
    let tool_places = tools_at.by_key();
    let tool_settings = raw.tools.unwrap_or_default().into_iter();
    let tool_settings = tool_settings
        .map(|(name, raw)| {
            let at = tool_places.get(name.as_str()).unwrap_or(&tools_at);
            let setting = tool_setting(reader, at, raw);
            (name, setting)
        })
        .collect();
    tool_shaping::check_names(reader, &tools_at, &tool_settings);
    let mut folders = Vec::new();
    let transport = match meant? {
        MeantTransport::Builtin => {
            folders = further_folders(reader, place, raw.readable);
            Transport::Builtin
        }
        MeantTransport::Remote(kind) => {
            if raw.env.is_some() {
                let message = "`env` has no effect on a remote server".to_owned();
                let help = "use `headers` or `env_headers`";
                reader.warn(&place.at(&["env"]), "env-on-remote", message, help);
            }
            let written = WrittenRemote {
                url: raw.url,
                headers: raw.headers,
                env_headers: raw.env_headers,
                bearer_token_env: raw.bearer_token_env,
                auth_provider: raw.auth_provider,
                oauth: raw.oauth,
                ca_file: raw.ca_file,
            };
            Transport::Remote(remote::remote(reader, place, kind, written)?)
        }
        MeantTransport::Stdio => {
            let wall = WrittenWall {
                profile: raw.sandbox_profile,
                allow_network: raw.allow_network,
                readable: raw.readable,
                writable: raw.writable,
                resources: raw.resources,
            };
            let default_wall = match reader.grade {
                LayerGrade::Person => SandboxProfile::None,
                LayerGrade::Project => SandboxProfile::Default,
            };
            let command = process::command(reader, place, raw.command);
            let stdio = StdioServer {
                args: process::args(reader, place, raw.args),
                cwd: process::cwd(reader, place, raw.cwd),
                env: process::env(reader, place, raw.env),
                env_vars: process::env_vars(reader, place, raw.env_vars),
                inherit_env: raw.inherit_env.unwrap_or_default(),
                stderr: raw.stderr.unwrap_or_default(),
                confinement: process::confinement(reader, place, wall, default_wall),
                command: command?,
            };
            Transport::Stdio(stdio)
        }
    };
    Some(Server {
        label: raw.label,
        description: raw.description,
        enabled: raw.enabled.unwrap_or(true),
        declared_trust: raw.trust,
        transport,
        further_folders: folders,
        startup: raw.startup.unwrap_or_default(),
        required: raw.required.unwrap_or(false),
        timeouts,
        idle_timeout,
        isolation: raw.isolation.unwrap_or_default(),
        tools,
        resources,
        prompts,
        approval: raw.approval,
        tool_settings,
        mask_results: raw.mask_results.unwrap_or(false),
        omit_output_schemas: raw.omit_output_schemas.unwrap_or(false),
        strict_output: raw.strict_output.unwrap_or(false),
        sampling: raw.sampling.unwrap_or(false),
    })
}

fn transport_meant(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: &RawServer,
) -> Option<MeantTransport> {
    let at = place.at(&["transport"]);
    let meant = match raw.transport.as_deref() {
        Some("stdio") => MeantTransport::Stdio,
        Some("http") => MeantTransport::Remote(RemoteKind::Http),
        Some("sse") => MeantTransport::Remote(RemoteKind::Sse),
        Some("builtin") => MeantTransport::Builtin,
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            let message = format!("{shown:?} is not one of `http`, `sse`, `stdio`, `builtin`");
            reader.error(&at, "unknown-transport", message);
            return None;
        }
        None if requires_transport(reader.shape) => {
            let message = match place.node.get("transport") {
                None => "`transport` is required in this kind of file",
                Some(object) if object.get("type").is_none() => "the transport's `type` is missing",
                // It is there but unreadable, which was reported when it was read.
                Some(_) => return None,
            };
            let help = Some("say `http`, `sse` or `stdio`".to_owned());
            reader.report(Severity::Error, &at, "missing-transport", message.into(), help);
            return None;
        }
        None if place.find(&["url"]).is_some() => MeantTransport::Remote(RemoteKind::Auto),
        None if place.find(&["command"]).is_some() => MeantTransport::Stdio,
        None => {
            // A `transport` that is there but unreadable was reported when it was read.
            let readable = place.node.get("transport").is_none_or(|t| t.table().is_some());
            if readable {
                let message = "neither `transport` nor `url` nor `command` is given".to_owned();
                let help = Some("give a `url` for a remote server or a `command` for a local one");
                let help = help.map(str::to_owned);
                reader.report(Severity::Error, place, "missing-transport", message, help);
            }
            return None;
        }
    };
    let (word, foreign): (&str, Vec<&str>) = match meant {
        MeantTransport::Stdio if reader.shape == ConfigShape::Codex => {
            ("stdio", [&REMOTE_KEYS[..], &CODEX_REMOTE_KEYS[..]].concat())
        }
        MeantTransport::Stdio => ("stdio", REMOTE_KEYS.to_vec()),
        MeantTransport::Remote(_) => ("http", STDIO_KEYS.to_vec()),
        MeantTransport::Builtin => {
            let has_folders = place.path.ends_with(".docs");
            let foreign = |key: &&str| !has_folders || *key != "readable";
            ("builtin", transport_keys().into_iter().filter(foreign).collect())
        }
    };
    for key in foreign {
        if let Some(at) = place.find(&[key]) {
            if is_ignored(&meant, key) {
                let message = format!("`{key}` has no effect on a local process");
                reader.warn(&at, "provider-on-stdio", message, "leave it out");
                continue;
            }
            let message = format!("this key does not go with transport `{word}`");
            let help = Some("remove it, or choose the transport that it belongs to".to_owned());
            reader.report(Severity::Error, &at, "wrong-transport-key", message, help);
        }
    }
    Some(meant)
}

/// A local process is never subject to OAuth, and other readers of these files pass the key over there.
fn is_ignored(meant: &MeantTransport, key: &str) -> bool {
    matches!(meant, MeantTransport::Stdio) && ["auth_provider", "auth_provider_id"].contains(&key)
}

/// The two older JSON shapes infer nothing.
fn requires_transport(shape: ConfigShape) -> bool {
    matches!(shape, ConfigShape::ToolLoop | ConfigShape::Codelia)
}

fn tool_setting(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawToolSettings,
) -> ToolSettings {
    let RawToolSettings {
        approval,
        timeout_ms,
        result_bytes,
        strict_output,
        description,
        rename,
        hide_parameters,
        default,
    } = raw;
    let written = WrittenShaping { description, rename, hide_parameters, default };
    let shaping = tool_shaping::shaping(reader, place, written);
    let at = place.at(&["timeout_ms"]);
    let timeout =
        timeout_ms.map(|written| reader.millis(&at, Some(written), ServerTimeouts::DEFAULT.tool));
    ToolSettings { approval, timeout, result_bytes, strict_output, shaping }
}
