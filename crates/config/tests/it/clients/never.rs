//! What holds for every client's file: no trust, no secret in words, nothing that would not load.

use std::path::Path;

use serde_json::{Value, json};
use toolgate_config::clients::{ImportOutcome, KnownClient, NoteKind};
use toolgate_config::{LoadOptions, Severity, load};

use super::{SAMPLES, import_one, import_sample, shown_notes, variables};

/// Every key of a value, at any depth.
fn keys(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                into.push(key.clone());
                keys(inner, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, into)),
        _ => {}
    }
}

#[test]
fn trust_is_never_imported() {
    let mut warned = 0;
    for (client, file) in SAMPLES {
        for server in import_sample(client, file).servers {
            let mut found = Vec::new();
            keys(&Value::Object(server.entry.clone()), &mut found);
            let words = ["trust", "autoApprove", "alwaysAllow", "approval_mode"];
            assert!(!found.iter().any(|key| words.contains(&key.as_str())), "{file}: {found:?}");
            assert!(!Value::Object(server.entry).to_string().contains("\"approve\""), "{file}");
            warned += server.notes.iter().filter(|n| n.kind == NoteKind::TrustIgnored).count();
        }
    }
    assert_eq!(warned, 5);
}

#[test]
fn secrets_stay_out_of_notes_reasons_and_debug_output() {
    for (client, file) in SAMPLES {
        let imported = import_sample(client, file);
        let mut said = shown_notes(&imported.notes);
        for server in &imported.servers {
            said.extend(shown_notes(&server.notes));
            if let ImportOutcome::Refused(reason) = &server.outcome {
                said.push(reason.clone());
            }
        }
        said.push(format!("{imported:?}"));
        for text in said {
            assert!(!text.contains("literal-secret"), "{file}: {text}");
            assert!(!text.contains("value-of-"), "{file}: {text}");
        }
    }
}

/// Values of variables are named, not written, except where our own reader takes text literally.
#[test]
fn the_value_of_a_variable_does_not_get_into_an_entry() {
    for (client, file) in SAMPLES {
        for mut server in import_sample(client, file).servers {
            if let Some(Value::Object(oauth)) = server.entry.get_mut("oauth") {
                oauth.shift_remove("client_id");
            }
            let text = Value::Object(server.entry).to_string();
            assert!(!text.contains("value-of-"), "{file}: {text}");
        }
    }
}

#[test]
fn what_is_ready_loads() {
    let mut ready = 0;
    for (client, file) in SAMPLES {
        let imported = import_sample(client, file);
        let entries = imported.servers.iter().filter(|server| server.is_ready());
        let servers: serde_json::Map<String, Value> = entries
            .map(|server| (server.id.clone(), Value::Object(server.entry.clone())))
            .collect();
        ready += servers.len();
        let folder = tempfile::tempdir().unwrap();
        let mut options = LoadOptions::new(folder.path());
        options.env = variables();
        let given = ["GITHUB_TOKEN", "REGION", "INPUT_PATH"];
        options.env.extend(given.map(|name| (name.to_owned(), "given".to_owned())));
        options.overrides = Some(json!({ "expand_env": true, "servers": servers }));
        let loaded = load(&options);
        let errors: Vec<_> =
            loaded.problems.iter().filter(|p| p.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{file}: {errors:?}");
        assert_eq!(loaded.config.servers.len(), servers.len());
    }
    assert!(ready > 25, "{ready}");
}

#[test]
fn url_means_what_it_means_in_each_client() {
    let url = "https://example.com/mcp";
    let transport = |client, entry: Value| {
        let server = import_one(client, &entry);
        assert!(server.is_ready(), "{client}: {server:?}");
        assert_eq!(server.entry["url"], url);
        server.entry.get("transport").and_then(Value::as_str).map(str::to_owned)
    };
    let bare = json!({ "url": url });
    assert_eq!(transport(KnownClient::Gemini, bare.clone()).as_deref(), Some("sse"));
    assert_eq!(transport(KnownClient::Gemini, json!({ "httpUrl": url })).as_deref(), Some("http"));
    assert_eq!(transport(KnownClient::Zed, bare.clone()).as_deref(), Some("http"));
    assert_eq!(transport(KnownClient::Windsurf, json!({ "serverUrl": url })), None);
    assert_eq!(transport(KnownClient::Opencode, json!({ "type": "remote", "url": url })), None);
    for client in [KnownClient::ClaudeCode, KnownClient::Cursor, KnownClient::VsCode] {
        assert_eq!(transport(client, bare.clone()), None);
        let sse = json!({ "type": "sse", "url": url });
        assert_eq!(transport(client, sse).as_deref(), Some("sse"));
    }
    let http = json!({ "type": "http", "url": url });
    assert_eq!(transport(KnownClient::ClaudeCode, http.clone()).as_deref(), Some("http"));
    // VS Code's own `http` falls back to SSE, as a bare URL does here.
    assert_eq!(transport(KnownClient::VsCode, http), None);
}

#[test]
fn a_sample_is_recognised_by_its_place_or_its_keys() {
    use toolgate_config::tree::ConfigDocument;
    for (client, file) in SAMPLES {
        let text = super::sample(file);
        let source = std::sync::Arc::new(toolgate_types::ConfigSource::Overrides);
        let document = ConfigDocument::parse(source, client.format(), &text).unwrap();
        let by_keys = KnownClient::of_keys(document.format, &document.root).unwrap();
        match client {
            // Nothing in their keys tells these apart; only the name of the file does.
            KnownClient::ClaudeDesktop | KnownClient::Cursor => {
                assert_eq!(by_keys, KnownClient::ClaudeCode);
            }
            _ => assert_eq!(by_keys, client, "{file}"),
        }
        assert_eq!(KnownClient::of_path(Path::new("unknown.json")), None);
    }
}
