//! Several messages in one: known to one revision, and refused everywhere else.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, list, tools};

async fn client(version: &str) -> (crate::gate::Running, Client) {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let client = gate.client().initialize_as(version, &json!({})).await;
    (gate, client)
}

fn batch() -> Value {
    json!([
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "one__echo"}},
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        {"jsonrpc": "2.0", "id": "two", "method": "ping"},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
        {"jsonrpc": "2.0", "id": 4},
    ])
}

#[tokio::test]
async fn each_request_of_a_batch_has_its_answer_in_the_batch_that_comes_back() {
    let (_gate, client) = client("2025-03-26").await;
    // That revision does not have the header yet.
    let reply = client.without("mcp-protocol-version").post(batch()).await;
    assert_eq!(reply.status, StatusCode::OK);
    let answers = reply.json().await;
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 4, "{answers:?}");
    let of = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(of(json!(1))["result"]["content"][0]["text"], "echo");
    assert_eq!(of(json!("two"))["result"], json!({}));
    assert_eq!(of(json!(3))["error"]["code"], -32601);
    assert_eq!(of(json!(4))["error"]["code"], -32600);
}

#[tokio::test]
async fn a_batch_that_asks_nothing_is_taken_and_an_empty_one_is_not() {
    let (_gate, client) = client("2025-03-26").await;
    let note = json!([{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}]);
    assert_eq!(client.post(note).await.status, StatusCode::ACCEPTED);
    let reply = client.post("[]").await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert_eq!(reply.json().await["error"]["code"], -32600);
}

#[tokio::test]
async fn a_session_of_any_other_revision_has_no_batches_whatever_its_header_says() {
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let (gate, client) = client(version).await;
        let lying = client.header("mcp-protocol-version", "2025-03-26");
        for client in [client.clone(), client.without("mcp-protocol-version"), lying] {
            let reply = client.post(batch()).await;
            assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{version} {client:?}");
            assert_eq!(reply.json().await["error"]["code"], -32600);
        }
        assert_eq!(gate.peers.received("one", "tools/call"), 0);
    }
}

#[tokio::test]
async fn a_batch_opens_no_session() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let params = json!({"protocolVersion": "2025-03-26"});
    let open = json!([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}]);
    let reply = gate.client().post(open).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(reply.header("mcp-session-id").is_none());
}

/// There is no place for a question in such an answer, so nobody is asked and nobody waits.
#[tokio::test]
async fn a_call_in_a_batch_is_asked_nothing() {
    let script = Script::legacy().on("tools/list", [Act::answer(list(&["ask"]))]).on_call(
        "ask",
        [
            Act::ask("elicitation/create", r#"{"message":"who?","requestedSchema":{}}"#),
            Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
        ],
    );
    let gate = Gate::with("one", script).run().await;
    let capabilities = json!({"elicitation": {}});
    let client = gate.client().initialize_as("2025-03-26", &capabilities).await;
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "one__ask"}});
    let answers = client.post(json!([call])).await.json().await;
    assert_eq!(answers[0]["result"]["structuredContent"]["result"]["action"], "cancel");
}
