//! The official Rust SDK as the other side: its server through a connection of ours, and its client
//! at the test kit's own servers, so that the kit is held by somebody else's reading too.

use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, DuplexStream};
use toolgate_testkit::foreign::{self, Client, Eras};
use toolgate_testkit::{Script, everything};
use toolgate_upstream::{ConnectError, PageLimits, RequestError, UpstreamConnection};
use toolgate_wire::{Era, ErrorCode, ListMethod, ProtocolRevision, RawObject};

use crate::{Bench, GRACE, call, call_with, peer_path, request, within};

async fn over_pipe(bench: &Bench, pipe: DuplexStream) -> Result<UpstreamConnection, ConnectError> {
    within(bench.opening(async |opening| opening.over_pipe(pipe).await)).await
}

async fn names(connection: &UpstreamConnection, kind: ListMethod) -> Vec<String> {
    let listed = within(connection.list(kind, PageLimits::default())).await.unwrap();
    assert!(listed.set_aside.is_empty() && listed.cut.is_none(), "{listed:?}");
    listed.items.into_iter().map(|(name, _)| name).collect()
}

async fn asked(connection: &UpstreamConnection, method: &str, params: Value) -> Value {
    let params = serde_json::value::to_raw_value(&params).unwrap();
    let params = RawObject::parse(&params).unwrap();
    let result = within(request(connection, method, Some(&params))).await.unwrap();
    serde_json::from_str(result.get()).unwrap()
}

async fn called(connection: &UpstreamConnection, tool: &str, arguments: &str) -> Value {
    let result = within(call_with(connection, tool, arguments)).await.unwrap();
    serde_json::from_str(result.get()).unwrap()
}

/// Every list, and one of each kind of answer.
async fn tour(connection: &UpstreamConnection) {
    assert_eq!(names(connection, ListMethod::Tools).await, ["say", "sum", "fail", "wait"]);
    assert_eq!(names(connection, ListMethod::Resources).await, ["note://one"]);
    assert_eq!(names(connection, ListMethod::Prompts).await, ["greet"]);
    let said = called(connection, "say", r#"{"text":"a \"b\" ü"}"#).await;
    assert_eq!(said["content"][0]["text"], "a \"b\" ü");
    let sum = called(connection, "sum", r#"{"terms":[1,2,39]}"#).await;
    assert_eq!(sum["structuredContent"], json!({"sum": 42}));
    let failed = called(connection, "fail", "{}").await;
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][0]["text"], "it did not work");
    let refused = within(call(connection, "nothing")).await.unwrap_err();
    let RequestError::Refused(error) = refused else { panic!("{refused}") };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "there is no such tool");
    let read = asked(connection, "resources/read", json!({"uri": "note://one"})).await;
    assert_eq!(read["contents"][0]["text"], "the first note");
    let prompt = asked(connection, "prompts/get", json!({"name": "greet"})).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "Say hello.");
}

/// With and without the modern question first, to a server of both eras and to one of the older.
///
/// The SDK answers the question before there is any handshake, and is then open to either. A server
/// that narrows its revisions refuses it with those it speaks and takes `initialize` on the same
/// pipe.
#[tokio::test]
async fn a_server_of_the_sdk_is_toured_in_either_era() {
    for (eras, known, era) in [
        (Eras::Both, None, Era::Legacy),
        (Eras::Both, Some(ProtocolRevision::NEWEST), Era::Modern),
        (Eras::Both, Some(ProtocolRevision::NEWEST_LEGACY), Era::Legacy),
        (Eras::Legacy, None, Era::Legacy),
        (Eras::Legacy, Some(ProtocolRevision::NEWEST_LEGACY), Era::Legacy),
        // What it spoke the last time may no longer hold.
        (Eras::Legacy, Some(ProtocolRevision::NEWEST), Era::Legacy),
    ] {
        let bench = Bench { known, ..Bench::new() };
        let (pipe, serving) = foreign::serve(eras);
        let connection = over_pipe(&bench, pipe).await.unwrap();
        assert_eq!(connection.handshake().era(), era, "{eras:?}, {known:?}");
        let info = connection.handshake().server_info.as_deref().unwrap();
        assert!(info.get().contains("foreign"), "{info}");
        assert!(connection.handshake().instructions.as_deref().unwrap().starts_with("Say"));
        tour(&connection).await;
        connection.close(GRACE).await;
        assert_eq!(within(serving.ended()).await, "Closed");
    }
}

#[tokio::test]
async fn the_sdk_hears_that_nobody_waits_any_more() {
    for eras in [Eras::Both, Eras::Legacy] {
        let (pipe, serving) = foreign::serve(eras);
        let connection = over_pipe(&Bench::new(), pipe).await.unwrap();
        tokio::select! {
            _ = call(&connection, "wait") => panic!("there is no answer"),
            () = within(serving.noted("waiting")) => {}
        }
        within(serving.noted("cancelled")).await;
        let said = called(&connection, "say", r#"{"text":"still here"}"#).await;
        assert_eq!(said["content"][0]["text"], "still here");
        connection.close(GRACE).await;
        assert_eq!(within(serving.ended()).await, "Closed");
    }
}

#[tokio::test]
async fn a_process_made_with_the_sdk_is_toured_in_either_era() {
    for (mode, era) in [("both", Era::Legacy), ("legacy", Era::Legacy)] {
        let bench = Bench::command(peer_path().to_str().unwrap(), &["foreign", mode]);
        let connection = within(bench.open()).await.unwrap();
        assert_eq!(connection.handshake().era(), era);
        tour(&connection).await;
        within(connection.close(GRACE)).await;
        assert_eq!(connection.stderr_tail(), None);
    }
}

/// What ends a server of this SDK is a first message that is no request; the modern question is one.
/// Its versions before 3 end at that too, which a script stands in for in `processes`. A pipe cannot
/// be started again as a process can: whoever serves it gives a new one.
#[tokio::test]
async fn the_sdk_ends_at_a_first_message_that_is_no_request() {
    let (mut pipe, serving) = foreign::serve(Eras::Both);
    let first = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    pipe.write_all(format!("{first}\n").as_bytes()).await.unwrap();
    let reason = within(serving.ended()).await;
    assert!(reason.starts_with("expect initialized request"), "{reason}");
    let failed = over_pipe(&Bench::new(), pipe).await.err().unwrap();
    assert!(matches!(failed, ConnectError::Ended { .. }), "{failed}");
}

/// What a client of the SDK sees of the server with everything.
async fn visited(client: Client) {
    let tools = within(client.tools()).await.unwrap();
    assert!(tools.len() >= 25 && tools.iter().any(|tool| tool == "test_simple_text"), "{tools:?}");
    let text = within(client.call("test_simple_text", json!({}))).await.unwrap();
    assert_eq!(text["content"][0]["text"], "This is a simple text response for testing.");
    let mixed = within(client.call("test_multiple_content_types", json!({}))).await.unwrap();
    assert_eq!(mixed["content"][2]["resource"]["uri"], "test://mixed-content-resource");
    let failed = within(client.call("test_error_handling", json!({}))).await.unwrap();
    assert_eq!(failed["isError"], true);
    let refused = within(client.call("no_such_tool", json!({}))).await.unwrap_err();
    assert!(refused.contains("unknown tool"), "{refused}");
    let read = within(client.read("test://static-text")).await.unwrap();
    let expected = "This is the content of the static text resource.";
    assert_eq!(read["contents"][0]["text"], expected);
    let prompt = within(client.prompt("test_simple_prompt")).await.unwrap();
    assert_eq!(prompt["messages"][0]["content"]["type"], "text");
    client.close().await;
}

#[tokio::test]
async fn a_client_of_the_sdk_understands_the_older_server_of_the_kit() {
    let (pipe, peer) = everything::legacy().over_pipe();
    let client = within(Client::legacy(pipe)).await.unwrap();
    assert_eq!(client.version(), "2025-11-25");
    visited(client).await;
    assert_eq!(within(peer.ended()).await, 0);
}

#[tokio::test]
async fn a_client_of_the_sdk_understands_the_modern_server_of_the_kit() {
    let (pipe, peer) = everything::modern().over_pipe();
    let client = within(Client::modern(pipe)).await.unwrap();
    assert_eq!(client.version(), "2026-07-28");
    visited(client).await;
    assert!(!peer.seen().iter().any(|line| line.contains("\"initialize\"")));
}

/// The kit refuses what it does not know as others expect it to.
#[tokio::test]
async fn a_client_of_the_sdk_that_probes_finds_the_era_of_the_kit() {
    for (script, version) in [
        (everything::legacy(), "2025-11-25"),
        (everything::modern(), "2026-07-28"),
        (Script::both(), "2026-07-28"),
    ] {
        let (pipe, _peer) = script.over_pipe();
        let client = within(Client::probing(pipe)).await.unwrap();
        assert_eq!(client.version(), version);
        client.close().await;
    }
}
