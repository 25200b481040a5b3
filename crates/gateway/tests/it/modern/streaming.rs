//! What a server says while a request is under way, and what happens when nobody listens any more.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};

use super::Caller;
use crate::client::Reply;
use crate::gate::{Gate, Running, list, within};

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const DONE: &str = r#"{"content":[],"resultType":"complete"}"#;

/// Tools that report, log, do both, and wait.
fn talking(script: Script) -> Script {
    let log = |level: &str| {
        let params = format!(r#"{{"level":"{level}","logger":"l","data":{{"n":1.50}}}}"#);
        Act::notify("notifications/message", &params)
    };
    script
        .on("tools/list", [Act::answer(list(&["talk", "wait", "begin"]))])
        .on("logging/setLevel", [Act::answer("{}")])
        .on_call("talk", [log("debug"), Act::progress(1), log("error"), Act::answer(DONE)])
        .on_call("wait", [Act::hold("never"), Act::answer(DONE)])
        .on_call("begin", [Act::progress(1), Act::hold("never"), Act::answer(DONE)])
}

async fn both() -> [Running; 2] {
    let mut gates = Vec::new();
    for script in [Script::legacy().offering(r#"{"tools":{},"logging":{}}"#), Script::modern()] {
        gates.push(Gate::with("one", talking(script)).run().await);
    }
    gates.try_into().ok().unwrap()
}

/// Everything on the stream of a call, the answer last.
async fn all(mut reply: Reply) -> Vec<Value> {
    assert_eq!(reply.status, StatusCode::OK);
    if !reply.is_stream() {
        return vec![reply.json().await];
    }
    let mut all = Vec::new();
    while let Some(event) = reply.event().await {
        assert_eq!(event.id, None, "nothing can be picked up again");
        all.push(event.json());
    }
    all
}

fn methods(all: &[Value]) -> Vec<&str> {
    let (answer, said) = all.split_last().unwrap();
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    said.iter().map(|message| message["method"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_request_is_told_as_much_as_it_asked_for_and_no_more() {
    let (report, log) = ("notifications/progress", "notifications/message");
    for gate in both().await {
        // Somebody else who wants to hear everything changes nothing for those who do not.
        let old = gate.client().initialize().await;
        old.request(json!(1), "logging/setLevel", json!({"level": "debug"})).await;
        let caller = Caller::of(&gate);
        let call = async |caller: &Caller| all(caller.calling("one__talk", json!({})).await).await;
        assert_eq!(methods(&call(&caller).await), [""; 0]);
        let reported = call(&caller.saying("progressToken", json!("t\u{e9}"))).await;
        assert_eq!(methods(&reported), [report]);
        assert_eq!(reported[0]["params"], json!({"progressToken": "t\u{e9}", "progress": 1}));
        let logged = call(&caller.saying(LOG_LEVEL, json!("error"))).await;
        assert_eq!(methods(&logged), [log]);
        let told = json!({"level": "error", "logger": "l", "data": {"n": 1.5}});
        assert_eq!(logged[0]["params"], told);
        let everything = caller.saying(LOG_LEVEL, json!("debug")).saying("progressToken", json!(5));
        let mut everything =
            methods(&call(&everything).await).into_iter().map(str::to_owned).collect::<Vec<_>>();
        everything.sort();
        assert_eq!(everything, [log, log, report]);
    }
}

#[tokio::test]
async fn a_level_that_does_not_exist_is_refused() {
    let [gate, _] = both().await;
    let caller = Caller::of(&gate).saying(LOG_LEVEL, json!("loud"));
    let reply = caller.calling("one__talk", json!({})).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert_eq!(reply.json().await["error"]["code"], -32602);
}

/// Shows: S1-11.
#[tokio::test]
async fn who_goes_away_after_the_stream_began_does_not_want_the_answer_any_more() {
    for gate in both().await {
        let caller = Caller::of(&gate).saying("progressToken", json!(1));
        let mut stream = caller.calling("one__begin", json!({})).await;
        assert_eq!(stream.message().await["method"], "notifications/progress");
        drop(stream);
        let peer = gate.peers.last("one").await;
        within(peer.received("notifications/cancelled")).await;
        gate.events.heard(&["CallEnded", "begin"], 1).await;
    }
}

#[tokio::test]
async fn who_goes_away_before_anything_was_said_does_not_want_the_answer_either() {
    for gate in both().await {
        let caller = Caller::of(&gate);
        let call = tokio::spawn(async move { caller.calling("one__wait", json!({})).await });
        let peer = gate.peers.last("one").await;
        within(peer.received("tools/call")).await;
        call.abort();
        within(peer.received("notifications/cancelled")).await;
        gate.events.heard(&["CallEnded", "wait"], 1).await;
    }
}

/// Over HTTP it is the closed stream that tells the server.
#[tokio::test]
async fn the_stream_to_a_modern_server_is_closed_with_that_of_the_caller() {
    let site = talking(Script::modern()).over_http(WebManners::default()).await;
    let gate = Gate::empty().remote("one", &site.url("/mcp")).run().await;
    let caller = Caller::of(&gate).saying("progressToken", json!(1));
    let mut stream = caller.calling("one__begin", json!({})).await;
    assert_eq!(stream.message().await["method"], "notifications/progress");
    drop(stream);
    within(site.hung_up()).await;
    assert!(!site.visits().iter().any(|visit| visit.posts("notifications/cancelled")));
}

/// Shows: E-8, S4-21.
#[tokio::test]
async fn what_a_caller_adds_in_meta_reaches_the_server_but_for_what_the_protocol_keeps() {
    for gate in both().await {
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let caller = Caller::of(&gate)
            .saying("traceparent", json!(trace))
            .saying("tracestate", json!("vendor=1"))
            .saying("baggage", json!("k=v"))
            .saying("com.example/sandbox", json!({"b": [1], "a": null}))
            .saying("io.modelcontextprotocol/subscriptionId", json!("theirs"));
        caller.call("one__talk", json!({})).await;
        let seen = within(gate.peers.last("one").await.received("tools/call")).await;
        let seen: Value = serde_json::from_str(&seen).unwrap();
        let meta = &seen["params"]["_meta"];
        assert_eq!(meta["traceparent"], trace, "{seen}");
        assert_eq!((&meta["tracestate"], &meta["baggage"]), (&json!("vendor=1"), &json!("k=v")));
        assert_eq!(meta["com.example/sandbox"], json!({"b": [1], "a": null}));
        assert_eq!(meta.get("io.modelcontextprotocol/subscriptionId"), None);
        assert_ne!(meta["io.modelcontextprotocol/clientInfo"]["name"], "caller");
    }
}
