//! Claude Code and Claude Desktop.

use insta::assert_json_snapshot;
use serde_json::json;
use toolgate_config::clients::{KnownClient, NoteKind};

use super::{import_one, import_sample, import_text, server, shown, try_import};

/// Shows: E-5.
#[test]
fn a_project_file_of_claude_code() {
    let imported = import_sample(KnownClient::ClaudeCode, "claude-code/.mcp.json");
    assert_json_snapshot!(shown(&imported));
}

#[test]
fn a_user_file_of_claude_code_with_this_project_in_it() {
    let imported = import_sample(KnownClient::ClaudeCode, "claude-code/.claude.json");
    assert_json_snapshot!(shown(&imported));
}

#[test]
fn a_file_of_claude_desktop() {
    let file = "claude-desktop/claude_desktop_config.json";
    assert_json_snapshot!(shown(&import_sample(KnownClient::ClaudeDesktop, file)));
}

#[test]
fn an_unset_variable_refuses_only_its_entry_and_is_named() {
    let imported = import_sample(KnownClient::ClaudeCode, "claude-code/.mcp.json");
    let refused = format!("{:?}", server(&imported, "needs more").outcome);
    assert!(refused.contains("UNSET_KEY") && refused.contains("UNSET_OTHER"), "{refused}");
    assert!(server(&imported, "github").is_ready());
    assert!(server(&imported, "database").is_ready());
}

#[test]
fn a_default_inside_a_default_is_refused() {
    let entry = json!({ "command": "x", "args": ["${A:-${GITHUB_TOKEN}}"] });
    assert!(!import_one(KnownClient::ClaudeCode, &entry).is_ready());
}

#[test]
fn the_entry_of_the_project_wins_and_the_other_is_noted() {
    let imported = import_sample(KnownClient::ClaudeCode, "claude-code/.claude.json");
    assert_eq!(server(&imported, "notes").entry["args"], json!(["--folder", "docs"]));
    assert_eq!(imported.notes.len(), 1);
    assert_eq!(imported.notes[0].kind, NoteKind::Overridden);
    assert_eq!(imported.notes[0].line, 5);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_line() {
    for (text, rule, line) in [
        ("{\n  \"mcpServers\": {\n", "json-syntax", 2),
        ("{\n  \"mcpServers\": {},\n  \"mcpServers\": {}\n}", "duplicate-key", 3),
        ("[]", "not-a-table", 1),
        ("{\n  \"mcpServers\": []\n}", "not-a-table", 2),
    ] {
        let problems = try_import(KnownClient::ClaudeCode, text).unwrap_err();
        assert_eq!((problems[0].rule, problems[0].line), (rule, line), "{text}");
    }
}

#[test]
fn a_file_without_servers_says_so() {
    let imported = import_text(KnownClient::ClaudeCode, "\u{feff}{ \"servers\": {} }");
    assert!(imported.servers.is_empty());
    assert_eq!(imported.notes[0].kind, NoteKind::NoServers);
}

#[test]
fn the_environment_of_a_remote_server_is_left_out_and_noted() {
    let entry = json!({ "type": "http", "url": "https://example.com/mcp", "env": { "A": "b" } });
    let server = import_one(KnownClient::ClaudeCode, &entry);
    assert!(server.is_ready());
    assert!(!server.entry.contains_key("env"));
    assert_eq!(server.notes[0].kind, NoteKind::NotMapped);
}

#[test]
fn only_entries_with_variables_need_expansion() {
    let entry = |args: &str| json!({ "command": "x", "args": [args], "description": "${words}" });
    assert!(import_one(KnownClient::ClaudeCode, &entry("${API_KEY}")).needs_expansion());
    assert!(import_one(KnownClient::ClaudeCode, &entry("${not one}")).needs_expansion());
    assert!(!import_one(KnownClient::ClaudeCode, &entry("$HOME")).needs_expansion());
}

#[test]
fn what_a_terminal_would_obey_does_not_get_into_notes() {
    let text = r#"{ "mcpServers": { "a\u001b[2Jb": { "command": "x", "odd\u0007": 1 } } }"#;
    let imported = import_text(KnownClient::ClaudeCode, text);
    let notes = &imported.servers[0].notes;
    assert_eq!(notes.len(), 2);
    assert!(!notes.iter().any(|n| n.message.contains('\u{1b}') || n.key.contains('\u{7}')));
}
