//! opencode (`opencode.json`): `mcp.<name>` in its first version, `mcp.servers.<name>` since.

use super::dialect::{Dialect, never_off};
use super::draft::{Draft, Kind, Unit};
use super::scene::Scene;
use super::variables::Form;
use crate::place::Place;
use crate::tree::{Node, Value};

pub(super) const DIALECT: Dialect =
    Dialect { forms: &[Form::Curly], key: "mcp", tables, take, off: never_off };

fn tables<'a>(scene: &Scene<'a>) -> Vec<Place<'a>> {
    let path: &[&str] =
        if has_servers_table(&scene.document.root) { &["mcp", "servers"] } else { &["mcp"] };
    scene.at(path).into_iter().collect()
}

/// Whether `mcp.servers` holds the servers; in the first version it would be a server itself.
pub(super) fn has_servers_table(root: &Node) -> bool {
    root.get("mcp")
        .and_then(|mcp| mcp.get("servers"))
        .is_some_and(|servers| servers.table().is_some() && !is_server(servers))
}

/// Whether these are opencode's keys: a server of `mcp` says `local` or `remote`, or has an array
/// for a command.
pub(super) fn is_opencode(root: &Node) -> bool {
    let Some(mcp) = root.get("mcp") else { return false };
    let servers = mcp.get("servers").filter(|_| has_servers_table(root)).unwrap_or(mcp);
    servers.table().unwrap_or_default().iter().any(|member| is_server(&member.value))
}

fn is_server(node: &Node) -> bool {
    let word = node.get("type").and_then(Node::string);
    let command = node.get("command").map(|command| &command.value);
    matches!(word, Some("local" | "remote")) || matches!(command, Some(Value::Array(_)))
}

fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "type" => match value.node.string() {
            Some("local") => draft.kind(value, Kind::Stdio),
            Some("remote") => draft.kind(value, Kind::Auto),
            _ => draft.refuse_at(value, "neither `local` nor `remote`"),
        },
        "command" => draft.command_line(value),
        "environment" => draft.env(value),
        "cwd" => draft.cwd(value),
        "url" => draft.url(value, Kind::Auto),
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
fn timeout(draft: &mut Draft<'_>, value: &Place<'_>) {
    if value.node.table().is_none() {
        return draft.duration(value, Unit::Millis, &["request_timeout_ms"]);
    }
    for (key, value) in value.members() {
        match key {
            "startup" => draft.duration(&value, Unit::Millis, &["startup_timeout_ms"]),
            "request" => {
                draft.duration(&value, Unit::Millis, &["request_timeout_ms", "tool_timeout_ms"]);
            }
            _ => draft.not_mapped(&value),
        }
    }
}
