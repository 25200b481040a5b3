//! Gemini CLI (`.gemini/settings.json`), and Qwen Code, which is made of it (`.qwen/settings.json`):
//! `url` is SSE, `httpUrl` is Streamable HTTP.

use super::dialect::ClientDialect;
use super::draft::{DraftTransport, ServerDraft, TimeUnit};
use super::mcp_servers;
use super::note::NoteKind;
use super::scene::ImportScene;
use super::variables::VariableForm;
use crate::place::DocumentPlace;
use crate::tree::ConfigValue;

pub(super) const DIALECT: ClientDialect = ClientDialect {
    forms: &[VariableForm::Braced, VariableForm::Default, VariableForm::Bare],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off,
};

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "url" if draft.has("httpUrl") => draft.superseded(value, "httpUrl"),
        "url" => draft.url(value, DraftTransport::Sse),
        "httpUrl" => draft.url(value, DraftTransport::Http),
        "timeout" => draft.duration(value, TimeUnit::Millis, &["tool_timeout_ms"]),
        "includeTools" => include_tools(draft, value),
        "excludeTools" => draft.deny_tools(value),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

/// An item may be `tool(arguments)`; arguments are not told apart here.
fn include_tools(draft: &mut ServerDraft<'_>, value: &DocumentPlace<'_>) {
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
fn off(scene: &ImportScene<'_>, name: &str) -> Option<&'static str> {
    let lists = |key: &str| {
        let list = scene.at(&["mcp", key])?;
        let ConfigValue::Array(names) = &list.node.value else { return None };
        Some(names.iter().any(|listed| listed.string() == Some(name)))
    };
    match (lists("excluded"), lists("allowed")) {
        (Some(true), _) => Some("off, because `mcp.excluded` lists it"),
        (_, Some(false)) => Some("off, because `mcp.allowed` does not list it"),
        _ => None,
    }
}
