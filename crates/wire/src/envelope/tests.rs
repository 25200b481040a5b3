//! Which messages are taken, which are refused and how.

use super::*;
use crate::ProtocolRevision;

fn parse(json: &str) -> Result<Message<'_>, RejectedMessage> {
    Message::parse(json.as_bytes(), &MessageLimits::DEFAULT)
}

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap()
}

fn reason(json: &str) -> RejectReason {
    parse(json).map(drop).unwrap_err().reason
}

fn response(json: &str) -> Response<'_> {
    match parse(json) {
        Ok(Message::Response(response)) => response,
        other => panic!("{json}: {other:?}"),
    }
}

#[test]
fn requests_keep_id_and_params_as_they_came() {
    let json = r#" {"params" : {"b": 1.0 ,"a":[1e2]}, "id":"x\/1","method":"tools\/call","jsonrpc":"2.0"} "#;
    let Ok(Message::Request(request)) = parse(json) else { panic!("{:?}", parse(json)) };
    assert_eq!(request.id.to_string(), r#""x\/1""#);
    assert_eq!(request.method, "tools/call");
    assert_eq!(request.params.unwrap().raw().get(), r#"{"b": 1.0 ,"a":[1e2]}"#);
}

#[test]
fn payloads_are_borrowed_from_the_input() {
    let json = r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#;
    let response = response(json);
    let ResponseOutcome::Result(result) = response.outcome else { panic!("no result") };
    assert!(std::ptr::eq(result.raw().get(), &json[33..40]));
}

#[test]
fn a_message_without_an_id_is_a_notification() {
    for json in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null,"result":null}"#,
    ] {
        assert!(matches!(parse(json), Ok(Message::Notification(note)) if note.params.is_none()));
    }
}

#[test]
fn results_of_any_type_are_taken() {
    for (json, raw) in [
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "{}"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "null"),
        (r#"{"jsonrpc":"2.0","id":1,"result":[1],"error":null}"#, "[1]"),
        (r#"{"jsonrpc":"2.0","id":1,"method":null,"params":null,"result":{}}"#, "{}"),
    ] {
        let ResponseOutcome::Result(result) = response(json).outcome else { panic!("{json}") };
        assert_eq!(result.raw().get(), raw);
    }
}

#[test]
fn errors_are_read_leniently_and_kept_whole() {
    let json =
        r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32603.0,"data":[1.0],"x":1}}"#;
    let ResponseOutcome::Error(error) = response(json).outcome else { panic!("no error") };
    assert_eq!((error.code, &*error.message), (ErrorCode::INTERNAL_ERROR, ""));
    assert_eq!(error.data.map(RawValue::get), Some("[1.0]"));
    assert_eq!(error.raw.get(), r#"{"code":-32603.0,"data":[1.0],"x":1}"#);
    for id in [r#""id":null,"#, ""] {
        let json = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"no"}}}}"#);
        assert!(response(&json).id.is_none());
    }
}

#[test]
fn members_that_json_rpc_does_not_have_are_tolerated() {
    assert!(
        parse(r#"{"jsonrpc":"2.0","id":1,"method":"ping","trace":{"a":1},"_meta":{}}"#).is_ok()
    );
}

#[test]
fn a_message_that_says_two_things_is_refused() {
    let error = r#""error":{"code":1,"message":""}"#;
    for json in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":1,{error}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a",{error}}}"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#.to_owned(),
    ] {
        assert_eq!(reason(&json), RejectReason::Ambiguous, "{json}");
    }
    assert_eq!(reason(r#"{"jsonrpc":"2.0","id":1}"#), RejectReason::Nothing);
    assert_eq!(reason(r#"{"jsonrpc":"2.0","id":1,"error":null}"#), RejectReason::Nothing);
}

#[test]
fn each_member_has_its_type() {
    for (json, expected) in [
        (r#"{"id":1,"method":"a"}"#, RejectReason::Version),
        (r#"{"jsonrpc":2.0,"id":1,"method":"a"}"#, RejectReason::Version),
        (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, RejectReason::Version),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, RejectReason::NullId),
        (r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, RejectReason::IdType),
        (r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#, RejectReason::IdType),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, RejectReason::NoId),
        (r#"{"jsonrpc":"2.0","result":{}}"#, RejectReason::NoId),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, RejectReason::MethodType),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#, RejectReason::ParamsType),
        (r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#, RejectReason::ErrorType),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"E1"}}"#, RejectReason::ErrorType),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}"#, RejectReason::ErrorType),
        ("7", RejectReason::NotAnObject),
        ("[]", RejectReason::Batch),
    ] {
        assert_eq!(reason(json), expected, "{json}");
    }
}

#[test]
fn a_member_in_another_case_is_refused() {
    for key in ["Method", "METHOD", "Id", "Jsonrpc", "PARAMS", "reſult", "paramſ", "\\u0045rror"]
    {
        let json = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","{key}":"x"}}"#);
        assert!(matches!(reason(&json), RejectReason::CaseVariant { .. }), "{key}");
    }
}

#[test]
fn parser_differences_a_key_twice_anywhere_is_refused() {
    for json in [
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":"b"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1,"x":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"y":[{"x":1,"\u0078":2}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","extra":{"x":1,"x":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"data":{"x":1,"x":2}}}"#,
    ] {
        assert!(
            matches!(reason(json), RejectReason::Json(JsonError::DuplicateKey { .. })),
            "{json}"
        );
    }
}

#[test]
fn a_refusal_says_whom_to_answer() {
    let rejected =
        parse(r#"{"jsonrpc":"2.0","id":"q","method":"a","params":{"x":1,"x":2}}"#).unwrap_err();
    assert_eq!(rejected.id.map(|id| id.to_string()).as_deref(), Some("\"q\""));
    assert_eq!(
        (rejected.kind, rejected.reason.code()),
        (Some(MessageKind::Request), ErrorCode::INVALID_REQUEST)
    );
    let rejected = parse(r#"{"jsonrpc":"2.0","id":7,"error":{}}"#).unwrap_err();
    assert_eq!((rejected.kind, rejected.id), (Some(MessageKind::Response), Some(7.into())));
    let rejected = parse(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#).unwrap_err();
    assert_eq!((rejected.kind, rejected.id), (None, None), "which id is meant cannot be told");
    assert_eq!(parse("{").unwrap_err().reason.code(), ErrorCode::PARSE_ERROR);
    assert_eq!(
        Message::parse(b"\xff", &MessageLimits::DEFAULT).unwrap_err().reason,
        RejectReason::NotUtf8
    );
}

#[test]
fn a_flawed_result_still_ends_the_wait_for_it() {
    for (result, wanted) in [
        (r#"{"a":1,"a":2}"#, "twice"),
        (&*format!("{}{}", "[".repeat(300), "]".repeat(300)), "deep"),
    ] {
        let json = format!(r#"{{"jsonrpc":"2.0","result":{result},"id":7}}"#);
        let response = response(&json);
        assert_eq!(response.id.and_then(|id| id.as_u64()), Some(7));
        let ResponseOutcome::Flawed { raw, flaw } = &response.outcome else {
            panic!("{response:?}")
        };
        assert_eq!(raw.get(), result);
        assert!(flaw.to_string().contains(wanted), "{flaw}");
        let mut out = Vec::new();
        assert_eq!(response.write(&mut out, 1.into()), Err(flaw));
        assert!(out.is_empty(), "it is not passed on");
    }
}

#[test]
fn what_a_flawed_result_holds_is_not_taken_for_the_envelope() {
    let deep = format!(r#"{{"id":{}{},"method":1}}"#, "[".repeat(300), "]".repeat(300));
    let json = format!(r#"{{"jsonrpc":"2.0","result":{deep},"id":7,"method":null}}"#);
    assert_eq!(
        response(&json).id.and_then(|id| id.as_u64()),
        Some(7),
        "the keys of both are no duplicates"
    );
}

#[test]
fn size_and_depth_are_bounded() {
    let json = r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":[]}}"#;
    let limits = |bytes, depth| MessageLimits { bytes, depth, ..MessageLimits::DEFAULT };
    let parse = |limits: MessageLimits| Message::parse(json.as_bytes(), &limits).map(drop);
    assert!(parse(limits(json.len(), 3)).is_ok());
    let short = parse(limits(json.len() - 1, 3)).unwrap_err().reason;
    assert_eq!(short, RejectReason::TooLarge { limit: json.len() - 1 });
    let shallow = parse(limits(999, 2)).unwrap_err();
    assert!(matches!(shallow.reason, RejectReason::Json(JsonError::TooDeep { .. })));
    assert_eq!(shallow.id, Some(1.into()));
}

#[test]
fn batches_are_for_one_revision() {
    let json = r#"[{"jsonrpc":"2.0","id":1,"method":"a"},7,{"jsonrpc":"2.0","method":"b"},{"id":1,"id":1}]"#;
    for revision in ProtocolRevision::ALL {
        let read = IncomingMessages::parse(json.as_bytes(), revision, &MessageLimits::DEFAULT);
        if revision != ProtocolRevision::V2025_03_26 {
            assert_eq!(read.map(drop).unwrap_err().reason, RejectReason::Batch, "{revision}");
            continue;
        }
        let Ok(IncomingMessages::Batch(messages)) = read else { panic!("{read:?}") };
        let kinds: Vec<_> =
            messages.iter().map(|message| message.as_ref().map(Message::kind).ok()).collect();
        assert_eq!(
            kinds,
            [Some(MessageKind::Request), None, Some(MessageKind::Notification), None]
        );
    }
}

#[test]
fn a_batch_has_something_in_it_and_not_too_much() {
    let read = |json: &str| {
        let limits = MessageLimits { batch: 2, ..MessageLimits::DEFAULT };
        IncomingMessages::parse(json.as_bytes(), ProtocolRevision::V2025_03_26, &limits).map(drop)
    };
    assert_eq!(read("[]").unwrap_err().reason, RejectReason::EmptyBatch);
    assert!(read("[1,2]").is_ok());
    assert_eq!(read("[1,2,3]").unwrap_err().reason, RejectReason::BatchTooLong { limit: 2 });
    assert!(matches!(
        read("[1,2").unwrap_err().reason,
        RejectReason::Json(JsonError::Syntax { .. })
    ));
    assert!(matches!(
        read("[1] 2").unwrap_err().reason,
        RejectReason::Json(JsonError::Syntax { .. })
    ));
    assert!(read(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#).is_ok(), "one message is no batch");
}

#[test]
fn the_id_of_a_message_that_was_cut_off_is_found() {
    let found = |head: &str| peek_id(head.as_bytes()).map(|id| id.to_string());
    assert_eq!(found(r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"te"#).as_deref(), Some("7"));
    assert_eq!(found(r#"{"id":"x","jsonrpc":"2.0","result":"#).as_deref(), Some("\"x\""));
    assert_eq!(found(r#"{"jsonrpc":"2.0","result":{"content":[{"te"#), None);
    assert_eq!(found(r#"{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"#), None);
    assert_eq!(found(r#"{"jsonrpc":"2.0","id":7,"id":8,"result":{"#), None);
    assert_eq!(found("garbage"), None);
    assert_eq!(
        peek_id(b"{\"id\":3,\"result\":\"\xE4\xB8").map(|id| id.to_string()).as_deref(),
        Some("3")
    );
}

#[test]
fn messages_are_written_around_their_payload() {
    let written = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    };
    let none = None::<&RawValue>;
    assert_eq!(
        written(&|out| write_request(out, 7.into(), "a\"b", Some(raw("{ \"x\":1.0 }")))),
        r#"{"jsonrpc":"2.0","id":7,"method":"a\"b","params":{ "x":1.0 }}"#
    );
    assert_eq!(
        written(&|out| write_notification(out, "a", none)),
        r#"{"jsonrpc":"2.0","method":"a"}"#
    );
    assert_eq!(
        written(&|out| write_result(out, 7.into(), raw("[1e2]"))),
        r#"{"jsonrpc":"2.0","id":7,"result":[1e2]}"#
    );
    let code = ErrorCode::HEADER_MISMATCH;
    assert_eq!(
        written(&|out| write_error(out, Some(7.into()), code, "no\n", Some(raw("1.0")))),
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"no\n","data":1.0}}"#
    );
    assert_eq!(
        written(&|out| write_error(out, None, ErrorCode::PARSE_ERROR, "", none)),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}"#
    );
}

#[test]
fn a_message_with_a_result_is_as_long_as_is_said_before_it_is_written() {
    let ids = ["0", "9", "10", "99", "100", "18446744073709551615", "-1", r#""a\/b""#, r#""""#];
    for (id, result) in ids.into_iter().flat_map(|id| [(id, "{}"), (id, r#"{"a":[1, 2]}"#)]) {
        let (id, result) = (MessageId::from_raw(raw(id)).unwrap(), raw(result));
        let length = result_length(id, result.get().len());
        let mut out = Vec::new();
        write_result(&mut out, id, result);
        assert_eq!(out.len(), length, "{}", String::from_utf8_lossy(&out));
    }
}

#[test]
fn the_meta_of_a_request_is_read_on_the_way_where_it_is_an_object() {
    let with = |params: &str| {
        let json = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        match Message::parse(json.as_bytes(), &MessageLimits::DEFAULT) {
            Ok(Message::Request(request)) => {
                let of_params = request.params.as_ref().and_then(|params| params.get("_meta"));
                assert_eq!(
                    request.meta.as_ref().map(|meta| meta.raw().get()),
                    of_params.map(RawValue::get).filter(|raw| raw.starts_with('{')),
                    "{params}"
                );
                request.meta.map(|meta| meta.get("a").map(|a| a.get().to_owned()))
            }
            other => panic!("{params}: {other:?}"),
        }
    };
    assert_eq!(
        with(r#"{"name":"x","_meta": { "b":{}, "a" : 1 } ,"c":2}"#),
        Some(Some("1".to_owned()))
    );
    assert_eq!(with(r#"{"\u005fmeta":{"a":[]}}"#), Some(Some("[]".to_owned())));
    assert_eq!(with(r#"{"_meta":{}}"#), Some(None));
    for none in [r#"{"_meta":null}"#, r#"{"_meta":[1]}"#, r#"{"inner":{"_meta":{"a":1}}}"#, "{}"] {
        assert_eq!(with(none), None);
    }
    for twice in [r#"{"_meta":{"a":1,"a":2}}"#, r#"{"_meta":{},"_meta":{}}"#] {
        let json = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{twice}}}"#);
        assert!(matches!(reason(&json), RejectReason::Json(_)), "{twice}");
    }
}
