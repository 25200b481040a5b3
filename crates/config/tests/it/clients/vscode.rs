//! VS Code.

use insta::assert_json_snapshot;
use toolgate_config::clients::{KnownClient, NoteKind};

use super::{import_sample, import_text, server, shown};

/// Shows: E-5.
#[test]
fn a_file_of_vs_code() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::VsCode, "vscode/mcp.json")));
}

#[test]
fn an_input_becomes_a_variable_to_be_given_and_refuses_nothing() {
    let imported = import_sample(KnownClient::VsCode, "vscode/mcp.json");
    let github = server(&imported, "github");
    assert!(github.is_ready());
    assert_eq!(github.entry["bearer_token_env"], "GITHUB_TOKEN");
    let given = github.notes.iter().find(|note| note.kind == NoteKind::ToBeGiven).unwrap();
    assert!(given.message.contains("GitHub personal access token"), "{}", given.message);
}

#[test]
fn two_inputs_never_share_a_variable() {
    let text = r#"{
        "inputs": [{ "id": "my-key" }, { "id": "my_key" }],
        "servers": { "s": { "command": "x", "args": ["${input:my-key}", "${input:my_key}"] } }
    }"#;
    let imported = import_text(KnownClient::VsCode, text);
    assert_eq!(imported.servers[0].entry["args"][0], "${MY_KEY}");
    assert_eq!(imported.servers[0].entry["args"][1], "${MY_KEY_2}");
}
