//! VS Code (`.vscode/mcp.json`): `servers`, and `inputs` that it asks its user for.

use super::dialect::{Dialect, never_off};
use super::draft::{Draft, Kind};
use super::mcp_servers;
use super::scene::Scene;
use super::variables::Form;
use crate::place::Place;

pub(super) const KEY: &str = "servers";

pub(super) const DIALECT: Dialect = Dialect {
    forms: &[Form::Env, Form::Inputs, Form::Folders],
    key: KEY,
    tables,
    take,
    off: never_off,
};

fn tables<'a>(scene: &Scene<'a>) -> Vec<Place<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        // Its `http` tries SSE when the server does not know the newer transport.
        "type" if value.node.string() == Some("http") => draft.kind(value, Kind::Auto),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}
