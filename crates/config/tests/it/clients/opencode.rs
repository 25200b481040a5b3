//! opencode, both versions of its file.

use insta::assert_json_snapshot;
use serde_json::json;
use toolgate_config::clients::KnownClient;

use super::{import_one, import_sample, server, shown};

/// Shows: E-5, S4-24.
#[test]
fn a_file_of_opencode() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::Opencode, "opencode/opencode.jsonc")));
}

/// Shows: S4-24.
#[test]
fn a_file_of_opencode_in_its_second_version() {
    assert_json_snapshot!(shown(&import_sample(
        KnownClient::Opencode,
        "opencode/opencode.v2.json"
    )));
}

#[test]
fn a_command_array_is_split() {
    let imported = import_sample(KnownClient::Opencode, "opencode/opencode.jsonc");
    let files = &server(&imported, "files").entry;
    assert_eq!(files["command"], "bun");
    assert_eq!(files["args"], json!(["x", "files-mcp", "--token=${FILES_TOKEN}"]));
}

#[test]
fn a_server_called_servers_is_a_server() {
    let entry = json!({ "type": "local", "command": ["x"] });
    let text = json!({ "mcp": { "servers": entry } }).to_string();
    let imported = super::import_text(KnownClient::Opencode, &text);
    assert_eq!(imported.servers[0].id, "servers");
    assert_eq!(imported.servers[0].entry, import_one(KnownClient::Opencode, &entry).entry);
}
