//! Edits change what they name and nothing else.

use super::*;

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap()
}

fn object(json: &str) -> RawObject<'_> {
    RawObject::parse(raw(json)).unwrap()
}

fn text(payload: &impl Payload) -> String {
    let mut out = Vec::new();
    payload.write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn without_edits_every_byte_stays() {
    let json = "{ \"b\" : 1.0,\n \"a\":[ ] }";
    assert_eq!(text(&ObjectSplice::of(&object(json))), json);
}

#[test]
fn a_member_is_replaced_where_it_stands() {
    let params = object(r#"{"x":1e2,"n\u0061me":"files__read","arguments":{"a": 1.0}}"#);
    let mut splice = ObjectSplice::of(&params);
    splice.set("name", SpliceValue::text("read \"it\""));
    assert_eq!(text(&splice), r#"{"x":1e2,"n\u0061me":"read \"it\"","arguments":{"a": 1.0}}"#);
}

#[test]
fn new_members_come_last_in_the_order_they_were_set() {
    let base = object(r#"{"a":1}"#);
    let mut splice = ObjectSplice::of(&base);
    splice
        .set("c", SpliceValue::Raw(raw("[1.0]")))
        .set("b", SpliceValue::number(2))
        .set("c", SpliceValue::number(3));
    assert_eq!(text(&splice), r#"{"a":1,"c":3,"b":2}"#);
}

#[test]
fn members_are_taken_out_wherever_they_stand() {
    for (json, expected) in [
        (r#"{"x":1,"a":2}"#, r#"{"a":2}"#),
        (r#"{"a":2,"x":1}"#, r#"{"a":2}"#),
        (r#"{"x":1}"#, "{}"),
        (r#"{"a":2}"#, r#"{"a":2}"#),
    ] {
        let base = object(json);
        let mut splice = ObjectSplice::of(&base);
        splice.remove("x");
        assert_eq!(text(&splice), expected);
    }
}

#[test]
fn an_object_inside_is_edited_in_place() {
    let params = object(r#"{"_meta":{"k":1.0,"progressToken":"theirs"},"name":"a"}"#);
    let mut splice = ObjectSplice::of(&params);
    splice.within("_meta").unwrap().set("progressToken", SpliceValue::number(7));
    splice.within("_meta").unwrap().set("traceparent", SpliceValue::text("00-1-2-01"));
    assert_eq!(
        text(&splice),
        r#"{"_meta":{"k":1.0,"progressToken":7,"traceparent":"00-1-2-01"},"name":"a"}"#
    );
}

#[test]
fn an_object_inside_is_made_where_there_is_none() {
    for json in [r#"{"a":1}"#, r#"{"a":1,"_meta":null}"#] {
        let base = object(json);
        let mut splice = ObjectSplice::of(&base);
        splice.within("_meta").unwrap().set("k", SpliceValue::number(1));
        assert_eq!(text(&splice), r#"{"a":1,"_meta":{"k":1}}"#);
    }
    let mut fresh = ObjectSplice::new();
    fresh.within("_meta").unwrap().set("k", SpliceValue::number(1));
    assert_eq!(text(&fresh), r#"{"_meta":{"k":1}}"#);
    assert_eq!(text(&ObjectSplice::new()), "{}");
}

#[test]
fn what_is_no_object_is_not_edited_as_one() {
    let base = object(r#"{"_meta":[1]}"#);
    let mut splice = ObjectSplice::of(&base);
    assert_eq!(splice.within("_meta").unwrap_err(), ObjectError::NotAnObject);
    assert_eq!(text(&splice), r#"{"_meta":[1]}"#, "and it is left as it was");
}

#[test]
fn the_edited_object_can_be_kept() {
    let base = object(r#"{"a":1.0}"#);
    let mut splice = ObjectSplice::of(&base);
    splice.set("b", SpliceValue::Owned(raw("[ ]").to_owned()));
    assert_eq!(splice.to_raw().unwrap().get(), r#"{"a":1.0,"b":[ ]}"#);
}

#[test]
fn its_usual_length_is_what_is_written_where_nothing_is_replaced() {
    let (full, bare) = (object(r#"{"a":1,"b":[1.0]}"#), object("{}"));
    for base in [Some(&full), Some(&bare), None] {
        let mut splice = base.map_or_else(ObjectSplice::new, ObjectSplice::of);
        assert_eq!(splice.usual_length(), text(&splice).len());
        splice.set("c", SpliceValue::text("plain")).set("d", SpliceValue::number(1_234));
        assert_eq!(splice.usual_length(), text(&splice).len());
        splice.within("e").unwrap().set("f", SpliceValue::Raw(raw("null")));
        splice.remove("g");
        assert_eq!(splice.usual_length(), text(&splice).len());
    }
}
