//! Requests that nobody waits for any more, and answers that come anyway.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::task::JoinSet;
use toolgate_testkit::{Act, Script};
use toolgate_upstream::RequestError;

use crate::{Bench, call, calling, connected, parsed, perform, plainly, request, within};

/// Shows: S1-11.
#[tokio::test(start_paused = true)]
async fn dropping_a_request_tells_the_server() {
    for script in [Script::legacy(), Script::modern()] {
        let (connection, peer) = connected(script.on_call("never", [])).await;
        tokio::select! {
            _ = call(&connection, "never") => panic!("there is no answer"),
            _ = peer.received("\"never\"") => {}
        }
        let sent: serde_json::Value = parsed(&peer.received("\"never\"").await);
        let cancelled = parsed(&within(peer.received("notifications/cancelled")).await);
        assert_eq!(cancelled["params"]["requestId"], sent["id"]);
    }
}

/// Shows: S1-79.
#[tokio::test(start_paused = true)]
async fn who_goes_away_cancels_each_operation_that_is_under_way() {
    for script in [Script::legacy(), Script::modern()] {
        let (connection, peer) = connected(script.on_call("never", [])).await;
        let connection = Arc::new(connection);
        let mut run = JoinSet::new();
        for _ in 0..3 {
            let connection = Arc::clone(&connection);
            run.spawn(async move {
                perform(&connection, calling("never", ""), plainly()).await.unwrap();
            });
        }
        let sent = ids(&within(peer.received_times("tools/call", 3)).await, "/id");
        drop(run);
        let told = within(peer.received_times("notifications/cancelled", 3)).await;
        assert_eq!(ids(&told, "/params/requestId"), sent);
        assert!(connection.ended().is_none());
    }
}

/// What stands at this place in each of these messages.
fn ids(messages: &[String], at: &str) -> BTreeSet<u64> {
    messages.iter().map(|line| parsed(line).pointer(at).unwrap().as_u64().unwrap()).collect()
}

/// Shows: S1-11.
#[tokio::test(start_paused = true)]
async fn a_time_out_tells_the_server_too() {
    let bench = Bench::new().answering_within(1_000);
    let (connection, peer) = bench.play(Script::legacy().on_call("never", [])).await;
    call(&connection.unwrap(), "never").await.unwrap_err();
    let sent: serde_json::Value = parsed(&peer.received("\"never\"").await);
    let cancelled = parsed(&within(peer.received("notifications/cancelled")).await);
    assert_eq!(cancelled["params"]["requestId"], sent["id"]);
}

#[tokio::test(start_paused = true)]
async fn an_answered_request_is_not_cancelled() {
    let script = Script::legacy().on_call("hello", [Act::say("hi")]);
    let (connection, peer) = connected(script).await;
    call(&connection, "hello").await.unwrap();
    request(&connection, "ping", None).await.unwrap();
    assert!(!peer.seen().iter().any(|line| line.contains("cancelled")));
}

#[tokio::test(start_paused = true)]
async fn the_handshake_itself_is_never_cancelled() {
    let bench =
        Bench::new().starting_within(1_000).knowing(toolgate_wire::ProtocolRevision::V2025_11_25);
    let (opened, peer) = bench.play(Script::legacy().on("initialize", [])).await;
    assert!(opened.is_err());
    let peer_seen = peer.seen();
    within(peer.ended()).await;
    assert!(!peer_seen.iter().any(|line| line.contains("cancelled")), "{peer_seen:?}");
}

/// Shows: S1-80.
#[tokio::test(start_paused = true)]
async fn an_answer_after_the_cancellation_is_dropped_quietly() {
    let late = [Act::hold("received notifications/cancelled"), Act::say("late"), Act::say("later")];
    let script = Script::legacy().on_call("late", late).on_call("hello", [Act::say("hi")]);
    let bench = Bench::new().answering_within(1_000);
    let (connection, _peer) = bench.play(script).await;
    let connection = connection.unwrap();
    let error = call(&connection, "late").await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)));
    assert!(call(&connection, "hello").await.unwrap().get().contains("hi"));
    assert_eq!(bench.events.all(), [], "nobody is told of it");
}

/// Shows: S1-80.
#[tokio::test(start_paused = true)]
async fn a_second_answer_is_ignored() {
    let twice = [Act::say("one"), Act::say("two")];
    let script = Script::legacy().on_call("twice", twice).on_call("hello", [Act::say("hi")]);
    let (connection, _peer) = connected(script).await;
    assert!(call(&connection, "twice").await.unwrap().get().contains("one"));
    assert!(call(&connection, "hello").await.unwrap().get().contains("hi"));
    assert!(connection.ended().is_none());
}

/// A caller who gives up in the middle of a long line must not leave half of it behind.
#[tokio::test(start_paused = true)]
async fn giving_up_while_a_message_is_being_written_harms_no_other() {
    let (pipe, mut theirs) = tokio::io::duplex(1024);
    let bench =
        Bench::new().answering_within(1_000).knowing(toolgate_wire::ProtocolRevision::V2025_11_25);
    let serving = async {
        let (reader, mut writer) = tokio::io::split(&mut theirs);
        let mut lines = BufReader::new(reader).lines();
        lines.next_line().await.unwrap().unwrap();
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#;
        writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        lines.next_line().await.unwrap().unwrap();
    };
    let opening = bench.opening(async |opening| opening.over_pipe(pipe).await);
    let (connection, ()) = tokio::join!(opening, serving);
    let connection = connection.unwrap();
    let long = format!(r#"{{"long":"{}"}}"#, "x".repeat(100_000));
    crate::call_with(&connection, "unread", &long).await.unwrap_err();
    // From here on the server reads again.
    let reading = async {
        let mut lines = BufReader::new(&mut theirs).lines();
        let mut whole = Vec::new();
        while whole.len() < 3 {
            whole.push(parsed(&lines.next_line().await.unwrap().unwrap()));
        }
        whole
    };
    let (messages, _) = within(async { tokio::join!(reading, call(&connection, "next")) }).await;
    assert_eq!(messages[0]["params"]["name"], "unread");
    let rest: Vec<_> = messages[1..].iter().map(|message| message["method"].clone()).collect();
    assert!(
        rest.contains(&"notifications/cancelled".into()) && rest.contains(&"tools/call".into())
    );
}
