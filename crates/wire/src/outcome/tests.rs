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
