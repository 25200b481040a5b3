//! The table, cell by cell.

use serde_json::Value;
use toolgate_types::CorrelationId;

use super::*;

const CODES: [Code; 9] = [
    Code::NotFound,
    Code::InvalidArgument,
    Code::PermissionDenied,
    Code::Unauthenticated,
    Code::Unavailable,
    Code::DeadlineExceeded,
    Code::ResourceExhausted,
    Code::Cancelled,
    Code::Internal,
];

fn answer(code: Code, about: FailureSubject, era: Era) -> Value {
    answer_with(code, about, era, None)
}

fn answer_with(code: Code, about: FailureSubject, era: Era, partial: Option<&str>) -> Value {
    let error = CallError {
        code,
        message: "why".to_owned(),
        correlation: CorrelationId::next(),
        reason: None,
        retry_after: None,
        wants_login: None,
        detail: Some("for the log alone".to_owned()),
        answer: None,
        partial: partial.map(Into::into),
    };
    let bytes = failure(&MessageIdBuf::from_text("id"), &error, about, era).message.whole();
    assert!(!String::from_utf8_lossy(&bytes).contains("for the log alone"));
    serde_json::from_slice(&bytes).unwrap()
}

/// What the wire says: the code of an error, or 0 for a result that says so.
fn said(code: Code, about: FailureSubject, era: Era) -> i64 {
    let answer = answer(code, about, era);
    match answer["error"]["code"].as_i64() {
        Some(number) => {
            assert_eq!(answer["error"]["data"]["code"], code.as_str());
            number
        }
        None => {
            assert_eq!(answer["result"]["isError"], true);
            assert_eq!(answer["result"]["_meta"]["toolgate/code"], code.as_str());
            0
        }
    }
}

fn row(about: FailureSubject, era: Era) -> [i64; 9] {
    CODES.map(|code| said(code, about, era))
}

/// Shows: C19.
#[test]
fn every_kind_of_error_has_one_place_in_the_table() {
    let tool = [-32602, 0, 0, 0, 0, 0, 0, -32603, -32603];
    let other = [-32602, -32602, -32603, -32603, -32603, -32603, -32603, -32603, -32603];
    for era in [Era::Legacy, Era::Modern] {
        assert_eq!(row(FailureSubject::Tool, era), tool, "{era:?}");
        assert_eq!(row(FailureSubject::Other, era), other, "{era:?}");
    }
    assert_eq!(row(FailureSubject::Resource, Era::Modern), other);
    let mut resource = other;
    resource[0] = -32002;
    assert_eq!(row(FailureSubject::Resource, Era::Legacy), resource);
}

#[test]
fn only_the_modern_era_is_told_that_a_failure_is_a_complete_result() {
    let result = |era| answer(Code::Unavailable, FailureSubject::Tool, era)["result"].clone();
    assert_eq!(result(Era::Modern)["resultType"], "complete");
    assert_eq!(result(Era::Legacy).get("resultType"), None);
}

#[test]
fn when_to_try_again_is_told() {
    let error = CallError {
        code: Code::Unavailable,
        message: "not now".to_owned(),
        correlation: CorrelationId::next(),
        reason: None,
        retry_after: Some(std::time::Duration::from_millis(1500)),
        wants_login: None,
        detail: None,
        answer: None,
        partial: None,
    };
    let bytes = failure(&MessageIdBuf::from_text("id"), &error, FailureSubject::Other, Era::Legacy)
        .message
        .whole();
    let answer: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(answer["error"]["data"]["retryAfterMs"], 1500);
}

/// What a model can act upon is what a command said of why it did not start.
#[test]
fn what_a_command_printed_before_it_could_not_go_on_is_read_by_the_model() {
    let said = Some("sh: 1: cmake: not found");
    let failed = answer_with(Code::Internal, FailureSubject::Tool, Era::Legacy, said);
    assert_eq!(failed["result"]["content"][1]["text"], "sh: 1: cmake: not found", "{failed}");
    assert_eq!(failed["result"]["_meta"]["toolgate/code"], "internal");
    let cancelled = answer_with(Code::Cancelled, FailureSubject::Tool, Era::Legacy, said);
    assert_eq!(cancelled["error"]["code"], -32603);
}
