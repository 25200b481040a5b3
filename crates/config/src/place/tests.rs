//! Finding values whatever their spelling, also inside a `transport` object.

use toolgate_types::ConfigSource;

use super::*;
use crate::tree::ConfigFormat;

fn document(text: &str) -> ConfigDocument {
    ConfigDocument::parse(ConfigSource::Overrides.into(), ConfigFormat::Json, text).expect("JSON")
}

#[test]
fn a_value_is_found_in_either_spelling_with_its_own_path() {
    let document = document(r#"{"allowTools":1,"transport":{"type":"http","authProviderId":2}}"#);
    let root = DocumentPlace::root(&document);
    let path = |names: &[&str]| root.find(names).map(|place| place.path);
    assert_eq!(path(&["allow_tools"]).as_deref(), Some("allowTools"));
    assert_eq!(
        path(&["auth_provider", "auth_provider_id"]).as_deref(),
        Some("transport.authProviderId")
    );
    assert_eq!(path(&["deny_tools"]), None);
    assert_eq!(root.at(&["deny_tools", "other"]).path, "deny_tools");
}

#[test]
fn an_item_of_an_array_has_an_index_and_a_missing_one_is_the_array_itself() {
    let document = document(r#"{"a":["x","y"]}"#);
    let array = DocumentPlace::root(&document).at(&["a"]);
    assert_eq!(array.item(1).path, "a[1]");
    assert_eq!(array.item(1).node.string(), Some("y"));
    assert_eq!(array.item(2).path, "a");
    assert_eq!(array.item(0).item(0).path, "a[0]");
}
