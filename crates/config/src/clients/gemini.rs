//! Gemini CLI (`.gemini/settings.json`): `url` is SSE, `httpUrl` is Streamable HTTP.

use super::dialect::Dialect;
use super::draft::{Draft, Kind, Unit};
use super::mcp_servers;
use super::note::NoteKind;
use super::scene::Scene;
use super::variables::Form;
use crate::place::Place;
use crate::tree::Value;

pub(super) const DIALECT: Dialect = Dialect {
    forms: &[Form::Braced, Form::Default, Form::Bare],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off,
};

fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "url" if draft.has("httpUrl") => draft.superseded(value, "httpUrl"),
        "url" => draft.url(value, Kind::Sse),
        "httpUrl" => draft.url(value, Kind::Http),
        "timeout" => draft.duration(value, Unit::Millis, &["tool_timeout_ms"]),
        "includeTools" => include_tools(draft, value),
        "excludeTools" => draft.deny_tools(value),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

/// An item may be `tool(arguments)`; arguments are not told apart here.
fn include_tools(draft: &mut Draft<'_>, value: &Place<'_>) {
    draft.allow_tools(value);
    let Some(mut names) = draft.names(value).filter(|names| !names.is_empty()) else { return };
    if names.iter().any(|name| name.contains('(')) {
        let message = "a tool is let through with any arguments".to_owned();
        draft.note(NoteKind::Normalised, value, message);
        for name in &mut names {
            name.truncate(name.find('(').unwrap_or(name.len()));
        }
        draft.put(value, "enabled_tools", names);
    }
}

/// Lists beside the servers say which of them are used.
fn off(scene: &Scene<'_>, name: &str) -> Option<&'static str> {
    let lists = |key: &str| {
        let list = scene.at(&["mcp", key])?;
        let Value::Array(names) = &list.node.value else { return None };
        Some(names.iter().any(|listed| listed.string() == Some(name)))
    };
    match (lists("excluded"), lists("allowed")) {
        (Some(true), _) => Some("off, because `mcp.excluded` lists it"),
        (_, Some(false)) => Some("off, because `mcp.allowed` does not list it"),
        _ => None,
    }
}
