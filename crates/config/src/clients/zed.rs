//! Zed (`settings.json`): `context_servers`, times in seconds, nothing expanded.
//!
//! A server that comes from an extension of the editor has nothing here that could be run.

use super::dialect::{Dialect, never_off};
use super::draft::{Draft, Kind, Unit};
use super::mcp_servers;
use super::scene::Scene;
use crate::place::Place;

pub(super) const KEY: &str = "context_servers";

pub(super) const DIALECT: Dialect = Dialect { forms: &[], key: KEY, tables, take, off: never_off };

fn tables<'a>(scene: &Scene<'a>) -> Vec<Place<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "source" if value.node.string() == Some("custom") => {}
        "source" | "settings" if !draft.has("command") && !draft.has("url") => {
            draft.refuse("it comes from an extension of Zed, which only Zed can start".to_owned());
        }
        "command" if value.node.table().is_some() => command_table(draft, value),
        "url" => draft.url(value, Kind::Http),
        "timeout" => draft.duration(value, Unit::Seconds, &["tool_timeout_ms"]),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

/// The older form: `{ "path": …, "args": …, "env": … }`.
fn command_table(draft: &mut Draft<'_>, command: &Place<'_>) {
    for (key, value) in command.members() {
        match key {
            "path" => draft.command(&value),
            "args" => draft.args(&value),
            "env" => draft.env(&value),
            _ => draft.not_mapped(&value),
        }
    }
}
