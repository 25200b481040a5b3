//! Which era and revision a server is spoken to in, and what it is told of us.

use std::sync::Arc;
use toolgate_testkit::{Act, Answering, Script};
use toolgate_types::QuestionKind;
use toolgate_types::config::Isolation;
use toolgate_upstream::ConnectError;
use toolgate_wire::{Era, ProtocolRevision};

use crate::{Bench, call, connected, within};

/// Shows: S1-8, S1-63, S1-66, S4-9.
#[tokio::test(start_paused = true)]
async fn a_server_of_the_older_era_is_initialised_once() {
    let script = Script::legacy().on_call("hello", [Act::say("hi")]);
    let (connection, peer) = connected(script).await;
    assert_eq!(connection.handshake().revision, ProtocolRevision::V2025_11_25);
    assert_eq!(connection.handshake().era(), Era::Legacy);
    call(&connection, "hello").await.unwrap();
    let initialize = peer.received("\"initialize\"").await;
    assert!(initialize.contains(r#""protocolVersion":"2025-11-25""#), "{initialize}");
    let fewest = r#""capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}},"#;
    assert!(initialize.contains(fewest), "what is relayed and no more: {initialize}");
    let version = env!("CARGO_PKG_VERSION");
    let ourselves = format!(r#""clientInfo":{{"name":"toolgate","version":"{version}"}}"#);
    assert!(initialize.contains(&ourselves), "{initialize}");
    let methods: Vec<_> = peer.seen().iter().map(|line| method_of(line)).collect();
    let expected = ["initialize", "notifications/initialized", "tools/call"];
    assert_eq!(methods, expected);
}

/// Shows: S1-64.
#[tokio::test(start_paused = true)]
async fn older_revisions_are_accepted() {
    for revision in [
        ProtocolRevision::V2025_06_18,
        ProtocolRevision::V2025_03_26,
        ProtocolRevision::V2024_11_05,
    ] {
        let (connection, _peer) = connected(Script::legacy().speaking(revision.as_str())).await;
        assert_eq!(connection.handshake().revision, revision);
    }
}

/// Shows: S1-64.
#[tokio::test(start_paused = true)]
async fn a_version_nobody_knows_ends_the_connection() {
    for version in ["2099-01-01", "2026-07-28", "", "1"] {
        let (opened, peer) = Bench::new().play(Script::legacy().speaking(version)).await;
        let error = opened.err().unwrap();
        assert!(matches!(&error, ConnectError::UnsupportedVersion(v) if v == version), "{error}");
        assert_eq!(within(peer.ended()).await, 0, "its input ended");
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_asked_to_introduce_itself_and_signed_for_every_time() {
    let script = Script::modern().on_call("hello", [Act::say("hi")]);
    let (connection, peer) = connected(script).await;
    assert_eq!(connection.handshake().revision, ProtocolRevision::V2026_07_28);
    assert!(connection.handshake().server_info.as_ref().unwrap().get().contains("scripted"));
    call(&connection, "hello").await.unwrap();
    // It was asked in the older way first, and refused.
    let seen = peer.seen().split_off(1);
    for message in &seen {
        let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
        assert!(message.contains(version), "{message}");
    }
    let can = |what: &str| format!(r#""io.modelcontextprotocol/clientCapabilities":{what}"#);
    let whoever = can(r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#);
    assert!(seen[0].contains(&whoever), "the same whoever starts it: {seen:?}");
    assert!(seen[1].contains(&can("{}")), "nobody is behind this call: {seen:?}");
    assert_eq!(seen.len(), 2, "no handshake besides");
}

/// What it asks on its connection reaches callers of either era; what it asks by a result reaches only
/// tools that were written so.
///
/// Shows: C20, E-1.
#[tokio::test(start_paused = true)]
async fn a_server_of_both_eras_is_spoken_to_in_the_older_one_over_a_pipe() {
    let (connection, peer) = connected(Script::both()).await;
    assert_eq!(connection.handshake().era(), Era::Legacy);
    // Some decide by the first message, for good.
    assert!(!peer.seen().iter().any(|line| line.contains("server/discover")));
}

#[tokio::test(start_paused = true)]
async fn no_error_code_alone_decides_against_either_era() {
    for code in [-32601, -32602, -32600, -32603, -32000, -32022, 0, 17] {
        let script = Script::modern().on("initialize", [Act::refuse(code, "what?")]);
        let (connection, _peer) = connected(script).await;
        assert_eq!(connection.handshake().era(), Era::Modern, "{code}");
        let script = Script::legacy().on("server/discover", [Act::refuse(code, "what?")]);
        let bench = Bench::new().knowing(ProtocolRevision::NEWEST);
        let opened = bench.play(script).await.0;
        assert_eq!(opened.unwrap().handshake().era(), Era::Legacy, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_anything_with_an_empty_result_is_none() {
    let script = Script::legacy()
        .on("initialize", [Act::answer("{}")])
        .on("server/discover", [Act::answer("{}")]);
    let (opened, _peer) = Bench::new().play(script).await;
    let error = opened.err().unwrap();
    assert!(matches!(error, ConnectError::Protocol(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_is_asked_in_the_other_way() {
    let (connection, _peer) = connected(Script::modern().on("initialize", [])).await;
    assert_eq!(connection.handshake().era(), Era::Modern);
    let silent = Script::legacy().on("server/discover", []);
    let (opened, peer) = Bench::new().knowing(ProtocolRevision::NEWEST).play(silent).await;
    assert_eq!(opened.unwrap().handshake().era(), Era::Legacy);
    // The question nobody answered is withdrawn.
    within(peer.received("notifications/cancelled")).await;
}

/// One that takes its time to answer is no other than it is.
#[tokio::test(start_paused = true)]
async fn a_slow_server_of_the_older_era_is_waited_for_though_it_was_asked_in_the_other_way() {
    let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}"#;
    let late = [Act::hold("received server/discover"), Act::answer(result)];
    for discovered in [vec![], vec![Act::refuse(-32601, "what?")], vec![Act::answer("{}")]] {
        let script = Script::legacy()
            .on("initialize", late.clone())
            .on("server/discover", discovered)
            .on_call("hello", [Act::say("hi")]);
        let (connection, _peer) = connected(script).await;
        assert_eq!(connection.handshake().era(), Era::Legacy);
        call(&connection, "hello").await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_server_spoke_the_last_time_saves_the_question() {
    let bench = Bench::new().knowing(ProtocolRevision::V2025_06_18);
    let (connection, peer) = bench.play(Script::legacy()).await;
    assert_eq!(connection.unwrap().handshake().era(), Era::Legacy);
    assert!(!peer.seen().iter().any(|line| line.contains("server/discover")));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_modern_and_is_not_any_more_is_still_reached() {
    let bench = Bench::new().knowing(ProtocolRevision::NEWEST);
    let (connection, _peer) = bench.play(Script::legacy()).await;
    assert_eq!(connection.unwrap().handshake().era(), Era::Legacy);
}

/// Shows: S1-9, S1-65.
#[tokio::test(start_paused = true)]
async fn a_server_without_tools_is_ready_and_has_none() {
    let (connection, _peer) = connected(Script::legacy().offering("{}")).await;
    assert!(!connection.handshake().offers("tools"));
    let (connection, _peer) = connected(Script::legacy()).await;
    assert!(connection.handshake().offers("tools"));
}

/// Shows: S1-9.
#[tokio::test(start_paused = true)]
async fn what_is_offered_is_the_entrys_and_the_same_whoever_answers() {
    let answering = Answering::new().with(QuestionKind::Elicit, "{}");
    let offered = async |bench: Bench| {
        let (_connection, peer) = bench.play(Script::legacy()).await;
        let initialize = peer.received("\"initialize\"").await;
        let message: serde_json::Value = serde_json::from_str(&initialize).unwrap();
        message["params"]["capabilities"].to_string()
    };
    let nobody = offered(Bench::new()).await;
    assert_eq!(nobody, r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#);
    assert_eq!(offered(Bench::new().asking(Arc::new(answering))).await, nobody);
    let mut few = Bench::new();
    (few.server.sampling, few.server.isolation) = (false, Isolation::Machine);
    assert_eq!(offered(few).await, r#"{"elicitation":{"form":{},"url":{}}}"#);
}

/// Shows: S1-12, S4-28.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up_when_its_time_to_start_is_over() {
    let silent = Script::legacy().on("server/discover", []).on("initialize", []);
    let bench = Bench::new().starting_within(7_000);
    let begun = tokio::time::Instant::now();
    let (opened, _peer) = bench.play(silent).await;
    let error = opened.err().unwrap();
    assert!(matches!(error, ConnectError::TimedOut(_)), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_refused_handshake_says_what_the_server_said() {
    let script = Script::legacy().on("initialize", [Act::refuse(-32000, "come back tomorrow")]);
    let (opened, _peer) = Bench::new().play(script).await;
    let error = opened.err().unwrap();
    assert!(matches!(&error, ConnectError::Refused(said) if said.message == "come back tomorrow"));
}

fn method_of(line: &str) -> String {
    let message: serde_json::Value = serde_json::from_str(line).unwrap();
    message["method"].as_str().unwrap_or_default().to_owned()
}
