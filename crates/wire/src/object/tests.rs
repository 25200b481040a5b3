//! Objects seen as members whose values stay raw.

use super::*;

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap()
}

#[test]
fn members_keep_order_and_spelling() {
    let object = RawObject::parse(raw(r#"{ "b" : 1.0, "a":{"x": [1e2 ]},"\u0063":"é" }"#)).unwrap();
    let members: Vec<_> =
        object.members().map(|member| (member.key().unwrap(), member.value().get())).collect();
    assert_eq!(
        members,
        [("b".into(), "1.0"), ("a".into(), r#"{"x": [1e2 ]}"#), ("c".into(), "\"é\"")]
    );
    assert_eq!(object.get("c").map(RawValue::get), Some("\"é\""));
    assert_eq!(object.text("c").as_deref(), Some("é"));
    assert_eq!(object.text("b"), None);
    assert!(object.get("d").is_none());
}

#[test]
fn null_counts_as_left_out_where_that_is_asked() {
    let object = RawObject::parse(raw(r#"{"a":null}"#)).unwrap();
    assert_eq!(object.get("a").map(RawValue::get), Some("null"));
    assert!(object.get_some("a").is_none());
}

#[test]
fn other_values_and_repeated_keys_are_no_object() {
    for json in ["[]", "1", "\"{}\"", "null"] {
        assert_eq!(RawObject::parse(raw(json)).unwrap_err(), ObjectError::NotAnObject, "{json}");
    }
    let twice = RawObject::parse(raw(r#"{"a":[{"b":1,"b":2}]}"#)).unwrap_err();
    assert_eq!(twice, ObjectError::Json(JsonError::DuplicateKey { key: "b".into(), at: 14 }));
}

#[test]
fn keys_that_differ_only_in_case_are_found() {
    let variant = |json: &str| {
        RawObject::parse(raw(json)).unwrap().case_variant_of(&["name", "params", "task"])
    };
    assert_eq!(variant(r#"{"name":1,"Name":2}"#).as_deref(), Some("Name"));
    assert_eq!(variant(r#"{"n\u0041me":1}"#).as_deref(), Some("nAme"));
    assert_eq!(variant(r#"{"paramſ":1}"#).as_deref(), Some("paramſ"));
    assert_eq!(variant(r#"{"tasK":1}"#).as_deref(), Some("tasK"));
    assert_eq!(variant(r#"{"name":1,"names":2,"ñame":3}"#), None);
}

#[test]
fn what_is_debugged_shows_no_payload() {
    let object = RawObject::parse(raw(r#"{"password":"hunter2"}"#)).unwrap();
    let shown = format!("{object:?} {:?}", object.members().collect::<Vec<_>>());
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_quick_look_never_misses_a_key_however_it_is_spelled() {
    let may_have = |json: &str| RawObject::may_have(raw(json), "isError");
    for has in [r#"{"isError":true}"#, r#"{"is\u0045rror":true}"#, r#"{"\u0069sError" : 1}"#] {
        assert!(may_have(has), "{has}");
    }
    assert!(!may_have(r#"{"content":[{"type":"text","text":"a line\nand \"more\""}]}"#));
    // Wrong, and costs no more than a closer look.
    assert!(may_have(r#"{"text":"isError"}"#));
}
