//! What a schema marks is masked, wherever in the arguments the mark leads.

use serde_json::value::RawValue;

use crate::Masker;

fn masked(arguments: &str, schema: &str) -> String {
    let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
    Masker::default().mask_arguments(&raw(arguments), Some(&raw(schema)))
}

/// Shows: S3-31, S3-44.
#[test]
fn each_of_the_marks_counts_and_other_properties_stay() {
    let schema = r#"{"properties": {
        "a": {"writeOnly": true}, "b": {"type": "string", "format": "password"},
        "c": {"x-secret": true}, "d": {"writeOnly": false, "format": "date"}, "e": true}}"#;
    let arguments = r#"{"a": "1", "b": "2", "c": {"x": [3]}, "d": "4", "e": "5", "f": "6"}"#;
    let expected = r#"{"a": "***", "b": "***", "c": "***", "d": "4", "e": "5", "f": "6"}"#;
    assert_eq!(masked(arguments, schema), expected);
}

/// Shows: S3-44.
#[test]
fn marks_are_followed_into_objects_and_items() {
    let schema = r#"{"properties": {"o": {"properties": {"p": {"x-secret": true}}},
        "l": {"items": {"properties": {"q": {"format": "password"}}}},
        "t": {"prefixItems": [{}, {"writeOnly": true}], "items": {"x-secret": false}},
        "m": {"additionalProperties": {"writeOnly": true}, "properties": {"known": {}}}}}"#;
    let arguments =
        r#"{"o":{"p":1,"q":2},"l":[{"q":1},{"q":2,"p":3}],"t":[1,2,3],"m":{"x":1,"known":2}}"#;
    let expected = r#"{"o":{"p":"***","q":2},"l":[{"q":"***"},{"q":"***","p":3}],"t":[1,"***",3],"m":{"x":"***","known":2}}"#;
    assert_eq!(masked(arguments, schema), expected);
}

/// Shows: S3-44.
#[test]
fn marks_are_followed_through_references_and_into_every_branch() {
    let schema = r##"{"$defs": {"pin": {"$ref": "#/definitions/deep~1er"}},
        "definitions": {"deep/er": {"writeOnly": true}},
        "properties": {"pin": {"$ref": "#/$defs/pin"}, "far": {"$ref": "https://x/y"}},
        "allOf": [{"properties": {"a": {"x-secret": true}}}],
        "anyOf": [{"properties": {"b": {}}}, {"properties": {"b": {"x-secret": true}}}],
        "if": {}, "then": {"oneOf": [{"properties": {"c": {"format": "password"}}}]}}"##;
    let arguments = r#"{"pin":1,"far":2,"a":3,"b":4,"c":5,"d":6}"#;
    let expected = r#"{"pin":"***","far":2,"a":"***","b":"***","c":"***","d":6}"#;
    assert_eq!(masked(arguments, schema), expected);
}

#[test]
fn a_schema_that_refers_to_itself_is_followed_as_far_as_the_arguments_go() {
    let schema = r##"{"$ref": "#", "properties": {"next": {"$ref": "#"}, "pin": {"x-secret": true}},
        "allOf": [{"$ref": "#/allOf/0"}, {"$ref": "#"}]}"##;
    let arguments = r#"{"next":{"next":{"pin":1,"x":2}}}"#;
    assert_eq!(masked(arguments, schema), r#"{"next":{"next":{"pin":"***","x":2}}}"#);
}

#[test]
fn a_schema_of_any_shape_takes_bounded_work_and_harms_nothing() {
    let wide = format!("{{\"allOf\":[{}{{}}]}}", "{\"$ref\":\"#\"},".repeat(20_000));
    let deep = format!("{}1{}", "{\"properties\":{\"a\":".repeat(1_000), "}}".repeat(1_000));
    let nested = format!("{}1{}", "{\"a\":".repeat(1_000), "}".repeat(1_000));
    for schema in ["1", "[]", "{\"properties\":[]}", "{\"$ref\":7,\"allOf\":{}}", &wide, &deep] {
        assert_eq!(masked(&nested, schema), nested);
    }
}

/// Shows: S3-44.
#[test]
fn a_schema_that_is_secret_as_a_whole_hides_all_and_names_still_count() {
    assert_eq!(masked(r#"{"a":1}"#, r#"{"writeOnly":true}"#), "\"***\"");
    assert_eq!(masked(r#"{"api_key":1}"#, "{}"), r#"{"api_key":"***"}"#);
}
