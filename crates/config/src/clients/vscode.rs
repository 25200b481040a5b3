//! VS Code (`.vscode/mcp.json`): `servers`, and `inputs` that it asks its user for.

use super::dialect::{ClientDialect, never_off};
use super::draft::{DraftTransport, ServerDraft};
use super::mcp_servers;
use super::scene::ImportScene;
use super::variables::VariableForm;
use crate::place::DocumentPlace;

pub(super) const KEY: &str = "servers";

pub(super) const DIALECT: ClientDialect = ClientDialect {
    forms: &[VariableForm::Env, VariableForm::Inputs, VariableForm::Folders],
    key: KEY,
    tables,
    take,
    off: never_off,
};

fn tables<'a>(scene: &ImportScene<'a>) -> Vec<DocumentPlace<'a>> {
    scene.at(&[KEY]).into_iter().collect()
}

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        // Its `http` tries SSE when the server does not know the newer transport.
        "type" if value.node.string() == Some("http") => draft.kind(value, DraftTransport::Auto),
        "oauth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}
