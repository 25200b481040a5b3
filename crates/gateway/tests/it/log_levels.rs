//! How much a caller hears of its servers' logs is its own matter: no other caller's requests go by it.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, list, within};

const LOG_LEVEL: &str = r#""io.modelcontextprotocol/logLevel":"debug""#;

/// Logs a little and a lot in the middle of a call.
fn talking(script: Script) -> Script {
    let log = |level: &str| {
        Act::notify("notifications/message", &format!(r#"{{"level":"{level}","data":1}}"#))
    };
    script
        .offering(r#"{"tools":{},"logging":{}}"#)
        .on("tools/list", [Act::answer(list(&["talk"]))])
        .on("logging/setLevel", [Act::answer("{}")])
        .on_call("talk", [log("debug"), log("info"), Act::say("done")])
}

async fn set_level(client: &Client, level: &str) {
    let answer = client.request(json!(1), "logging/setLevel", json!({"level": level})).await;
    assert_eq!(answer.answer().await["result"], json!({}));
}

/// The levels of what is said while a call runs.
async fn heard(client: &Client) -> Vec<Value> {
    let mut reply = client.calling("one__talk", json!({})).await;
    let mut all = Vec::new();
    while reply.is_stream() {
        let message = reply.message().await;
        match message["method"].as_str() {
            Some("notifications/message") => all.push(message["params"]["level"].clone()),
            _ => break,
        }
    }
    all
}

#[tokio::test]
async fn a_modern_server_is_asked_what_the_caller_of_the_request_wants() {
    let gate = Gate::with("one", talking(Script::modern())).run().await;
    let (loud, other) = (gate.client().initialize().await, gate.client().initialize().await);
    set_level(&loud, "debug").await;
    other.call("one__talk", json!({})).await;
    assert_eq!(gate.peers.received("one", LOG_LEVEL), 0);
    loud.call("one__talk", json!({})).await;
    assert_eq!(gate.peers.received("one", LOG_LEVEL), 1);
    loud.send("DELETE", "").await;
    gate.client().initialize().await.call("one__talk", json!({})).await;
    assert_eq!(gate.peers.received("one", LOG_LEVEL), 1, "with its session it is over");
}

#[tokio::test]
async fn a_caller_who_never_said_hears_the_same_whatever_others_want() {
    let gate = Gate::with("one", talking(Script::legacy())).run().await;
    let other = gate.client().initialize().await;
    assert_eq!(heard(&other).await, ["info"]);
    let loud = gate.client().initialize().await;
    set_level(&loud, "debug").await;
    assert_eq!(heard(&loud).await, ["debug", "info"]);
    assert_eq!(heard(&other).await, ["info"]);
    set_level(&loud, "error").await;
    assert_eq!(heard(&loud).await, [""; 0]);
    assert_eq!(heard(&other).await, ["info"], "nor is it silenced");
    loud.send("DELETE", "").await;
    // A server of that era has one level: what is left of those who are there.
    let peer = gate.peers.last("one").await;
    let told = |level: &str| {
        let is_it = |line: &String| {
            line.contains("logging/setLevel") && line.contains(&format!(r#""level":"{level}""#))
        };
        peer.seen().iter().filter(|line| is_it(line)).count()
    };
    within(peer.received(r#""level":"info""#)).await;
    assert_eq!((told("debug"), told("error")), (1, 0));
}
