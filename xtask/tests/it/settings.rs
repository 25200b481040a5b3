//! What is found about keys that nothing goes by.

use std::collections::BTreeSet;

use serde_json::json;
use xtask::tidy::settings::{check_keys, keys_of};

#[test]
fn a_key_that_nobody_goes_by_and_nobody_is_told_of_is_found() {
    let schema = toolgate_config::schema::json_schema();
    let mut keys = keys_of(&schema);
    assert!(check_keys(&keys).is_empty(), "{:?}", check_keys(&keys));
    for key in
        ["gateway.listen", "servers.*.tools.*.approval", "limits.sessions", "tools.*.command"]
    {
        assert!(keys.contains(key), "{key}: {keys:?}");
    }
    keys.insert("gateway.wishes".to_owned());
    keys.remove("gateway.listen");
    let found: Vec<String> = check_keys(&keys).into_iter().map(|one| one.message).collect();
    let told = "nothing goes by `gateway.wishes`, and nobody is told";
    assert_eq!(found, [told, "there is no key `gateway.listen`"]);
}

#[test]
fn the_keys_of_a_schema_are_found_through_references_and_names() {
    let schema = json!({
        "properties": {
            "servers": { "additionalProperties": { "anyOf": [{ "$ref": "#/$defs/Server" }] } },
            "version": { "type": "integer" },
        },
        "$defs": { "Server": { "properties": { "url": {}, "env": { "additionalProperties": true } } } },
    });
    let expected = ["servers.*.env", "servers.*.url", "version"].map(str::to_owned);
    assert_eq!(keys_of(&schema), BTreeSet::from(expected));
}
