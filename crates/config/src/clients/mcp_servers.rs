//! The `mcpServers` shape that most clients share, written once.
//!
//! A client's own file takes its own keys first and hands the rest here.

use super::draft::{Draft, Kind};
use super::scene::Scene;
use crate::place::Place;

pub(super) const KEY: &str = "mcpServers";

pub(super) fn table<'a>(scene: &Scene<'a>) -> Vec<Place<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

pub(super) fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "type" | "transport" => draft.kind_word(value),
        "command" => draft.command(value),
        "args" => draft.args(value),
        "env" => draft.env(value),
        "cwd" => draft.cwd(value),
        "url" => draft.url(value, Kind::Auto),
        "headers" => draft.headers(value),
        "enabled" => draft.enabled(value),
        "disabled" => draft.disabled(value),
        "description" => draft.description(value),
        "trust" | "autoApprove" | "alwaysAllow" => draft.ignore_trust(value),
        _ => return false,
    }
    true
}
