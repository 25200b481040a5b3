//! A Codex entry said in our own keys. Nothing is checked here: the result is read like any other.

use toolgate_types::config::ApprovalMode;

use crate::place::DocumentPlace;
use crate::raw::{RawCodexServer, RawOauth, RawServer, RawToolSettings};
use crate::reader::DocumentReader;

pub(crate) fn codex_server(
    reader: &mut DocumentReader<'_>,
    place: &DocumentPlace<'_>,
    raw: RawCodexServer,
) -> RawServer {
    let seconds = |seconds: f64| seconds * 1000.0;
    let without_counterpart = [
        ("auth", raw.auth.is_some()),
        ("environment_id", raw.environment_id.is_some()),
        ("http_headers_helper", raw.http_headers_helper.is_some()),
        ("omit_tools_from", raw.omit_tools_from.is_some()),
        ("supports_parallel_tool_calls", raw.supports_parallel_tool_calls.is_some()),
    ];
    for (key, _) in without_counterpart.iter().filter(|(_, given)| *given) {
        let message = format!("`{key}` has no counterpart in Toolgate");
        reader.warn(&place.at(&[key]), "no-counterpart", message, "the key is ignored");
    }
    let mode_at = place.at(&["default_tools_approval_mode"]);
    let approval =
        raw.default_tools_approval_mode.and_then(|mode| approval_mode(reader, &mode_at, &mode));
    let tools = raw.tools.map(|tools| {
        let at = place.at(&["tools"]);
        let mut setting = |mode: Option<String>| RawToolSettings {
            approval: mode.and_then(|mode| approval_mode(reader, &at, &mode)),
            ..RawToolSettings::default()
        };
        tools.into_iter().map(|(name, tool)| (name, setting(tool.approval_mode))).collect()
    });
    let scope = raw.scopes.map(|scopes| scopes.join(" "));
    let oauth = if raw.oauth.is_some() || raw.oauth_resource.is_some() || scope.is_some() {
        let given = raw.oauth.unwrap_or_default();
        Some(RawOauth {
            client_id: given.client_id,
            callback_port: given.callback_port,
            resource: raw.oauth_resource,
            scope,
            ..RawOauth::default()
        })
    } else {
        None
    };
    let env_vars = raw.env_vars;
    RawServer {
        command: raw.command,
        args: raw.args,
        env: raw.env,
        env_vars: env_vars.map(|vars| vars.into_iter().map(|var| var.into_name()).collect()),
        cwd: raw.cwd,
        url: raw.url,
        headers: raw.http_headers,
        env_headers: raw.env_http_headers,
        bearer_token_env: raw.bearer_token_env_var,
        enabled: raw.enabled,
        required: raw.required,
        startup_timeout_ms: raw.startup_timeout_sec.map(seconds).or(raw.startup_timeout_ms),
        tool_timeout_ms: raw.tool_timeout_sec.map(seconds),
        enabled_tools: raw.enabled_tools,
        disabled_tools: raw.disabled_tools,
        approval,
        tools,
        oauth,
        ..RawServer::default()
    }
}

fn approval_mode(
    reader: &mut DocumentReader<'_>,
    at: &DocumentPlace<'_>,
    mode: &str,
) -> Option<ApprovalMode> {
    match mode {
        "prompt" => Some(ApprovalMode::Prompt),
        "auto" => Some(ApprovalMode::Auto),
        "approve" => Some(ApprovalMode::Approve),
        // Asks for everything that writes; asking for everything is the nearest safe thing.
        "writes" => Some(ApprovalMode::Prompt),
        _ => {
            let message = "not one of `auto`, `prompt`, `writes`, `approve`".to_owned();
            reader.error(at, "wrong-type", message);
            None
        }
    }
}
