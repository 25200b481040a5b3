//! Codex (`config.toml`): `[mcp_servers.<name>]`, variables by name, times in seconds.
//!
//! A file of this shape can also be read as it is, without an import; see [`crate::meaning`].

use super::dialect::{ClientDialect, never_off};
use super::draft::{DraftTransport, ServerDraft, TimeUnit};
use super::note::NoteKind;
use super::scene::ImportScene;
use crate::place::DocumentPlace;

pub(super) const KEY: &str = "mcp_servers";

pub(super) const DIALECT: ClientDialect =
    ClientDialect { forms: &[], key: KEY, tables, take, off: never_off };

fn tables<'a>(scene: &ImportScene<'a>) -> Vec<DocumentPlace<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "command" => draft.command(value),
        "args" => draft.args(value),
        "cwd" => draft.cwd(value),
        "env" => draft.env(value),
        "env_vars" => draft.env_vars(value),
        // It speaks Streamable HTTP and nothing older.
        "url" => draft.url(value, DraftTransport::Http),
        "http_headers" => draft.headers(value),
        "env_http_headers" => draft.env_headers(value),
        "bearer_token_env_var" => {
            if let Some(name) = draft.variable_name(value) {
                draft.put(value, "bearer_token_env", name);
            }
        }
        "enabled" => draft.enabled(value),
        "required" => {
            if draft.flag(value) == Some(true) {
                draft.put(value, "required", true);
            }
        }
        "startup_timeout_sec" => draft.duration(value, TimeUnit::Seconds, &["startup_timeout_ms"]),
        // The older key counts only where the newer one is missing.
        "startup_timeout_ms" if draft.has("startup_timeout_sec") => {
            draft.superseded(value, "startup_timeout_sec");
        }
        "startup_timeout_ms" => draft.duration(value, TimeUnit::Millis, &["startup_timeout_ms"]),
        "tool_timeout_sec" => draft.duration(value, TimeUnit::Seconds, &["tool_timeout_ms"]),
        "enabled_tools" => draft.allow_tools(value),
        "disabled_tools" => draft.deny_tools(value),
        "scopes" => draft.oauth_scope(value),
        "oauth" => draft.oauth(value),
        "oauth_resource" => draft.oauth_fact(value, "resource"),
        "default_tools_approval_mode" => {
            if let Some(mode) = approval(draft, value) {
                draft.put(value, "approval", mode);
            }
        }
        "tools" => tools(draft, value),
        _ => return false,
    }
    true
}

/// Settings of single tools.
fn tools(draft: &mut ServerDraft<'_>, tools: &DocumentPlace<'_>) {
    for (tool, settings) in tools.members() {
        for (key, value) in settings.members() {
            if key != "approval_mode" {
                draft.not_mapped(&value);
            } else if let Some(mode) = approval(draft, &value) {
                draft.put_in("tools", tool, serde_json::json!({ "approval": mode }));
                draft.map(&value, &format!("tools.{tool}.approval"));
            }
        }
    }
}

fn approval(draft: &mut ServerDraft<'_>, value: &DocumentPlace<'_>) -> Option<&'static str> {
    match value.node.string() {
        Some("prompt") => Some("prompt"),
        Some("auto") => Some("auto"),
        Some("writes") => {
            let message = "asking for writes only is not known here: every call is asked for";
            draft.note(NoteKind::Normalised, value, message.to_owned());
            Some("prompt")
        }
        Some("approve") => {
            draft.ignore_trust(value);
            None
        }
        _ => {
            draft.not_mapped(value);
            None
        }
    }
}
