//! Damaged samples: never a panic, never an id that is none.

use proptest::prelude::*;
use toolgate_types::ServerId;

use super::{SAMPLES, sample, try_import};

/// Parts that turn one valid file into another one.
const PARTS: [&str; 16] = [
    "${", "$", "}", "{env:", "${input:", ":-", "\"", ",", "null", "[]", "{}", "true", "-1", "é",
    "\\u0000", "\n",
];

/// At a place in the text: take some characters away, put a part in.
fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, usize)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, 0..PARTS.len()), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_is_read_or_refused(which in 0..SAMPLES.len(), edits in edits()) {
        let (client, file) = SAMPLES[which];
        let mut text: Vec<char> = sample(file).chars().collect();
        for (at, away, part) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + away).min(text.len());
            text.splice(at..end, PARTS[part].chars());
        }
        let text: String = text.into_iter().collect();
        if let Ok(imported) = try_import(client, &text) {
            let mut ids: Vec<String> =
                imported.servers.iter().map(|server| server.id.to_lowercase()).collect();
            for server in &imported.servers {
                prop_assert!(ServerId::parse(&server.id).is_ok(), "{}", server.id);
            }
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), imported.servers.len());
        }
    }

    #[test]
    fn any_name_of_a_server_gets_an_id(names in prop::collection::btree_set(".{0,80}", 1..8)) {
        let servers: serde_json::Map<String, serde_json::Value> = names
            .iter()
            .map(|name| (name.clone(), serde_json::json!({ "command": "x" })))
            .collect();
        let text = serde_json::json!({ "mcpServers": servers }).to_string();
        let imported = super::import_text(toolgate_config::clients::KnownClient::Cursor, &text);
        prop_assert_eq!(imported.servers.len(), names.len());
        for server in &imported.servers {
            prop_assert!(ServerId::parse(&server.id).is_ok());
            prop_assert!(names.contains(&server.original_name));
        }
    }
}
