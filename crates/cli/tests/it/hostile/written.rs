//! The traps as a configuration has them, in every file and shape that is looked for.

use serde_json::{Map, Value, json};

/// The same entries, in one kind of file.
pub(super) struct Written {
    pub(super) path: &'static str,
    pub(super) text: String,
}

/// Every file that a walk finds, and inside of those every shape.
pub(super) fn in_every_file(entries: &[(&str, Value)]) -> Vec<Written> {
    let flat: Map<String, Value> =
        entries.iter().map(|(id, entry)| ((*id).to_owned(), entry.clone())).collect();
    let nested: Map<String, Value> =
        entries.iter().map(|(id, entry)| ((*id).to_owned(), nested(entry))).collect();
    let under_mcp = json!({ "version": 1, "mcp": { "servers": flat } }).to_string();
    let toolloop = json!({ "servers": nested, "bundles": {} }).to_string();
    let native = json!({ "servers": flat }).to_string();
    let written = |path, text| Written { path, text };
    vec![
        written("toolgate.toml", toml(&json!({ "servers": flat }))),
        written(".toolgate/config.toml", toml(&json!({ "servers": flat }))),
        written("toolgate.toml", toml(&json!({ "mcp": { "servers": flat } }))),
        written("toolgate.json", native),
        written("toolgate.json", under_mcp.clone()),
        written("codex-toolloop.mcp.json", toolloop.clone()),
        written(".codex-toolloop/mcp.json", toolloop),
        written(".codelia/config.json", under_mcp),
    ]
}

/// With the transport's own keys in an object.
fn nested(entry: &Value) -> Value {
    let (mut outer, mut transport) = (Map::new(), Map::new());
    for (key, value) in entry.as_object().unwrap() {
        match key.as_str() {
            "transport" => drop(transport.insert("type".to_owned(), value.clone())),
            "command" | "args" | "url" | "sandbox_profile" => {
                transport.insert(key.clone(), value.clone());
            }
            _ => drop(outer.insert(key.clone(), value.clone())),
        }
    }
    outer.insert("transport".to_owned(), transport.into());
    outer.into()
}

/// A table as TOML has it: one line for each key, with the rest of it in line.
pub(super) fn toml(table: &Value) -> String {
    let members = table.as_object().unwrap();
    members.iter().map(|(key, value)| format!("{key} = {}\n", inline(value))).collect()
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{key} = {}", inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
