//! Cursor (`.cursor/mcp.json`).

use super::dialect::{Dialect, never_off};
use super::draft::Draft;
use super::mcp_servers;
use super::variables::Form;
use crate::place::Place;

pub(super) const DIALECT: Dialect = Dialect {
    forms: &[Form::Env, Form::Folders],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off: never_off,
};

fn take(draft: &mut Draft<'_>, key: &str, value: &Place<'_>) -> bool {
    match key {
        "auth" => draft.oauth(value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}
