//! Lines as clients and daemons write them, and as nobody should.

use super::*;

fn at(line: &str) -> MessageGlance {
    MessageGlance::at(line.as_bytes())
}

fn request(id: u64, about: RelayedMessageKind) -> MessageGlance {
    MessageGlance::Request { id: id.into(), about }
}

#[test]
fn messages_are_told_apart_in_any_order_of_their_members() {
    let requests = [
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":9}}"#,
        r#"{"method":"tools/call","params":{"id":9,"method":"x"},"jsonrpc":"2.0","id":7}"#,
        "  {\"params\" : {\"result\":1},\t\"id\":7.0, \"method\" :\"tools\\/call\"}\r\n",
        r#"{"id":7,"method":"tools/call","params":"never looked at, "#,
    ];
    for line in requests {
        assert_eq!(at(line), request(7, RelayedMessageKind::Anything), "{line}");
    }
    let responses = [
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]}}"#,
        r#"{"result":{"id":3,"method":"x"},"id":7}"#,
        r#"{"id":7,"error":{"code":1,"message":"x"}}"#,
        r#"{"id":7,"method":null,"result":{}}"#,
    ];
    for line in responses {
        assert_eq!(at(line), MessageGlance::Response(7.into()), "{line}");
    }
    let note = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":1}}"#;
    assert_eq!(at(note), MessageGlance::Notification(RelayedMessageKind::Anything));
}

#[test]
fn ids_are_what_they_mean() {
    let text = at(r#"{"id":"7","method":"ping"}"#);
    assert_eq!(
        text,
        MessageGlance::Request {
            id: MessageIdBuf::from_text("7"),
            about: RelayedMessageKind::Anything
        }
    );
    assert_ne!(text, at(r#"{"id":7,"method":"ping"}"#));
    assert_eq!(
        at(r#"{"id":null,"method":"ping"}"#),
        MessageGlance::Notification(RelayedMessageKind::Anything)
    );
}

#[test]
fn the_few_that_are_remembered_are_known() {
    assert_eq!(at(r#"{"id":1,"method":"initialize"}"#), request(1, RelayedMessageKind::Initialize));
    assert_eq!(
        at(r#"{"id":1,"method":"server/discover"}"#),
        request(1, RelayedMessageKind::Discover)
    );
    let initialized = at(r#"{"method":"notifications/initialized"}"#);
    assert_eq!(initialized, MessageGlance::Notification(RelayedMessageKind::Initialized));
    let cancelled = [
        r#"{"method":"notifications/cancelled","params":{"reason":"x","requestId":5}}"#,
        r#"{"params":{"requestId":5},"method":"notifications/cancelled"}"#,
    ];
    for line in cancelled {
        assert_eq!(
            at(line),
            MessageGlance::Notification(RelayedMessageKind::Cancelled(Some(5.into()))),
            "{line}"
        );
    }
    let nothing = r#"{"method":"notifications/cancelled","params":{"requestId":{}}}"#;
    assert_eq!(at(nothing), MessageGlance::Notification(RelayedMessageKind::Cancelled(None)));
}

#[test]
fn all_of_a_batch_is_seen() {
    let line = r#"[{"id":1,"result":{}},{"method":"x","id":2},3,null,"a",[{"id":4,"method":"y"}],
        {"id":5,"method":"initialize"}]"#;
    let MessageGlance::Batch(messages) = at(line) else { panic!("{line}") };
    let expected = [
        MessageGlance::Response(1.into()),
        request(2, RelayedMessageKind::Anything),
        MessageGlance::Other,
        MessageGlance::Other,
        MessageGlance::Other,
        MessageGlance::Other,
        request(5, RelayedMessageKind::Initialize),
    ];
    assert_eq!(messages, expected);
    let ids: Vec<_> = at(line).requests().into_iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(ids, ["2", "5"]);
    assert!(at(line).is_or_has_request() && !at("[]").is_or_has_request());
}

#[test]
fn what_is_no_message_is_nothing_in_particular() {
    let deep = "[".repeat(100_000);
    for line in ["", "\n", "hello", "{", "7", r#"{"id":7}"#, r#"{"id":[7],"method":7}"#, &deep] {
        assert_eq!(at(line), MessageGlance::Other, "{}", &line[..line.len().min(20)]);
    }
    assert_eq!(MessageGlance::at(b"\xFF\xFE{}"), MessageGlance::Other);
}
