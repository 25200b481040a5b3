//! What is only looked at, beside what reading it makes of it.

use serde_json::Value;
use toolgate_wire::MessageId;

use super::*;
use crate::respond::own_words::raw;

fn signed(result: &str) -> Option<Value> {
    let (id, result) = (MessageId::from(7).to_buf(), raw(result.to_owned()));
    let quick = SignedResult::of(&result)?.answer(&id);
    assert_eq!(quick.capacity(), quick.len(), "sent as it is");
    let quick: Value = serde_json::from_slice(&quick).unwrap();
    let read: Value = serde_json::from_slice(&modern(&id, &result, None)).unwrap();
    assert_eq!(quick, read, "{result}");
    Some(quick["result"].clone())
}

#[test]
fn what_is_only_looked_at_becomes_what_reading_it_would_make_of_it() {
    for usual in [
        r#"{"content":[]}"#,
        r#"{ "content" : [ ] , "isError" : false }"#,
        r#"{"resultType":"complete","content":[{"type":"text","text":"a } \" b"}]}"#,
        r#"{"resultType":"complete"}"#,
    ] {
        let result = signed(usual).expect(usual);
        assert_eq!(result["resultType"], "complete", "{usual}");
        assert_eq!(result["_meta"][meta::SERVER_INFO]["name"], "toolgate", "{usual}");
    }
}

#[test]
fn what_may_say_something_of_it_already_is_read() {
    for other in [
        r#"{}"#,
        r#"{ }"#,
        r#"{"content":[],"_meta":{"mine":1}}"#,
        r#"{"content":[],"\u005fmeta":{"mine":1}}"#,
        r#"{"content":[],"resultType":"complete"}"#,
        r#"{"resultType":"input_required","requestState":"s"}"#,
        r#"{"resultType":"complete\u0021"}"#,
        r#"{"content":[{"type":"text","text":"its _meta"}]}"#,
        "null",
        r#""{}""#,
        "[]",
    ] {
        assert_eq!(signed(other), None, "{other}");
    }
}
