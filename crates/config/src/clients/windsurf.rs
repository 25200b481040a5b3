//! Windsurf (`mcp_config.json`): `serverUrl` for both HTTP transports.

use super::dialect::{ClientDialect, never_off};
use super::draft::{DraftTransport, ServerDraft};
use super::mcp_servers;
use super::variables::VariableForm;
use crate::place::DocumentPlace;

pub(super) const DIALECT: ClientDialect = ClientDialect {
    forms: &[VariableForm::Env, VariableForm::File],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off: never_off,
};

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        "serverUrl" => draft.url(value, DraftTransport::Auto),
        "url" if draft.has("serverUrl") => draft.superseded(value, "serverUrl"),
        "disabledTools" => draft.deny_tools(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}
