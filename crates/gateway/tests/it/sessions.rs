//! Sessions: whose they are, how they end, how many there may be.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, list, tools};

async fn status(client: &Client, method: &str) -> StatusCode {
    match method {
        "POST" => client.request(json!(1), "ping", json!({})).await.status,
        _ => client.send(method, "").await.status,
    }
}

#[tokio::test]
async fn a_request_without_a_session_is_told_to_begin_one() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let reply = gate.client().request(json!(7), "tools/list", json!({})).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let answer = reply.json().await;
    assert_eq!(answer["id"], 7);
    assert!(answer["error"]["message"].as_str().unwrap().contains("initialize"), "{answer}");
    assert_eq!(status(&gate.client(), "DELETE").await, StatusCode::BAD_REQUEST);
    // Only a client of the older era has a session to listen in.
    assert_eq!(status(&gate.client(), "GET").await, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn an_unknown_session_is_not_found() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    gate.client().initialize().await;
    for id in ["", "0", "00000000000000000000000000000000", "../../etc/passwd"] {
        let client = gate.client().header("mcp-session-id", id);
        for method in ["POST", "GET", "DELETE"] {
            assert_eq!(status(&client, method).await, StatusCode::NOT_FOUND, "{method} {id}");
        }
    }
}

#[tokio::test]
async fn a_deleted_session_is_gone_and_its_calls_with_it() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait"]))])
        .on_call("wait", [Act::hold("never"), Act::say("done")]);
    let gate = Gate::with("one", script).run().await;
    let (session, other) = (gate.client().initialize().await, gate.client().initialize().await);
    let calling = {
        let session = session.clone();
        tokio::spawn(async move { session.call("one__wait", json!({})).await })
    };
    let peer = gate.peers.last("one").await;
    peer.received("tools/call").await;
    let mut stream = session.get_stream().await;
    assert_eq!(status(&session, "DELETE").await, StatusCode::NO_CONTENT);
    assert_eq!(stream.event().await, None, "its stream ends");
    assert!(calling.await.unwrap()["error"].is_object());
    peer.received("notifications/cancelled").await;
    for method in ["POST", "GET", "DELETE"] {
        assert_eq!(status(&session, method).await, StatusCode::NOT_FOUND, "{method}");
        let expected = if method == "DELETE" { StatusCode::NO_CONTENT } else { StatusCode::OK };
        assert_eq!(status(&other, method).await, expected, "{method} of the other");
    }
}

#[tokio::test]
async fn session_theft_another_principal_or_another_address_does_not_find_it() {
    let gate = Gate::with("one", tools(&["echo"]))
        .role("reader", &["one"])
        .workspace("here")
        .token("a", "ada", None)
        .token("a2", "ada", None)
        .token("e", "eve", None)
        .run()
        .await;
    let ada = gate.client().bearer("a").initialize().await;
    let stolen = [
        ada.bearer("e"),
        ada.at("/mcp/reader"),
        ada.at("/w/here/mcp"),
        ada.bearer("e").at("/mcp/reader"),
    ];
    for client in &stolen {
        for method in ["POST", "GET", "DELETE"] {
            assert_eq!(status(client, method).await, StatusCode::NOT_FOUND, "{method} {client:?}");
        }
    }
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
    assert_eq!(stolen[0].post(cancelled).await.status, StatusCode::NOT_FOUND);
    let answer = json!({"jsonrpc": "2.0", "id": "tg-1", "result": {}});
    assert_eq!(stolen[0].post(answer).await.status, StatusCode::NOT_FOUND);
    assert_eq!(status(&ada.without("authorization"), "POST").await, StatusCode::UNAUTHORIZED);
    gate.events.heard(&["foreign session: eve"], 1).await;
    assert_eq!(status(&ada, "POST").await, StatusCode::OK, "it is still there");
    assert_eq!(status(&ada.bearer("a2"), "POST").await, StatusCode::OK, "another token of hers");
}

#[tokio::test]
async fn ids_of_sessions_are_long_and_never_the_same() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..20 {
        let id = gate.client().initialize().await.session().to_owned();
        assert!(id.len() >= 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert!(ids.insert(id));
    }
}

#[tokio::test]
async fn where_there_is_no_room_the_longest_idle_session_goes_and_a_busy_one_stays() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait"]))])
        .on_call("wait", [Act::hold("go"), Act::say("done")]);
    let gate = Gate::with("one", script).limits(|limits| limits.sessions = 3).run().await;
    let busy = gate.client().initialize().await;
    let calling = {
        let busy = busy.clone();
        tokio::spawn(async move { busy.call("one__wait", json!({})).await })
    };
    let peer = gate.peers.last("one").await;
    peer.received("tools/call").await;
    let (second, third) = (gate.client().initialize().await, gate.client().initialize().await);
    assert_eq!(status(&second, "POST").await, StatusCode::OK, "used again, after the third");
    let fourth = gate.client().initialize().await;
    assert_eq!(status(&third, "POST").await, StatusCode::NOT_FOUND, "idle for the longest time");
    assert_eq!(status(&second, "POST").await, StatusCode::OK);
    // Who listens is not idle either: then there is nobody left to go.
    let _streams = [second.get_stream().await, fourth.get_stream().await];
    let params = json!({"protocolVersion": "2025-11-25"});
    let refused = gate.client().request(json!(1), "initialize", params).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    peer.signal("go");
    let answer = calling.await.unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "done");
}

/// Shows: S0-8.
#[tokio::test]
async fn every_revision_with_sessions_is_spoken_and_others_are_answered_with_the_newest() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let agreed = async |version: &str| {
        let params = json!({"protocolVersion": version, "capabilities": {}});
        let reply = gate.client().request(json!(1), "initialize", params).await;
        assert_eq!(reply.status, StatusCode::OK, "{version}");
        reply.json().await["result"]["protocolVersion"].clone()
    };
    for known in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(agreed(known).await, known);
        let client = gate.client().initialize_as(known, &json!({})).await;
        let answer = client.call("one__echo", json!({})).await;
        assert_eq!(answer["result"]["content"][0]["text"], "echo", "{known}");
    }
    for other in ["2026-07-28", "1999-01-01", ""] {
        assert_eq!(agreed(other).await, "2025-11-25", "{other}");
    }
}

#[tokio::test]
async fn a_version_that_has_no_sessions_is_refused_in_one() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let session = gate.client().initialize().await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for odd in ["1999-01-01", "", "newest"] {
        let reply = session.header("mcp-protocol-version", odd).post(&ping).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{odd}");
    }
    // Clients of the oldest revisions do not send it at all.
    let reply = session.without("mcp-protocol-version").post(&ping).await;
    assert_eq!(reply.json().await, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[tokio::test]
async fn an_initialize_that_says_no_version_opens_nothing() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    for params in [json!({}), json!({"protocolVersion": 3}), Value::Null] {
        let reply = gate.client().request(json!(1), "initialize", params).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST);
        assert!(reply.header("mcp-session-id").is_none());
    }
    let counted = gate.client_at("/metrics").send("GET", "").await.text().await;
    assert!(counted.contains("\ntoolgate_sessions 0\n"), "{counted}");
}
