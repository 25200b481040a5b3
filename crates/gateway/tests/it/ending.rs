//! The end of a gateway, and what can be seen of it meanwhile.

use http::StatusCode;
use serde_json::json;
use tokio::net::TcpStream;
use toolgate_testkit::{Act, Script};

use crate::gate::{Gate, list, tools, within};

#[tokio::test]
async fn what_is_under_way_is_finished_and_nothing_new_is_begun() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["quiet", "loud"]))])
        .on_call("quiet", [Act::hold("quiet"), Act::say("done")])
        .on_call("loud", [Act::progress(1), Act::hold("loud"), Act::say("done")]);
    let mut gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize().await;
    let mut listening = client.get_stream().await;
    let quiet = {
        let client = client.clone();
        tokio::spawn(async move { client.call("one__quiet", json!({})).await })
    };
    let peer = gate.peers.last("one").await;
    within(peer.received("quiet")).await;
    let params = json!({"name": "one__loud", "_meta": {"progressToken": 1}});
    let mut loud = client.request(json!(1), "tools/call", params).await;
    assert_eq!(loud.message().await["method"], "notifications/progress");
    gate.stop.cancel();
    assert_eq!(listening.event().await, None, "a stream that would never end is ended");
    while TcpStream::connect(gate.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    peer.signal("quiet");
    peer.signal("loud");
    assert_eq!(within(quiet).await.unwrap()["result"]["content"][0]["text"], "done");
    assert_eq!(loud.answer().await["result"]["content"][0]["text"], "done");
    gate.stopped().await;
    gate.gateway.close().await;
    within(peer.has_ended()).await;
}

#[tokio::test]
async fn a_gateway_that_nobody_uses_stops_at_once() {
    let mut gate = Gate::with("one", tools(&["t"])).run().await;
    gate.client().initialize().await;
    gate.stop.cancel();
    gate.stopped().await;
}

#[tokio::test]
async fn health_and_readiness_are_told_to_anybody_and_numbers_to_those_who_may_call() {
    let gate = Gate::with("one", tools(&["t"])).token("a", "ada", None).run().await;
    for (path, word) in [("/healthz", "ok"), ("/readyz", "ready")] {
        let reply = gate.client_at(path).send("GET", "").await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        assert_eq!(reply.text().await, word);
    }
    let ada = gate.client().bearer("a").initialize().await;
    ada.initialize().await;
    let numbers = ada.at("/metrics").send("GET", "").await;
    assert_eq!(numbers.status, StatusCode::OK);
    assert!(numbers.header("content-type").unwrap().starts_with("text/plain"));
    let numbers = numbers.text().await;
    assert!(numbers.contains("# TYPE toolgate_sessions gauge\ntoolgate_sessions 2\n"), "{numbers}");
    let stranger = gate.client_at("/metrics").send("GET", "").await;
    assert_eq!(stranger.status, StatusCode::UNAUTHORIZED);
    assert!(!stranger.text().await.contains("sessions"));
}
