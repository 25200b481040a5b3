//! The `mcpServers` shape that most clients share, written once.
//!
//! A client's own file takes its own keys first and hands the rest here.

use super::draft::{DraftTransport, ServerDraft};
use super::scene::ImportScene;
use crate::place::DocumentPlace;

pub(super) const KEY: &str = "mcpServers";

pub(super) fn table<'a>(scene: &ImportScene<'a>) -> Vec<DocumentPlace<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

pub(super) fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "type" | "transport" => draft.kind_word(value),
        "command" => draft.command(value),
        "args" => draft.args(value),
        "env" => draft.env(value),
        "cwd" => draft.cwd(value),
        "url" => draft.url(value, DraftTransport::Auto),
        "headers" => draft.headers(value),
        "enabled" => draft.enabled(value),
        "disabled" => draft.disabled(value),
        "description" => draft.description(value),
        "trust" | "autoApprove" | "alwaysAllow" => draft.ignore_trust(value),
        _ => return false,
    }
    true
}
