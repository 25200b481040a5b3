//! Continue (`~/.continue/config.yaml`, `.continue/mcpServers/*.yaml`): a list of servers, each with its
//! name in it, read as a table by those names.

use super::dialect::{ClientDialect, never_off};
use super::draft::{DraftTransport, ServerDraft, TimeUnit};
use super::mcp_servers;
use super::scene::child;
use super::variables::VariableForm;
use crate::place::DocumentPlace;

pub(super) const DIALECT: ClientDialect = ClientDialect {
    forms: &[VariableForm::Templates],
    key: mcp_servers::KEY,
    tables: mcp_servers::table,
    take,
    off: never_off,
};

fn take(draft: &mut ServerDraft<'_>, key: &str, value: &DocumentPlace<'_>) -> bool {
    match key {
        // It is the key of the entry already.
        "name" => {}
        "uses" => {
            draft.refuse("it is a block of Continue's hub, which only Continue has".to_owned());
        }
        "type" if value.node.string() == Some("streamable-http") => {
            draft.kind(value, DraftTransport::Http);
        }
        "connectionTimeout" => draft.duration(value, TimeUnit::Millis, &["startup_timeout_ms"]),
        "requestOptions" => request_options(draft, value),
        _ => return mcp_servers::take(draft, key, value),
    }
    true
}

fn request_options(draft: &mut ServerDraft<'_>, options: &DocumentPlace<'_>) {
    if let Some(headers) = child(options, "headers") {
        draft.headers(&headers);
    }
    for (key, value) in options.members().filter(|(key, _)| *key != "headers") {
        match key {
            "timeout" => draft.duration(&value, TimeUnit::Millis, &["request_timeout_ms"]),
            _ => draft.not_mapped(&value),
        }
    }
}
