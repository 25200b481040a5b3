//! What a request is about, and that nobody can read another name out of it.

use super::*;
use crate::{Message, MessageLimits};

fn target(method: &str, params: &str) -> Result<Option<(&'static str, String)>, TargetError> {
    let json = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let Message::Request(request) =
        Message::parse(json.as_bytes(), &MessageLimits::DEFAULT).unwrap()
    else {
        panic!("not a request")
    };
    Ok(RequestTarget::of(&request)?.map(|target| (target.field, target.value.into_owned())))
}

#[test]
fn each_method_names_its_target_in_its_own_field() {
    let found = |field, value: &str| Ok(Some((field, value.to_owned())));
    assert_eq!(target("tools/call", r#"{"name":"a\/b"}"#), found("name", "a/b"));
    assert_eq!(target("prompts/get", r#"{"name":"p"}"#), found("name", "p"));
    assert_eq!(target("resources/read", r#"{"uri":"file:///a"}"#), found("uri", "file:///a"));
    assert_eq!(target("tasks/get", r#"{"taskId":"t"}"#), found("taskId", "t"));
    assert_eq!(target("tools/list", "{}"), Ok(None));
}

#[test]
fn a_target_that_is_missing_or_no_text_is_an_error() {
    assert_eq!(target("tools/call", "{}"), Err(TargetError::Missing { field: "name" }));
    assert_eq!(target("tools/call", "null"), Err(TargetError::Missing { field: "name" }));
    assert_eq!(target("tools/call", r#"{"name":1}"#), Err(TargetError::NotText { field: "name" }));
    assert_eq!(
        target("tools/call", r#"{"name":"\ud800"}"#),
        Err(TargetError::NotText { field: "name" })
    );
}

#[test]
fn a_second_name_for_readers_that_ignore_case_is_refused() {
    for (params, key) in [
        (r#"{"name":"safe","Name":"evil"}"#, "Name"),
        (r#"{"name":"a","ARGUMENTS":{}}"#, "ARGUMENTS"),
        (r#"{"name":"a","requeſtState":"x"}"#, "requeſtState"),
        (r#"{"name":"a","_Meta":{}}"#, "_Meta"),
    ] {
        let variant = TargetError::CaseVariant { key: key.to_owned() };
        assert_eq!(target("tools/call", params), Err(variant));
    }
    // Inside the arguments, case is the tool's own.
    assert!(target("tools/call", r#"{"name":"a","arguments":{"x":1,"X":2}}"#).is_ok());
}
