//! opencode (`opencode.json`): `mcp.<name>` in its first version, `mcp.servers.<name>` since.

use super::dialect::{ClientDialect, never_off};
use super::draft::{DraftTransport, ServerDraft, TimeUnit};
use super::scene::ImportScene;
use super::variables::VariableForm;
use crate::place::DocumentPlace;
use crate::tree::{ConfigNode, ConfigValue};

pub(super) const DIALECT: ClientDialect =
    ClientDialect { forms: &[VariableForm::Curly], key: "mcp", tables, take, off: never_off };

fn tables<'a>(scene: &ImportScene<'a>) -> Vec<DocumentPlace<'a>> {
    let path: &[&str] =
        if has_servers_table(&scene.document.root) { &["mcp", "servers"] } else { &["mcp"] };
    scene.at(path).into_iter().collect()
}

/// Whether `mcp.servers` holds the servers; in the first version it would be a server itself.
pub(super) fn has_servers_table(root: &ConfigNode) -> bool {
    root.get("mcp")
        .and_then(|mcp| mcp.get("servers"))
        .is_some_and(|servers| servers.table().is_some() && !is_server(servers))
}

/// Whether these are opencode's keys: a server of `mcp` says `local` or `remote`, or has an array
/// for a command.
pub(super) fn is_opencode(root: &ConfigNode) -> bool {
    let Some(mcp) = root.get("mcp") else { return false };
    let servers = mcp.get("servers").filter(|_| has_servers_table(root)).unwrap_or(mcp);
    servers.table().unwrap_or_default().iter().any(|member| is_server(&member.value))
}

fn is_server(node: &ConfigNode) -> bool {
    let word = node.get("type").and_then(ConfigNode::string);
    let command = node.get("command").map(|command| &command.value);
    matches!(word, Some("local" | "remote")) || matches!(command, Some(ConfigValue::Array(_)))
}

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "type" => match value.node.string() {
            Some("local") => draft.kind(value, DraftTransport::Stdio),
            Some("remote") => draft.kind(value, DraftTransport::Auto),
            _ => draft.refuse_at(value, "neither `local` nor `remote`"),
        },
        "command" => draft.command_line(value),
        "environment" => draft.env(value),
        "cwd" => draft.cwd(value),
        "url" => draft.url(value, DraftTransport::Auto),
        "headers" => draft.headers(value),
        "enabled" => draft.enabled(value),
        "disabled" => draft.disabled(value),
        "timeout" => timeout(draft, value),
        "oauth" => draft.oauth(value),
        _ => return false,
    }
    true
}

/// One number bounds requests but not calls; the newer table bounds both, and the start.
fn timeout(draft: &mut ServerDraft<'_>, value: &DocumentPlace<'_>) {
    if value.node.table().is_none() {
        return draft.duration(value, TimeUnit::Millis, &["request_timeout_ms"]);
    }
    for (key, value) in value.members() {
        match key {
            "startup" => draft.duration(&value, TimeUnit::Millis, &["startup_timeout_ms"]),
            "request" => {
                draft.duration(
                    &value,
                    TimeUnit::Millis,
                    &["request_timeout_ms", "tool_timeout_ms"],
                );
            }
            _ => draft.not_mapped(&value),
        }
    }
}
