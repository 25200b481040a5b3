//! Results told apart by the few members that steer the exchange.

use super::*;

fn kind(json: &str) -> Result<ResultKind<'_>, ResultError> {
    ResultKind::of_object(&RawObject::parse(serde_json::from_str(json).unwrap()).unwrap())
}

#[test]
fn a_result_is_complete_unless_it_says_otherwise() {
    for (json, failed) in [
        ("{}", false),
        (r#"{"resultType":"complete","isError":false}"#, false),
        (r#"{"resultType":null,"isError":null}"#, false),
        (r#"{"content":[],"isError":true}"#, true),
    ] {
        assert!(
            matches!(kind(json), Ok(ResultKind::Complete { is_error }) if is_error == failed),
            "{json}"
        );
    }
}

#[test]
fn a_result_that_is_no_object_is_complete() {
    let raw = serde_json::from_str("null").unwrap();
    assert!(matches!(
        ResultKind::of(&ResultValue::Other(raw)),
        Ok(ResultKind::Complete { is_error: false })
    ));
}

#[test]
fn required_input_is_handed_on_raw() {
    let json = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"x","n":1.0}},"requestState":"s\/1"}"#;
    let Ok(ResultKind::InputRequired { requests: Some(requests), state: Some(state) }) = kind(json)
    else {
        panic!("{:?}", kind(json))
    };
    assert_eq!(requests.get("a").map(RawValue::get), Some(r#"{"method":"x","n":1.0}"#));
    assert_eq!(state.get(), r#""s\/1""#);
}

#[test]
fn what_cannot_be_followed_is_an_error() {
    let error = |json: &str| kind(json).map(drop).unwrap_err();
    assert_eq!(error(r#"{"resultType":1}"#), ResultError::TypeOfType);
    assert_eq!(error(r#"{"resultType":"input_required"}"#), ResultError::NothingAsked);
    assert_eq!(
        error(r#"{"resultType":"input_required","inputRequests":[]}"#),
        ResultError::Requests
    );
    assert_eq!(error(r#"{"resultType":"input_required","requestState":1}"#), ResultError::State);
}

#[test]
fn a_kind_we_do_not_know_keeps_its_name() {
    assert!(
        matches!(kind(r#"{"resultType":"task"}"#), Ok(ResultKind::Other(name)) if name == "task")
    );
}

#[test]
fn a_glance_is_wrong_only_on_the_side_of_reading_it() {
    for (text, begins_complete, is_complete, may_be_error) in [
        (r#"{"content":[]}"#, false, true, false),
        (r#"{"content":[],"isError":false}"#, false, true, false),
        (r#"{"resultType":"complete","content":[],"isError":false}"#, true, true, false),
        (r#"{"resultType":"complete","isError":true}"#, true, true, true),
        (r#"{"isError":false,"structuredContent":{"ok":true}}"#, false, true, true),
        (r#"{"\u0069sError":true}"#, false, false, true),
        (r#"{"resultType":"input_required","requestState":"s"}"#, false, false, false),
        (r#"{"resultType":"completely"}"#, false, false, false),
        (r#"{"result\u0054ype":"task"}"#, false, false, false),
        (r#"{"content":[],"resultType":"complete"}"#, false, false, false),
        ("null", false, true, false),
    ] {
        let raw: &RawValue = serde_json::from_str(text).unwrap();
        let glance = ResultGlance::at(raw);
        assert_eq!(glance.begins_complete(), begins_complete, "{text}");
        assert_eq!(glance.is_complete(), is_complete, "{text}");
        assert_eq!(glance.may_be_error(), may_be_error, "{text}");
        // What it says for certain is what reading it says.
        let Ok(object) = RawObject::parse(raw) else { continue };
        match ResultKind::of_object(&object) {
            Ok(ResultKind::Complete { is_error }) => assert!(!is_error || may_be_error, "{text}"),
            _ => assert!(!is_complete, "{text}"),
        }
    }
}
