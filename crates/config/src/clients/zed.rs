//! Zed (`settings.json`): `context_servers`, times in seconds, nothing expanded.
//!
//! A server that comes from an extension of the editor has nothing here that could be run.

use super::dialect::{ClientDialect, never_off};
use super::draft::{DraftTransport, ServerDraft, TimeUnit};
use super::mcp_servers;
use super::scene::ImportScene;
use crate::place::DocumentPlace;

pub(super) const KEY: &str = "context_servers";

pub(super) const DIALECT: ClientDialect =
    ClientDialect { forms: &[], key: KEY, tables, take, off: never_off };

fn tables<'a>(scene: &ImportScene<'a>) -> Vec<DocumentPlace<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "source" if value.node.string() == Some("custom") => {}
        "source" | "settings" if !draft.has("command") && !draft.has("url") => {
            draft.refuse("it comes from an extension of Zed, which only Zed can start".to_owned());
        }
        "command" if value.node.table().is_some() => command_table(draft, value),
        "url" => draft.url(value, DraftTransport::Http),
        "timeout" => draft.duration(value, TimeUnit::Seconds, &["tool_timeout_ms"]),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

/// The older form: `{ "path": …, "args": …, "env": … }`.
fn command_table(draft: &mut ServerDraft<'_>, command: &DocumentPlace<'_>) {
    for (key, value) in command.members() {
        match key {
            "path" => draft.command(&value),
            "args" => draft.args(&value),
            "env" => draft.env(&value),
            _ => draft.not_mapped(&value),
        }
    }
}
