//! Codex.

use insta::assert_json_snapshot;
use serde_json::json;
use toolgate_config::clients::{KnownClient, NoteKind};

use super::{import_sample, server, shown};

/// Shows: E-5, S4-13.
#[test]
fn a_file_of_codex() {
    assert_json_snapshot!(shown(&import_sample(KnownClient::Codex, "codex/config.toml")));
}

#[test]
fn seconds_become_milliseconds() {
    let imported = import_sample(KnownClient::Codex, "codex/config.toml");
    let docs = &server(&imported, "docs").entry;
    assert_eq!(docs["startup_timeout_ms"], 12_500);
    assert_eq!(docs["tool_timeout_ms"], 90_000);
    let linear = &server(&imported, "linear").entry;
    assert_eq!(linear["startup_timeout_ms"], 5000);
    assert!(!linear.contains_key("tool_timeout_ms"));
}

#[test]
fn approve_is_not_taken_over_and_the_other_modes_are() {
    let imported = import_sample(KnownClient::Codex, "codex/config.toml");
    let docs = server(&imported, "docs");
    assert_eq!(docs.entry["approval"], "prompt");
    assert_eq!(docs.entry["tools"], json!({ "read": { "approval": "auto" } }));
    let linear = server(&imported, "linear");
    assert!(!linear.entry.contains_key("approval"));
    for server in [docs, linear] {
        assert!(server.notes.iter().any(|note| note.kind == NoteKind::TrustIgnored));
    }
}
