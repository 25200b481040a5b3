//! Windsurf (`mcp_config.json`): `serverUrl` for both HTTP transports.

use super::dialect::{Dialect, never_off};
use super::draft::{Draft, Kind};
use super::mcp_servers;
use super::variables::Form;
use crate::place::Place;

pub(super) const DIALECT: Dialect = Dialect {
    forms: &[Form::Env, Form::File],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off: never_off,
};

fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "serverUrl" => draft.url(value, Kind::Auto),
        "url" if draft.has("serverUrl") => draft.superseded(value, "serverUrl"),
        "disabledTools" => draft.deny_tools(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}
