//! The `_meta` that a caller sent along: theirs passes, ours wins.

use toolgate_testkit::Script;
use toolgate_types::Operation;
use toolgate_upstream::{OperationOptions, RequestError};

use crate::{agreeable, calling, connected, parsed, perform, plainly, raw};

/// What a caller may try: every key of the protocol, among some of their own.
const THEIRS: &str = r#"{"x/y":{"n":1.0},"progressToken":1,"traceparent":"00-a-b-01",
    "io.modelcontextprotocol/protocolVersion":"1999-01-01",
    "io.modelcontextprotocol/clientCapabilities":{"sampling":{}},
    "io.modelcontextprotocol/clientInfo":{"name":"them","version":"1"},
    "io.modelcontextprotocol/serverInfo":{},
    "io.modelcontextprotocol/logLevel":"debug",
    "io.modelcontextprotocol/subscriptionId":1,"toolgate/principal":"them","last":[]}"#;

#[tokio::test(start_paused = true)]
async fn their_own_keys_pass_and_those_of_the_protocol_are_ours() {
    let read = || Operation::ReadResource { uri: "file:///a".to_owned() };
    for (script, is_modern) in [(Script::modern(), true), (Script::legacy(), false)] {
        let (connection, peer) = connected(agreeable(script)).await;
        for (operation, has_token) in [(calling("t", ""), true), (read(), false)] {
            let theirs = raw(THEIRS);
            let manner = OperationOptions { meta: Some(&theirs), ..plainly() };
            perform(&connection, operation, manner).await.unwrap();
            let line = peer.seen().pop().unwrap();
            assert!(line.contains(r#""x/y":{"n":1.0}"#), "as it is spelled: {line}");
            let sent = parsed(&line);
            let meta = sent["params"]["_meta"].as_object().unwrap();
            assert_eq!(meta.get("progressToken"), has_token.then_some(&sent["id"]), "{line}");
            let protocol = |key: &str| meta.get(&format!("io.modelcontextprotocol/{key}"));
            let version = protocol("protocolVersion").and_then(|version| version.as_str());
            assert_eq!(version, is_modern.then_some("2026-07-28"));
            assert_eq!(protocol("clientInfo").is_some(), is_modern);
            assert!(!line.contains("them") && !line.contains("sampling"), "{line}");
            assert!(["serverInfo", "logLevel", "subscriptionId"].map(protocol) == [None; 3]);
            let own: Vec<_> = meta.keys().filter(|key| !key.starts_with("io.")).collect();
            let expected = ["x/y", "progressToken", "traceparent", "last"];
            let expected = expected.iter().filter(|key| has_token || **key != "progressToken");
            assert!(own.into_iter().eq(expected), "{line}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_could_take_for_ours_is_not_sent() {
    let (connection, peer) = connected(agreeable(Script::legacy())).await;
    let before = peer.seen().len();
    for theirs in [
        "[]",
        "1",
        r#"{"a":1,"a":2}"#,
        r#"{"ProgressToken":4711}"#,
        r#"{"io.modelcontextprotocol/loglevel":"debug"}"#,
        r#"{"Toolgate/principal":"them"}"#,
    ] {
        let meta = raw(theirs);
        let manner = OperationOptions { meta: Some(&meta), ..plainly() };
        let refused = perform(&connection, calling("t", ""), manner).await.unwrap_err();
        assert!(matches!(refused, RequestError::Unsendable(_)), "{theirs}: {refused:?}");
    }
    assert_eq!(peer.seen().len(), before);
}
