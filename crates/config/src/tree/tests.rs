//! Both syntaxes give one tree, with places, spellings and duplicates kept.

use super::*;

fn parse(format: ConfigFormat, text: &str) -> Result<ConfigDocument, Vec<Problem>> {
    ConfigDocument::parse(Arc::new(ConfigSource::Overrides), format, text)
}

#[test]
fn toml_and_json_give_the_same_tree_in_the_order_of_writing() {
    let toml = parse(ConfigFormat::Toml, "z = 1\na = [true, 1.5]\n[t]\nk = \"v\"\n").unwrap();
    let json =
        parse(ConfigFormat::Json, "{\"z\":1,\"a\":[true,1.5,],/*c*/\"t\":{\"k\":\"v\"}}").unwrap();
    assert_eq!(toml.root.to_json(false), json.root.to_json(false));
    assert_eq!(json.root.to_json(false), r#"{"z":1,"a":[true,1.5],"t":{"k":"v"}}"#);
    assert_eq!(json.root.to_json(true), r#"{"a":[true,1.5],"t":{"k":"v"},"z":1}"#);
}

#[test]
fn json_numbers_keep_their_spelling() {
    let text = r#"{"a":1.0,"b":1e2,"c":12345678901234567890}"#;
    assert_eq!(parse(ConfigFormat::Json, text).unwrap().root.to_json(false), text);
}

#[test]
fn every_duplicate_key_is_found_with_its_line() {
    let problems =
        parse(ConfigFormat::Json, "{\"a\":{\"x\":1,\n\"x\":2},\n\"a\":1}").expect_err("duplicates");
    let found: Vec<_> = problems.iter().map(|p| (p.rule, p.key.as_str(), p.line)).collect();
    assert_eq!(found, [("duplicate-key", "a.x", 2), ("duplicate-key", "a", 3)]);
}

#[test]
fn a_duplicate_in_toml_names_its_key() {
    let problems =
        parse(ConfigFormat::Toml, "[t]\nk = 1\n\"k\" = 2\n[t]\n").expect_err("duplicates");
    let found: Vec<_> = problems.iter().map(|p| (p.rule, p.key.as_str(), p.line)).collect();
    assert_eq!(found, [("duplicate-key", "\"k\"", 3), ("duplicate-key", "t", 4)]);
}

#[test]
fn whatever_was_refused_the_rest_can_be_read_without_it() {
    let document = parse(ConfigFormat::Json, r#"{"a":{"b":1,"c":[1]},"d":2}"#).unwrap();
    let key = |name: &str| PathStep::Key(name.to_owned());
    let without = |path: &[PathStep]| {
        let mut root = document.root.clone();
        root.remove(path).then(|| root.to_json(false))
    };
    assert_eq!(without(&[key("a"), key("b")]).as_deref(), Some(r#"{"a":{"c":[1]},"d":2}"#));
    assert_eq!(
        without(&[key("a"), key("c"), PathStep::Index(0)]).as_deref(),
        Some(r#"{"a":{"b":1},"d":2}"#)
    );
    assert_eq!(without(&[key("x")]), None);
    assert_eq!(without(&[]), None);
}

#[test]
fn several_toml_errors_are_reported_together() {
    let problems = parse(ConfigFormat::Toml, "a = \nb = 1\nb = 2\nc = [\n").expect_err("broken");
    assert!(problems.len() >= 2, "{problems:?}");
    assert!(problems.iter().any(|p| p.rule == "duplicate-key" && p.line == 3), "{problems:?}");
}

#[test]
fn camel_case_keys_of_structs_read_as_snake_case() {
    assert_eq!(snake_case("authProviderId"), "auth_provider_id");
    assert_eq!(snake_case("allow_tools"), "allow_tools");
}
