//! What a server asks of its own accord, and what it says unasked.

use std::sync::Arc;

use toolgate_testkit::{Act, Answering, Recorded, Script};
use toolgate_types::{ListKind, QuestionKind};

use crate::{Bench, call, connected, request};

/// Asks, and answers the call with what came back.
fn asking(method: &str, params: &str) -> [Act; 2] {
    [Act::ask(method, params), Act::answer(r#"{"reply":${answer}}"#)]
}

async fn reply(bench: &Bench, method: &str, params: &str) -> serde_json::Value {
    let script = Script::legacy().on_call("ask", asking(method, params));
    let (connection, _peer) = bench.play(script).await;
    let result = call(&connection.unwrap(), "ask").await.unwrap();
    let result: serde_json::Value = serde_json::from_str(result.get()).unwrap();
    result["reply"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered() {
    assert_eq!(reply(&Bench::new(), "ping", "{}").await["result"], serde_json::json!({}));
}

#[tokio::test(start_paused = true)]
async fn questions_go_to_whoever_answers_them_and_come_back_as_given() {
    for (method, kind) in [
        ("elicitation/create", QuestionKind::Elicit),
        ("sampling/createMessage", QuestionKind::Sample),
        ("roots/list", QuestionKind::Roots),
    ] {
        let asker = Arc::new(Answering::new().with(kind, r#"{"future":1.0,"a":1e2}"#));
        let bench = Bench::new().asking(Arc::clone(&asker) as _);
        let script = Script::legacy().on_call("ask", asking(method, r#"{"odd":[1.0]}"#));
        let (connection, _peer) = bench.play(script).await;
        let result = call(&connection.unwrap(), "ask").await.unwrap();
        assert!(result.get().contains(r#""result":{"future":1.0,"a":1e2}"#), "{result}");
        assert_eq!(asker.asked(), [(kind, Some(r#"{"odd":[1.0]}"#.to_owned()))]);
    }
}

#[tokio::test(start_paused = true)]
async fn with_nobody_there_a_question_is_answered_as_the_protocol_says() {
    let elicited = reply(&Bench::new(), "elicitation/create", "{}").await;
    assert_eq!(elicited["result"]["action"], "cancel");
    let sampled = reply(&Bench::new(), "sampling/createMessage", "{}").await;
    assert_eq!(sampled["error"]["code"], -32601);
    let told = reply(&Bench::new(), "roots/list", "{}").await;
    assert!(told["result"]["roots"][0]["uri"].as_str().unwrap().starts_with("file:///"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_request_nobody_knows_is_refused_by_name() {
    let reply = reply(&Bench::new(), "tea/brew", "{}").await;
    assert_eq!(reply["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_before_the_handshake_is_over_is_answered() {
    let initialize = r#"{"protocolVersion":"2025-11-25","capabilities":{},"x":${answer}}"#;
    let eager = [Act::ask("ping", "{}"), Act::ask("roots/list", "{}"), Act::answer(initialize)];
    let (connection, peer) = connected(Script::legacy().on("initialize", eager)).await;
    assert!(connection.ended().is_none());
    peer.received(r#""id":"q1","result":{}"#).await;
    peer.received(r#""roots":["#).await;
}

#[tokio::test(start_paused = true)]
async fn more_questions_than_anyone_can_answer_are_refused_and_the_rest_answered() {
    struct Slow;
    #[async_trait::async_trait]
    impl toolgate_types::Asker for Slow {
        fn answers(&self, _: QuestionKind) -> bool {
            true
        }
        async fn ask(&self, _: toolgate_types::ServerQuestion) -> toolgate_types::QuestionAnswer {
            std::future::pending().await
        }
    }
    let question = r#"{"jsonrpc":"2.0","id":"many","method":"elicitation/create","params":{}}"#;
    let mut acts = vec![Act::line(question); 40];
    acts.push(Act::say("asked"));
    let bench = Bench::new().asking(Arc::new(Slow));
    let (connection, peer) = bench.play(Script::legacy().on_call("ask", acts)).await;
    let connection = connection.unwrap();
    call(&connection, "ask").await.unwrap();
    request(&connection, "ping", None).await.unwrap();
    peer.received("too many open questions").await;
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_unasked_is_heard() {
    let script = Script::legacy().on_call(
        "talk",
        [
            Act::notify("notifications/tools/list_changed", "{}"),
            Act::notify("notifications/resources/updated", r#"{"uri":"file:///a"}"#),
            Act::notify("notifications/message", r#"{"level":"info","data":1.0}"#),
            Act::notify("notifications/of/the/future", r#"{"a":1e2}"#),
            Act::say("done"),
        ],
    );
    let bench = Bench::new();
    let (connection, _peer) = bench.play(script).await;
    call(&connection.unwrap(), "talk").await.unwrap();
    let future = "notifications/of/the/future".to_owned();
    assert_eq!(
        bench.events.all()[..4],
        [
            Recorded::ListChanged(ListKind::Tools),
            Recorded::ResourceUpdated("file:///a".to_owned()),
            Recorded::Log(r#"{"level":"info","data":1.0}"#.to_owned()),
            Recorded::Notified(future, Some(r#"{"a":1e2}"#.to_owned())),
        ]
    );
}
