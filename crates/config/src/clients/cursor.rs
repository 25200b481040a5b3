//! Cursor (`.cursor/mcp.json`).

use super::dialect::{ClientDialect, never_off};
use super::draft::ServerDraft;
use super::mcp_servers;
use super::variables::VariableForm;
use crate::place::DocumentPlace;

pub(super) const DIALECT: ClientDialect = ClientDialect {
    forms: &[VariableForm::Env, VariableForm::Folders],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off: never_off,
};

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "auth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}
