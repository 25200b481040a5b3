//! Schemas and arguments made to take time, memory or a connection.
//!
//! None of these measures time: without the bounds they would not end.

use std::net::TcpListener;

use super::*;

/// An object whose property `a` has this schema, with these definitions beside it.
fn with_definitions(a: Value, definitions: Value) -> ArgumentCheck {
    compile(&json!({"type": "object", "properties": {"a": a}, "$defs": definitions}))
}

fn reference(name: impl std::fmt::Display) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// Shows: S0-45.
#[test]
fn a_reference_elsewhere_is_never_followed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/schema.json", listener.local_addr().unwrap());
    for schema in [
        json!({"properties": {"a": {"$ref": url}}}),
        json!({"properties": {"a": {"$ref": format!("{url}#/$defs/a")}}}),
        json!({"$id": url, "properties": {"a": {"$ref": "schema.json"}}}),
        json!({"properties": {"a": {"$id": url, "$ref": "#/$defs/a"}}, "$defs": {"a": true}}),
        json!({"properties": {"a": {"$dynamicRef": url}}}),
        json!({"properties": {"a": {"$recursiveRef": "#"}}}),
        json!({"properties": {"a": {"$ref": "#anchor"}}, "$defs": {"b": {"$anchor": "anchor"}}}),
        json!({"$schema": url, "properties": {"a": true}}),
        json!({"properties": {"a": {"$schema": url}}}),
        json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/missing"}}}),
        json!({"properties": {"a": {"$ref": ""}}}),
    ] {
        assert_only_an_object_is_wanted(&compile(&schema));
    }
    let own_address = json!({"$id": url, "properties": {"a": {"type": "null"}}});
    assert_ne!(says(&compile(&own_address), &json!({"a": 1})), "");
    let seen = listener.accept().expect_err("somebody connected");
    assert_eq!(seen.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn the_address_that_a_schema_gives_itself_changes_nothing() {
    for address in ["http://json-schema.org/draft-07/schema#", "::: no address", "#a"] {
        let check = compile(&json!({
            "$id": address,
            "properties": {"a": {"$ref": "#/definitions/nonNegativeInteger"}},
            "definitions": {"nonNegativeInteger": {"type": "null"}},
        }));
        assert_eq!(says(&check, &json!({"a": 1})), r#"`a`: 1 is not of type "null""#);
    }
}

#[test]
fn an_old_style_address_inside_a_schema_is_not_followed_but_a_property_called_id_is_fine() {
    let draft_4 = "http://json-schema.org/draft-04/schema#";
    let inner = json!({"id": "http://localhost/inner", "$ref": "#/a", "a": {}});
    let check = compile(&json!({"$schema": draft_4, "properties": {"a": inner}, "a": {}}));
    assert_only_an_object_is_wanted(&check);
    let check = compile(&json!({"properties": {"id": {"type": "string", "default": {"id": "x"}}}}));
    assert_ne!(says(&check, &json!({"id": 3})), "");
}

/// Shows: S0-45.
#[test]
fn a_schema_ten_thousand_levels_deep_is_left_to_the_server() {
    for (open, close) in [(r#"{"a":"#, "}"), (r#"{"not":"#, "}"), ("[", "]")] {
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        let schema = raw(format!(r#"{{"properties":{{"a":{deep}}}}}"#));
        assert_only_an_object_is_wanted(&ArgumentCheck::compile(Some(&schema), 1 << 20));
    }
}

#[test]
fn nesting_is_counted_through_references() {
    let nested = |levels: usize| {
        let schema = (0..levels).fold(json!({"type": "null"}), |inner, _| json!({"not": inner}));
        compile(&json!({"properties": {"a": schema}}))
    };
    assert!(nested(60).compiled.is_some());
    assert_only_an_object_is_wanted(&nested(62));

    let chain = |links: usize| {
        let link = |n: usize| (n.to_string(), json!({"not": reference(n + 1)}));
        let mut definitions: serde_json::Map<_, _> = (0..links).map(link).collect();
        definitions.insert(links.to_string(), json!({"type": "null"}));
        with_definitions(reference(0), definitions.into())
    };
    assert_ne!(says(&chain(28), &json!({"a": 1})), "");
    assert_only_an_object_is_wanted(&chain(32));
    assert_only_an_object_is_wanted(&chain(1000));
}

#[test]
fn a_recursive_schema_is_left_to_the_server() {
    assert_only_an_object_is_wanted(&compile(&json!({"properties": {"a": {"$ref": "#"}}})));
    assert_only_an_object_is_wanted(&compile(&json!({"$ref": "#"})));
    let itself = json!({"x": reference("x")});
    assert_only_an_object_is_wanted(&with_definitions(reference("x"), itself));
    let each_other = json!({"x": {"anyOf": [reference("y")]}, "y": {"not": reference("x")}});
    assert_only_an_object_is_wanted(&with_definitions(reference("x"), each_other));
    let shared = json!({"x": {"type": "null"}});
    let twice = json!({"anyOf": [reference("x"), reference("x")]});
    assert_ne!(says(&with_definitions(twice, shared), &json!({"a": 1})), "", "no circle");
}

/// Shows: S0-45.
#[test]
fn a_schema_that_unfolds_to_two_to_the_fortieth_is_left_to_the_server() {
    let unfolding = |width: usize, levels: usize| {
        let link = |n: usize| (n.to_string(), json!({"anyOf": vec![reference(n + 1); width]}));
        let mut definitions: serde_json::Map<_, _> = (0..levels).map(link).collect();
        definitions.insert(levels.to_string(), json!({"type": "null"}));
        with_definitions(reference(0), definitions.into())
    };
    assert_ne!(says(&unfolding(2, 8), &json!({"a": 1})), "");
    assert_only_an_object_is_wanted(&unfolding(2, 18));
    assert_only_an_object_is_wanted(&unfolding(8, 14));
}

#[test]
fn what_is_unevaluated_counts_twice_on_every_level() {
    let nested = |levels: usize| {
        let fold = |inner, _| json!({"allOf": [inner], "unevaluatedProperties": false});
        let schema = (0..levels).fold(json!({"properties": {"b": {"type": "null"}}}), fold);
        compile(&json!({"properties": {"a": schema}}))
    };
    assert_ne!(says(&nested(4), &json!({"a": {"c": 1}})), "");
    assert_only_an_object_is_wanted(&nested(20));
}

#[test]
fn a_pattern_takes_linear_time_and_little_memory() {
    let with = |pattern: &str| compile(&json!({"properties": {"a": {"pattern": pattern}}}));
    let long = format!("{}!", "a".repeat(60_000));
    assert_ne!(says(&with("^(a+)+$"), &json!({"a": long})), "");
    assert_eq!(says(&with("(a+)+!"), &json!({"a": long})), "");
    assert_eq!(says(&with("b"), &json!({"a": "a".repeat(70_000)})), "", "too long to be matched");
    for beyond in ["((a{100}){100}){100}", "(?=a)b", r"(a)\1", "("] {
        assert_only_an_object_is_wanted(&with(beyond));
    }
    let many = |count: usize| {
        let pattern = |n| (format!("^{n}[a-z]+$"), json!({"type": "null"}));
        let patterns: serde_json::Map<_, _> = (0..count).map(pattern).collect();
        compile(&json!({"patternProperties": patterns}))
    };
    assert_ne!(says(&many(90), &json!({"3x": 1})), "");
    assert_only_an_object_is_wanted(&many(101));
}

#[test]
fn a_huge_enumeration_is_checked_or_left_to_the_server() {
    let schema = json!({"properties": {"a": {"enum": (0..9000).collect::<Vec<_>>()}}});
    let check = compile(&schema);
    assert_eq!(says(&check, &json!({"a": 8999})), "");
    assert!(says(&check, &json!({"a": 9000})).starts_with("`a`: 9000 is not one of"));
    let listed = ArgumentCheck::compile(
        Some(&raw(json!({"enum": (0..60_000).collect::<Vec<_>>()}).to_string())),
        1 << 20,
    );
    assert_only_an_object_is_wanted(&listed);
}

#[test]
fn arguments_that_would_take_too_long_are_only_seen_to_be_an_object() {
    let check = compile(&json!({"properties": {"a": {"items": {"type": "string"}}}}));
    assert_ne!(says(&check, &json!({"a": vec![1; 1000]})), "");
    assert_eq!(says(&check, &json!({"a": vec![1; 600_000]})), "", "more than a megabyte");

    let heavy = json!({"items": {"allOf": vec![json!({"type": "string"}); 3000]}});
    let check = compile(&json!({"properties": {"a": heavy}}));
    assert!(says(&check, &json!({"a": [1]})).len() > 50, "explained");
    let told = says(&check, &json!({"a": vec![1; 1000]}));
    assert_eq!(told, "the arguments do not fit the tool's schema");
    assert_eq!(says(&check, &json!({"a": vec![1; 20_000]})), "");
}

#[test]
fn numbers_and_nesting_that_cannot_be_held_pass() {
    let number = json!({"type": "number", "maximum": 5, "multipleOf": 1e-7});
    let check = compile(&json!({"properties": {"a": number}}));
    let says = |arguments: String| check.check(Some(&raw(arguments)));
    assert!(says(r#"{"a":6}"#.to_owned()).is_err());
    for number in ["1e400", "-1e400", &"9".repeat(400), "1e-400"] {
        assert_eq!(says(format!(r#"{{"a":{number}}}"#)), Ok(()), "{number}");
    }
    for number in ["1e308", "9".repeat(300).as_str(), "18446744073709551616"] {
        assert!(says(format!(r#"{{"a":{number}}}"#)).is_err(), "{number}");
    }
    let deep = format!(r#"{{"b":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(says(deep), Ok(()));
    let schema = raw(r#"{"properties":{"a":{"maximum":1e400}}}"#);
    assert_only_an_object_is_wanted(&ArgumentCheck::compile(Some(&schema), MAX));
}

#[test]
fn a_boolean_may_stand_for_a_schema_inside_one() {
    let check = compile(&json!({"properties": {"a": true, "b": false}}));
    assert_eq!(says(&check, &json!({"a": 1})), "");
    assert_ne!(says(&check, &json!({"b": 1})), "");
}

#[test]
fn a_check_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&compile(&json!({})));
}
