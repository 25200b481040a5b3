//! Any sequence of edits leaves an untouched entry as it is and gives exactly what was asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolgate_config::edit::TextEditor;
use toolgate_config::tree::{ConfigDocument, ConfigFormat};
use toolgate_types::ConfigSource;

const IDS: [&str; 6] = ["a", "b-1", "c.d", "e f", "ж", "q\"\\"];

/// Texts with one entry `kept` that nobody touches, and the lines that must stay in them.
const TEXTS: [(ConfigFormat, &str, &str); 9] = [
    (
        ConfigFormat::Toml,
        "# top\n[servers.kept] # k\nx = 'y' # z\n",
        "[servers.kept] # k\nx = 'y' # z\n",
    ),
    (
        ConfigFormat::Toml,
        "v = 1\r\n\r\n[servers]\r\nkept = {x='y'} # z\r\n\r\n[p]\r\n",
        "kept = {x='y'} # z\r\n",
    ),
    (ConfigFormat::Toml, "servers . kept.x = 'y' # z\n[p]\n# end", "servers . kept.x = 'y' # z\n"),
    (ConfigFormat::Toml, "servers = { kept = { x='y' } } # z\n", "kept = { x='y' }"),
    (
        ConfigFormat::Toml,
        "servers = {\n  # k\n  kept = { x='y' }, # z\n}\n",
        "  # k\n  kept = { x='y' }, # z\n",
    ),
    (
        ConfigFormat::Json,
        "{\n\t\"servers\": {\n\t\t// k\n\t\t\"kept\": {\"x\":\"y\"}\n\t}\n}",
        "\t\t// k\n\t\t\"kept\": {\"x\":\"y\"}",
    ),
    (ConfigFormat::Json, "{\"servers\":{\"kept\":{ \"x\":\"y\"}}}", "\"kept\":{ \"x\":\"y\"}"),
    (
        ConfigFormat::Json,
        "{\"servers\": {\r\n  \"kept\": {\"x\": \"y\"}, // z\r\n },\r\n}\r\n",
        "  \"kept\": {\"x\": \"y\"}, // z\r\n",
    ),
    (
        ConfigFormat::Json,
        "{ \"servers\": { /* k */ \"kept\": {\"x\": \"y\"} /* z */ } }",
        "/* k */ \"kept\": {\"x\": \"y\"}",
    ),
];

fn entry() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        "[ -~é\n\t]{0,8}".prop_map(|text| json!({ "command": text, "args": [text, ""] })),
        any::<i64>()
            .prop_map(|number| json!({ "n": number, "f": 0.5, "env": { "K": "v", "a b": "" } })),
        any::<bool>()
            .prop_map(|on| json!({ "on": on, "deep": { "list": [{ "k": [1] }], "m": {} } })),
    ]
}

/// `Some` sets an entry, `None` removes it.
fn edits() -> impl Strategy<Value = Vec<(usize, Option<Value>)>> {
    prop::collection::vec((0..IDS.len(), prop::option::weighted(0.6, entry())), 1..12)
}

fn servers(format: ConfigFormat, text: &str) -> BTreeMap<String, Value> {
    let document = ConfigDocument::parse(Arc::new(ConfigSource::Overrides), format, text).unwrap();
    let json = document.root.get("servers").map(|servers| servers.to_json(false));
    serde_json::from_str(&json.unwrap()).unwrap()
}

proptest! {
    #[test]
    fn of_sets_and_removals(which in 0..TEXTS.len(), edits in edits()) {
        let (format, text, kept) = TEXTS[which];
        let mut expected = servers(format, text);
        let mut editor = TextEditor::open(format, text).unwrap();
        for (id, value) in edits {
            let path = ["servers", IDS[id]];
            match value {
                Some(value) => {
                    editor.set(&path, &value).unwrap();
                    expected.insert(IDS[id].to_owned(), value);
                }
                None => {
                    let was_there = expected.remove(IDS[id]).is_some();
                    prop_assert_eq!(editor.remove(&path).unwrap(), was_there);
                }
            }
        }
        let new = editor.finish();
        prop_assert_eq!(servers(format, &new), expected, "{}", new);
        prop_assert!(new.contains(kept), "{}", new);
        if text.contains("\r\n") {
            prop_assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
        }
        prop_assert_eq!(new.ends_with('\n'), text.ends_with('\n'));
    }

    #[test]
    fn setting_and_removing_gives_the_text_back(which in 0..TEXTS.len(), value in entry()) {
        let (format, text, _) = TEXTS[which];
        let mut editor = TextEditor::open(format, text).unwrap();
        editor.set(&["servers", "new"], &value).unwrap();
        editor.remove(&["servers", "new"]).unwrap();
        prop_assert_eq!(editor.finish(), text);
    }
}
