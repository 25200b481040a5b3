//! Cursor.

use insta::assert_json_snapshot;
use serde_json::json;
use toolgate_config::clients::KnownClient;

use super::{import_sample, server, shown};

/// Shows: E-5.
#[test]
fn a_file_of_cursor() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::Cursor, "cursor/mcp.json")));
}

#[test]
fn a_variable_is_named_where_a_key_for_that_exists() {
    let imported = import_sample(KnownClient::Cursor, "cursor/mcp.json");
    let linear = &server(&imported, "linear").entry;
    assert_eq!(linear["bearer_token_env"], "LINEAR_TOKEN");
    assert_eq!(linear["env_headers"], json!({ "X-Workspace": "LINEAR_WORKSPACE" }));
    assert_eq!(linear["headers"], json!({ "X-Agent": "cursor/${LINEAR_WORKSPACE}" }));
    let docs = &server(&imported, "docs").entry;
    assert_eq!(docs["env_vars"], json!(["DOCS_TOKEN"]));
    assert_eq!(docs["env"]["UPSTREAM_TOKEN"], "${DOCS_TOKEN}");
}
