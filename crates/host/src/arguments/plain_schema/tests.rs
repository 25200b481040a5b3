//! What is said for sure is held against the real validator, over every kind of parameter and value.

use serde_json::json;

use super::*;

fn plain(schema: &Value) -> PlainSchema {
    PlainSchema::of(schema).unwrap_or_else(|| panic!("not plain: {schema}"))
}

fn validator(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::options().should_validate_formats(false).build(schema).ok()
}

fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_it_is_sure_of_the_validator_says_too() {
    let kinds = ["null", "boolean", "string", "array", "object", "integer", "number"];
    let mut parameters = vec![json!(true), json!({}), json!({ "format": "uri", "default": 1 })];
    for one in kinds {
        parameters.push(json!({ "type": one, "description": "what it is" }));
        let others = kinds.into_iter().filter(|other| *other != one);
        parameters.extend(others.map(|other| json!({ "type": [one, other] })));
    }
    let values = [
        "null",
        "true",
        "false",
        "\"\"",
        "\"12\"",
        "[]",
        "[1]",
        "{}",
        "{\"a\":1}",
        "0",
        "-7",
        "12",
        "1.0",
        "1e2",
        "1.5",
        "-0.0",
        "123456789012345678901234567890",
        "1e999",
    ];
    let around = [
        json!({ "type": "object" }),
        json!({ "required": ["a"] }),
        json!({ "additionalProperties": false, "title": "one", "required": [] }),
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "required": ["a"] }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#" }),
    ];
    let mut sure = 0;
    for parameter in &parameters {
        for mut schema in around.iter().cloned() {
            schema["properties"] = json!({ "a": parameter, "b": { "type": "string" } });
            let (plain, validator) = (plain(&schema), validator(&schema));
            // One draft has no `true` for anything; who cannot have a validator is not asked.
            let Some(validator) = validator else {
                assert_eq!(*parameter, json!(true), "{schema}");
                continue;
            };
            for value in values {
                for arguments in [
                    format!(r#"{{"a":{value}}}"#),
                    format!(r#"{{"\u0061": {value} }}"#),
                    format!(r#"{{"b":"x","a":{value}}}"#),
                    format!(r#"{{"a":{value},"c":1}}"#),
                    format!(r#"{{"b":{value}}}"#),
                ] {
                    // What cannot be held as a value is taken.
                    let read = serde_json::from_str::<Value>(&arguments);
                    let is_valid = read.map_or(true, |read| validator.is_valid(&read));
                    let is_sure = plain.surely_takes(raw(&arguments));
                    assert!(is_valid || !is_sure, "{schema} does not take {arguments}");
                    // Only numbers that are no whole ones as they are spelled are left to the validator.
                    let is_spelled_so = value.contains(['.', 'e']);
                    assert!(is_sure || !is_valid || is_spelled_so, "{schema} takes {arguments}");
                    sure += usize::from(is_sure);
                }
            }
        }
    }
    assert!(sure > 5_000, "{sure}");
}

#[test]
fn a_schema_that_says_more_is_not_plain() {
    let parameter = |parameter: Value| json!({ "properties": { "a": parameter } });
    for schema in [
        json!({ "type": ["object", "null"] }),
        json!({ "type": "array" }),
        json!({ "minProperties": 1 }),
        json!({ "required": ["elsewhere"] }),
        json!({ "required": true }),
        json!({ "additionalProperties": { "type": "string" } }),
        json!({ "patternProperties": {} }),
        json!({ "properties": { "a": { "$ref": "#/$defs/a" } } }),
        parameter(json!(false)),
        parameter(json!({ "enum": ["x"] })),
        parameter(json!({ "type": "string", "minLength": 1 })),
        parameter(json!({ "type": "array", "items": { "type": "string" } })),
        parameter(json!({ "type": "object", "properties": {} })),
        parameter(json!({ "type": "text" })),
        parameter(json!({ "type": [] })),
        parameter(json!({ "type": "string", "required": true })),
        parameter(json!({ "contentEncoding": "base64" })),
    ] {
        assert!(PlainSchema::of(&schema).is_none(), "{schema}");
    }
    let names = |count: usize| (0..count).map(|place| (place.to_string(), json!({}))).collect();
    let many = |count| json!({ "properties": Value::Object(names(count)) });
    assert!(PlainSchema::of(&many(MOST_PARAMETERS)).is_some());
    assert!(PlainSchema::of(&many(MOST_PARAMETERS + 1)).is_none());
}

#[test]
fn a_key_that_is_written_twice_must_fit_both_times() {
    let plain = plain(&json!({ "properties": { "a": { "type": "string" } } }));
    assert!(plain.surely_takes(raw(r#"{"a":"x"}"#)));
    assert!(!plain.surely_takes(raw(r#"{"a":"x","a":1}"#)));
    assert!(!plain.surely_takes(raw(r#"{"a":1,"\u0061":"x"}"#)));
    assert!(plain.surely_takes(raw(r#"{"a":"x","\u0061":"y"}"#)));
    assert!(!plain.surely_takes(raw(r#"[]"#)));
}
