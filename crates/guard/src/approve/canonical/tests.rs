//! What is the same and what is not.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn hash(json: &str) -> Result<[u8; 32], AmbiguousJson> {
    let mut into = Sha256::new();
    value(json, &mut into, 0)?;
    Ok(into.finalize().into())
}

#[test]
fn the_same_in_another_spelling_is_the_same() {
    let same = [
        (r#"{"a":1,"b":[true,null]}"#, "{ \"b\" : [ true , null ],\n \"a\": 1.0 }"),
        (r#"{"a":"\u0041\n"}"#, "{\"a\":\"A\\u000a\"}"),
        ("[100, -0, 0.5, 12e3]", "[1e2,0.0,5E-1,12000.000]"),
        ("123456789012345678901234567890", "123456789012345678901234567890.0"),
        ("1e-400", "0.1e-399"),
    ];
    for (one, other) in same {
        assert_eq!(hash(one), hash(other), "{one} {other}");
    }
}

#[test]
fn what_means_something_else_is_not() {
    let all = [
        "null",
        "true",
        "false",
        "\"null\"",
        "0",
        "1",
        "-1",
        "\"1\"",
        "10",
        "[]",
        "{}",
        "[[]]",
        "[[],[]]",
        "[1,2]",
        "[2,1]",
        "[12]",
        r#"{"a":1}"#,
        r#"{"a":"1"}"#,
        r#"{"A":1}"#,
        r#"{"a":{"b":1}}"#,
        r#"{"a":{},"b":1}"#,
        r#"["a",1]"#,
        "0.1",
        "0.10000000000000001",
        "1e999999999999999999999",
        "1e999999999999999999998",
        "\"\"",
        "[\"\",\"\"]",
        "[\"\\\"\"]",
    ];
    let hashes: std::collections::HashSet<_> = all.iter().map(|json| hash(json).unwrap()).collect();
    assert_eq!(hashes.len(), all.len());
}

#[test]
fn what_can_be_read_in_two_ways_has_no_hash() {
    assert_eq!(hash(r#"{"a":1,"a":1}"#), Err(AmbiguousJson::Twice("a".to_owned())));
    assert_eq!(
        hash(r#"[{"x":{"\u0061":1,"b":2,"a":1}}]"#),
        Err(AmbiguousJson::Twice("a".to_owned()))
    );
    assert_eq!(hash(r#"{"a":"\ud800"}"#), Err(AmbiguousJson::Unreadable));
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    assert!(matches!(hash(&deep), Err(AmbiguousJson::TooDeep | AmbiguousJson::Unreadable)));
}

proptest! {
    /// Written anew by another program, JSON keeps its hash.
    #[test]
    fn any_json_written_anew_is_the_same(text in "[ -~é\u{202e}]{0,12}", n: i64, f: f64, b: bool) {
        let number = Value::from(if f.is_finite() { f } else { 0.0 });
        let json = serde_json::json!({ "z": [n, number, b], text.clone(): { "k": text } });
        let (tight, loose) = (json.to_string(), serde_json::to_string_pretty(&json).unwrap());
        prop_assert_eq!(hash(&tight), hash(&loose));
    }
}
