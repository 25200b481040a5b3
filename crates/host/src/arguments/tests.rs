//! Which schema is shown, and which arguments pass.

mod hostile;

use serde_json::{Value, json};

use super::*;

const MAX: usize = 64 * 1024;

fn raw(json: impl Into<String>) -> Box<RawValue> {
    RawValue::from_string(json.into()).unwrap()
}

/// The schema that a model is shown.
fn parameters(schema: Option<&RawValue>, max_bytes: usize) -> &RawValue {
    schema.filter(|_| is_usable(schema, max_bytes)).unwrap_or_else(|| any_object())
}

fn compile(schema: &Value) -> ArgumentCheck {
    ArgumentCheck::compile(Some(&raw(schema.to_string())), MAX)
}

fn says(check: &ArgumentCheck, arguments: &Value) -> String {
    check.check(Some(&raw(arguments.to_string()))).err().unwrap_or_default()
}

/// That there is nothing behind it but the question whether the arguments are an object.
fn assert_only_an_object_is_wanted(check: &ArgumentCheck) {
    assert!(check.compiled.is_none(), "it was compiled");
    assert_eq!(check.check(None), Ok(()));
    assert_eq!(says(check, &json!({"any": ["thing"]})), "");
    assert_eq!(says(check, &json!([])), "the arguments must be an object, not an array");
}

/// Shows: S1-74, C25.
#[test]
fn a_schema_for_an_object_is_shown_verbatim() {
    for schema in [
        r#"{ "type" : "object",  "x-odd": 1.50, "properties": {} }"#,
        r#"{"properties":{"a":{"$ref":"https://example.com/a"}}}"#,
        "{}",
        r#"{"\u0074ype":"\u006fbject"}"#,
    ] {
        assert_eq!(parameters(Some(&raw(schema)), MAX).get(), schema);
    }
}

/// Shows: S1-74, C25.
#[test]
fn anything_else_is_shown_as_any_object() {
    let fallback = r#"{"type":"object","additionalProperties":true}"#;
    assert_eq!(parameters(None, MAX).get(), fallback);
    for schema in [
        "null",
        "true",
        "[]",
        "[null]",
        "\"object\"",
        "7",
        r#"{"type":"string"}"#,
        r#"{"type":["object"]}"#,
        r#"{"type":7}"#,
        r#"{"type":"object","type":"object"}"#,
    ] {
        let schema = raw(schema);
        assert_eq!(parameters(Some(&schema), MAX).get(), fallback, "{schema}");
        assert_only_an_object_is_wanted(&ArgumentCheck::compile(Some(&schema), MAX));
    }
}

/// Shows: S1-75, C25.
#[test]
fn a_schema_beyond_the_limit_is_neither_shown_nor_used() {
    let schema = raw(r#"{"type":"object","required":["a"]}"#);
    let bytes = schema.get().len();
    assert_eq!(parameters(Some(&schema), bytes).get(), schema.get());
    assert_eq!(parameters(Some(&schema), bytes - 1).get(), ANYTHING);
    assert!(ArgumentCheck::compile(Some(&schema), bytes).check(None).is_err());
    assert_only_an_object_is_wanted(&ArgumentCheck::compile(Some(&schema), bytes - 1));
}

#[test]
fn arguments_are_checked_and_the_sentence_names_the_place() {
    let check = compile(&json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "mode": {"enum": ["r", "w"]},
            "filter": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "additionalProperties": false,
            },
            "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        },
        "required": ["path"],
    }));
    for good in [
        json!({"path": "a"}),
        json!({"path": "a", "mode": "w", "filter": {"name": "x"}, "lines": [1, 2], "more": 1}),
    ] {
        assert_eq!(says(&check, &good), "");
    }
    for (bad, sentence) in [
        (json!({}), r#""path" is a required property"#),
        (json!({"path": 3}), r#"`path`: 3 is not of type "string""#),
        (json!({"path": ""}), r#"`path`: "" is shorter than 1 character"#),
        (json!({"path": "a", "mode": "x"}), r#"`mode`: "x" is not one of "r" or "w""#),
        (
            json!({"path": "a", "filter": {"name": 3}}),
            r#"`filter.name`: 3 is not of type "string""#,
        ),
        (
            json!({"path": "a", "filter": {"nam": "x"}}),
            "`filter`: Additional properties are not allowed ('nam' was unexpected)",
        ),
        (json!({"path": "a", "lines": [1, 0]}), "`lines[1]`: 0 is less than the minimum of 1"),
    ] {
        assert_eq!(says(&check, &bad), sentence);
    }
    assert_eq!(check.check(None).unwrap_err(), r#""path" is a required property"#);
}

#[test]
fn the_first_three_of_several_flaws_are_told() {
    let names = ["a", "b", "c", "d", "e"];
    let check = compile(&json!({"required": names, "type": "object"}));
    assert_eq!(
        says(&check, &json!({"e": 1})),
        r#""a" is a required property; "b" is a required property; "c" is a required property"#
    );
}

#[test]
fn a_sentence_is_short_whatever_is_wrong() {
    let flawed = json!({"enum": ["y".repeat(5000)]});
    let check = compile(&json!({"properties": {"a": flawed, "b": flawed, "c": flawed}}));
    for value in [json!("x"), json!({"\u{202e}": "x".repeat(5000)})] {
        for arguments in [json!({"a": value}), json!({"a": value, "b": value, "c": value, "d": 1})]
        {
            let told = says(&check, &arguments);
            assert!(told.ends_with('…'), "{told}");
            assert!(told.chars().count() <= 300, "{}", told.chars().count());
        }
    }
}

/// Half a secret is not known to be one: what does not fit is not quoted at all.
/// Shows: S1-85.
#[test]
fn what_is_quoted_is_quoted_whole_or_not_at_all() {
    let text = json!({"type": "string"});
    let check = compile(&json!({
        "properties": {
            "a": text,
            "b": text,
            "c": text,
            "list": {"items": text},
            "not": {"not": {"enum": ["y".repeat(290), ["xxxxxxxx"]]}},
            "open": {"additionalProperties": text},
            "closed": {"properties": {"z": true}, "additionalProperties": false},
            "named": {"propertyNames": {"maxLength": 3}},
        },
    }));
    assert_eq!(
        says(&check, &json!({"a": ["\u{202e}x"]})),
        r#"`a`: ["\u{202e}x"] is not of type "string""#
    );
    for length in [8, 20, 60, 90, 200, 240, 280, 400, 5000] {
        let long = "x".repeat(length);
        let value = json!([long]);
        for arguments in [
            json!({"a": value}),
            json!({"a": value, "b": value, "c": value}),
            json!({"list": [value, {"z": value}]}),
            json!({"not": ["xxxxxxxx"], "a": value}),
            json!({"open": {long.as_str(): 1}}),
            json!({"closed": {long.as_str(): 1}}),
            json!({"closed": {long.as_str(): 1}, "a": value, "b": value}),
            json!({"named": {long.as_str(): 1}}),
        ] {
            let told = says(&check, &arguments);
            assert!(!told.is_empty(), "{arguments}");
            let runs = told.split(|c| c != 'x').filter(|run| !run.is_empty());
            for run in runs.filter(|run| run.len() > 1) {
                assert!(run.len() == length || run.len() == 8, "{length}: {told}");
            }
        }
    }
    let long = json!({"a": ["x".repeat(400)], "closed": {"x".repeat(400): 1}});
    let told = says(&check, &long);
    assert_eq!(
        told,
        r#"`a`: the value is not of type "string"; `closed`: it has properties that are not allowed"#
    );
}

/// Shows: S1-85, S3-31, S3-44.
#[test]
fn a_value_that_is_secret_is_never_quoted() {
    let check = compile(&json!({
        "properties": {
            "pin": {"type": "string", "writeOnly": true},
            "word": {"type": "string", "format": "password"},
            "deep": {"items": {"$ref": "#/$defs/inner"}},
            "password": {"type": "string"},
            "line": {"maxLength": 3},
            "count": {"type": "integer"},
        },
        "maxProperties": 2,
        "$defs": {"inner": {"properties": {"key": {"x-secret": true, "minLength": 20}}}},
    }));
    for (bad, sentence) in [
        (json!({"pin": ["s3cr3t"]}), r#"`pin`: the value is not of type "string""#),
        (json!({"word": 53}), r#"`word`: the value is not of type "string""#),
        (
            json!({"deep": [{"key": "s3cr3t"}]}),
            "`deep[0].key`: the value is shorter than 20 characters",
        ),
        (json!({"password": {"a": 53}}), r#"`password`: the value is not of type "string""#),
        (json!({"line": "--token s3cr3t"}), "`line`: the value is longer than 3 characters"),
        (json!({"count": {"pin": "x"}}), r#"`count`: {"pin":"x"} is not of type "integer""#),
        (json!({"pin": "s3cr3t", "a": 1, "b": 2}), "the value has more than 2 properties"),
        (json!({"c": 0, "a": 1, "b": 2}), r#"{"c":0,"a":1,"b":2} has more than 2 properties"#),
    ] {
        assert_eq!(says(&check, &bad), sentence);
    }
}

#[test]
fn each_draft_is_read_by_its_own_rules() {
    let tuple = |draft: &str, keyword: &str| {
        compile(&json!({
            "$schema": draft,
            "$id": "https://example.com/tool.json",
            "type": "object",
            "properties": {"pair": {"$ref": "#/$defs/pair"}},
            "$defs": {"pair": {"type": "array", keyword: [{"type": "string"}]}},
        }))
    };
    let (draft_7, latest) =
        ("http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema");
    for check in [tuple(draft_7, "items"), tuple(latest, "prefixItems")] {
        assert_eq!(says(&check, &json!({"pair": ["x"]})), "");
        assert_eq!(says(&check, &json!({"pair": [1]})), r#"`pair[0]`: 1 is not of type "string""#);
    }
    assert_only_an_object_is_wanted(&tuple(latest, "items"));
    assert_only_an_object_is_wanted(&tuple("https://example.com/rules", "items"));
}

#[test]
fn arguments_that_are_no_object_are_refused_by_every_check() {
    for check in [compile(&json!({})), ArgumentCheck::compile(None, MAX)] {
        for (arguments, kind) in [
            ("null", "null"),
            ("[1]", "an array"),
            ("\"{}\"", "a string"),
            ("false", "a boolean"),
            ("-3", "a number"),
        ] {
            let told = check.check(Some(&raw(arguments))).unwrap_err();
            assert_eq!(told, format!("the arguments must be an object, not {kind}"));
        }
        assert_eq!(check.check(Some(&raw(" {} "))), Ok(()));
    }
}

#[test]
fn formats_are_left_to_the_server() {
    for draft in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/schema"] {
        let check = compile(&json!({"$schema": draft, "properties": {"to": {"format": "email"}}}));
        assert!(check.compiled.is_some());
        assert_eq!(says(&check, &json!({"to": "nobody"})), "");
    }
}
