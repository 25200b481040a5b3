//! The JSON Schema that editors and the reference page are given.

use std::path::Path;

use serde_json::Value;
use toolgate_config::schema::json_schema;
use toolgate_config::tree::{ConfigDocument, ConfigFormat, ConfigNode, ConfigValue as Tree};
use toolgate_types::ConfigSource;

use crate::support::{Found, project_toml};

/// A definition behind its `$ref`, and behind an `anyOf` with null.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.strip_prefix('#').unwrap();
        return resolved(root, root.pointer(pointer).unwrap());
    }
    let choices = schema["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    match choices.iter().find(|choice| choice["type"] != "null") {
        Some(choice) => resolved(root, choice),
        None => schema,
    }
}

/// The schema of one key of a table: named, or by the rule for all other keys.
fn of_key<'s>(root: &'s Value, schema: &'s Value, key: &str) -> Option<&'s Value> {
    let schema = resolved(root, schema);
    let named = schema["properties"].get(key);
    let other = schema.get("additionalProperties").filter(|other| other.is_object());
    named.or(other)
}

/// Keys of the document that the schema does not know.
fn unknown(root: &Value, schema: &Value, node: &ConfigNode, path: &str, found: &mut Vec<String>) {
    // What a JSON Schema holds is passed on as it is written.
    if path.ends_with("input_schema") || path.ends_with("output_schema") {
        return;
    }
    if let Tree::Table(members) = &node.value {
        for member in members {
            let path = format!("{path}/{}", member.key);
            match of_key(root, schema, &member.key) {
                Some(schema) => unknown(root, schema, &member.value, &path, found),
                None => found.push(path),
            }
        }
    }
}

fn unknown_keys(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/config/valid").join(name);
    let format = if name.ends_with(".toml") { ConfigFormat::Toml } else { ConfigFormat::Json };
    let text = std::fs::read_to_string(path).unwrap();
    let document = ConfigDocument::parse(ConfigSource::Overrides.into(), format, &text).unwrap();
    let root = json_schema();
    let mut found = Vec::new();
    unknown(&root, &root, &document.root, "", &mut found);
    found
}

#[test]
fn the_schema_knows_every_key_of_the_native_samples() {
    assert_eq!(unknown_keys("global--native.toml"), Vec::<String>::new());
    assert_eq!(unknown_keys("global--native.json"), Vec::<String>::new());
    // Two older spellings that are read and not advertised.
    let aliases = ["/servers/web/allow_tools", "/servers/web/deny_tools"];
    assert_eq!(unknown_keys("global--every-key.toml"), aliases);
}

/// Every key of one kind of entry in the sample that is meant to have all of them.
fn used(pointer: &[&str]) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/config/valid/global--every-key.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let document =
        ConfigDocument::parse(ConfigSource::Overrides.into(), ConfigFormat::Toml, &text).unwrap();
    let node = pointer.iter().fold(&document.root, |node, key| node.get(key).unwrap());
    node.table().unwrap().iter().map(|member| member.key.clone()).collect()
}

#[test]
fn the_sample_of_every_key_has_every_key_of_the_schema() {
    let root = json_schema();
    for (pointer, places) in [
        (&[][..], &[&[][..]][..]),
        (&["gateway"], &[&["gateway"]]),
        (&["servers", "*"], &[&["servers", "web"], &["servers", "shell"], &["servers", "repo"]]),
        (&["tools", "*"], &[&["tools", "count"]]),
        (&["bundles", "*"], &[&["bundles", "web"]]),
        (&["roles", "*"], &[&["roles", "writer"]]),
        (&["policy"], &[&["policy"]]),
        (&["approval"], &[&["approval"]]),
        (&["sandbox"], &[&["sandbox"]]),
        (&["audit"], &[&["audit"]]),
        (&["limits"], &[&["limits"]]),
    ] {
        let schema = pointer.iter().fold(&root, |schema, key| of_key(&root, schema, key).unwrap());
        let mut missing: Vec<&String> =
            resolved(&root, schema)["properties"].as_object().unwrap().keys().collect();
        let used: Vec<String> = places.iter().flat_map(|place| used(place)).collect();
        missing.retain(|key| !used.contains(key));
        // The sample has the other spelling of two keys.
        missing.retain(|key| !["enabled_tools", "disabled_tools"].contains(&key.as_str()));
        missing.retain(|key| {
            !["bearer_token_env", "auth_provider", "$schema"].contains(&key.as_str())
        });
        // This is instead of `tls`, and has a sample of its own.
        missing.retain(|key| *key != "tls_proxies");
        assert_eq!(missing, Vec::<&String>::new(), "{pointer:?}");
    }
}

#[test]
fn every_section_and_key_is_described_and_nothing_else_is_allowed() {
    let root = json_schema();
    let sections: Vec<&str> =
        root["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    for section in [
        "servers",
        "tools",
        "bundles",
        "roles",
        "workflows",
        "policy",
        "gateway",
        "approval",
        "sandbox",
        "audit",
        "limits",
        "profile",
        "version",
        "expand_env",
    ] {
        assert!(sections.contains(&section), "{section}");
    }
    assert_eq!(root["additionalProperties"], false);
    for (name, definition) in root["$defs"].as_object().unwrap() {
        let Some(keys) = definition["properties"].as_object() else { continue };
        assert_eq!(definition["additionalProperties"], false, "{name}");
        for (key, schema) in keys {
            assert!(schema["description"].is_string(), "{name}.{key} is not described");
        }
    }
}

/// Shows: G5.
#[test]
fn the_reference_says_what_listings_call_streaming_and_the_time_limit() {
    let root = json_schema();
    let tool =
        of_key(&root, &root, "tools").and_then(|tools| of_key(&root, tools, "lint")).unwrap();
    let described = |key: &str| of_key(&root, tool, key).unwrap()["description"].as_str().unwrap();
    assert!(described("streaming").contains("`allows_streaming`"));
    assert!(described("timeout_ms").contains("`default_timeout_ms`"));
}

#[test]
fn a_mistyped_key_is_answered_with_the_one_that_was_meant() {
    for (written, meant) in [
        ("comand", "did you mean `command`?"),
        ("requestTimeout", "did you mean `request_timeout_ms`?"),
        ("enabeld", "did you mean `enabled`?"),
        ("sandboxProfil", "did you mean `sandbox_profile`?"),
    ] {
        let loaded = project_toml(&format!("[servers.s]\ncommand = \"x\"\n{written} = 1\n")).load();
        assert_eq!(loaded.errors(), [("unknown-key", format!("servers.s.{written}").as_str())]);
        assert_eq!(loaded.problems[0].help.as_deref(), Some(meant));
    }
    let loaded = project_toml("[servers.s]\ncommand = \"x\"\nfrobnicate = 1\n").load();
    assert!(loaded.problems[0].help.as_deref().unwrap().starts_with("known keys: transport, url"));
}
