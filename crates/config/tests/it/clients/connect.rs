//! The entry `gate` in every client's dialect, and that it is never imported back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use insta::assert_json_snapshot;
use serde_json::{Map, Value, json};
use toolgate_config::clients::{
    ClientConnectError, ClientEntry, ClientRoute, ClientText, DisconnectedText, KnownClient,
    NoteKind, connect_entry, entry_path,
};
use toolgate_config::tree::{ConfigDocument, ConfigFormat};
use toolgate_types::{ConfigSource, Secret};

use super::import_text;

fn stdio() -> ClientRoute {
    ClientRoute::Stdio { executable: PathBuf::from("/opt/toolgate/bin/toolgate") }
}

fn http() -> ClientRoute {
    let token = Some(Secret::new("tg_token".to_owned()));
    ClientRoute::Http { url: "http://127.0.0.1:7332/mcp".to_owned(), token }
}

/// To a gate whose clients log in by themselves.
fn http_without_token() -> ClientRoute {
    ClientRoute::Http { url: "https://gate.example.com/mcp".to_owned(), token: None }
}

/// A new file with nothing but the connection.
fn file_with(connection: &ClientEntry) -> Value {
    let path = connection.path_in_file.iter().rev();
    path.fold(connection.value.clone(), |inner, key| json!({ key.as_str(): inner }))
}

#[test]
fn the_entry_for_every_client() {
    let mut entries = Map::new();
    for client in KnownClient::ALL {
        for (how, connect) in [("stdio", stdio()), ("http", http())] {
            let shown = match connect_entry(client, &connect, None) {
                Ok(connection) => file_with(&connection),
                Err(error) => Value::String(error.to_string()),
            };
            entries.insert(format!("{client} {how}"), shown);
        }
    }
    assert_json_snapshot!(entries);
}

/// Nothing in it keeps a client from logging in by itself.
#[test]
fn without_a_token_the_entry_is_the_address_alone() {
    for client in KnownClient::ALL {
        let Ok(entry) = connect_entry(client, &http_without_token(), None) else { continue };
        let fields = entry.value.as_object().unwrap();
        assert!(fields.values().any(|value| value == "https://gate.example.com/mcp"), "{client}");
        let mut others = fields.keys().filter(|key| !key.to_lowercase().contains("url"));
        assert!(others.all(|key| ["name", "type"].contains(&key.as_str())), "{client}: {fields:?}");
    }
}

#[test]
fn what_connect_wrote_is_recognised_as_our_own() {
    for client in KnownClient::ALL {
        for connect in [stdio(), http()] {
            let empty = ClientText { client, path: Path::new("x"), text: "" };
            let Ok(text) = empty.connected(&connect) else { continue };
            let file = ClientText { text: &text, ..empty };
            assert!(file.is_connected(), "{client}");
            assert_eq!(file.disconnected(None).unwrap(), DisconnectedText::NoFile, "{client}");
            let imported = import_text(client, &text);
            assert!(imported.servers.is_empty(), "{client}: {imported:?}");
            assert_eq!(imported.notes[0].kind, NoteKind::OwnEntry, "{client}");
        }
    }
}

#[test]
fn opencode_gets_the_entry_where_its_file_keeps_them() {
    let document = |text: &str| {
        ConfigDocument::parse(Arc::new(ConfigSource::Overrides), ConfigFormat::Json, text)
            .unwrap()
            .root
    };
    let path = |text: &str| entry_path(KnownClient::Opencode, Some(&document(text))).join(".");
    assert_eq!(path("{}"), "mcp.gate");
    assert_eq!(path(r#"{ "mcp": { "servers": {} } }"#), "mcp.servers.gate");
    assert_eq!(path(r#"{ "mcp": { "servers": { "type": "local" } } }"#), "mcp.gate");
}

#[test]
fn what_a_client_would_not_take_literally_is_refused() {
    let relative = ClientRoute::Stdio { executable: PathBuf::from("toolgate") };
    let error = connect_entry(KnownClient::Zed, &relative, None).unwrap_err();
    assert_eq!(error, ClientConnectError::RelativeExecutable);
    let odd = ClientRoute::Stdio { executable: PathBuf::from("/opt/$HOME/toolgate") };
    let what = "path of the executable";
    let client = KnownClient::Gemini;
    let error = connect_entry(client, &odd, None).unwrap_err();
    assert_eq!(error, ClientConnectError::Expanded { client, what });
    assert!(connect_entry(KnownClient::Zed, &odd, None).is_ok());
}

#[test]
fn a_token_is_not_printed_by_debug() {
    let connection = connect_entry(KnownClient::Cursor, &http(), None).unwrap();
    assert!(!format!("{connection:?} {:?}", http()).contains("tg_token"));
}
