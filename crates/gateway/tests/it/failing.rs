//! The one table from errors to the wire, a test for each row, and what servers answer themselves.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, Running, list, tools, within};

async fn client(gate: &Running) -> Client {
    gate.client().initialize().await
}

async fn ask(client: &Client, method: &str, params: Value) -> Value {
    client.request(json!("id"), method, params).await.answer().await
}

/// Asserts a JSON-RPC error of ours.
fn is_error(answer: &Value, code: i64, word: &str) {
    assert_eq!(answer["id"], "id", "{answer}");
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(answer["error"]["data"]["code"], word, "{answer}");
    assert!(answer["error"]["data"]["correlationId"].is_string(), "{answer}");
}

/// Asserts a result that says what went wrong, for a model to read.
fn is_told(answer: &Value, word: &str) {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert_eq!(result["_meta"]["toolgate/code"], word, "{answer}");
    assert!(result["_meta"]["toolgate/correlationId"].is_string(), "{answer}");
    assert!(!result["content"][0]["text"].as_str().unwrap().is_empty());
    assert!(result.get("resultType").is_none(), "nothing of the newer era");
}

/// Shows: C19.
#[tokio::test]
async fn not_found_is_an_error_and_of_a_resource_has_its_own_code() {
    let library = tools(&["t"])
        .offering(r#"{"tools":{},"prompts":{}}"#)
        .on("prompts/list", [Act::answer(r#"{"prompts":[]}"#)]);
    let gate = Gate::with("one", library).run().await;
    let client = client(&gate).await;
    let absent = json!({"name": "absent"});
    is_error(&ask(&client, "tools/call", absent.clone()).await, -32602, "not_found");
    is_error(&ask(&client, "prompts/get", absent).await, -32602, "not_found");
    let answer = ask(&client, "resources/read", json!({"uri": "absent:"})).await;
    is_error(&answer, -32002, "not_found");
}

/// Shows: C19.
#[tokio::test]
async fn invalid_arguments_of_a_tool_are_told_to_the_model() {
    let strict = r#"{"tools":[{"name":"t","inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}}]}"#;
    let script = Script::legacy().on("tools/list", [Act::answer(strict)]);
    let gate = Gate::with("one", script).run().await;
    let client = client(&gate).await;
    let answer =
        ask(&client, "tools/call", json!({"name": "one__t", "arguments": {"n": "x"}})).await;
    is_told(&answer, "invalid_argument");
    // What is not even the shape of a request is the client's mistake and not the model's.
    for (method, params) in [
        ("tools/call", json!({"name": "one__t", "arguments": [1]})),
        ("tools/call", json!({"arguments": {}})),
        ("tools/call", json!({"name": 5})),
        ("resources/read", json!({})),
        ("completion/complete", json!({"ref": 1})),
    ] {
        let answer = ask(&client, method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(gate.peers.received("one", "tools/call"), 0);
}

#[tokio::test]
async fn what_policy_refuses_is_told_to_the_model() {
    let gate = Gate::with("one", tools(&["t"])).guarded().run().await;
    let client = client(&gate).await;
    is_told(&ask(&client, "tools/call", json!({"name": "one__t"})).await, "permission_denied");
    assert_eq!(gate.peers.received("one", "tools/call"), 0);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let script = tools(&["t"])
        .offering(r#"{"tools":{},"prompts":{}}"#)
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"p"}]}"#)])
        .on("tools/call", [Act::Exit(1)])
        .on("prompts/get", [Act::Exit(1)]);
    let gate = Gate::with("one", script.clone()).server("two", script).run().await;
    let client = client(&gate).await;
    ask(&client, "tools/list", json!({})).await;
    ask(&client, "prompts/list", json!({})).await;
    let answer = ask(&client, "prompts/get", json!({"name": "two__p"})).await;
    is_error(&answer, -32603, "unavailable");
    gate.peers.last("one").await.end();
    gate.events.heard(&["State", "one", "Error"], 1).await;
    is_told(&ask(&client, "tools/call", json!({"name": "one__t"})).await, "unavailable");
}

#[tokio::test]
async fn a_server_that_wants_a_login_is_unauthenticated() {
    let site = tools(&["t"]).over_http(toolgate_testkit::web::WebManners::default()).await;
    let gate = Gate::empty().remote("one", &site.url("/mcp")).run().await;
    let client = client(&gate).await;
    ask(&client, "tools/list", json!({})).await;
    site.let_in_only("a token that nobody has");
    let answer = ask(&client, "tools/call", json!({"name": "one__t"})).await;
    is_told(&answer, "unauthenticated");
}

/// Shows: S3-56.
#[tokio::test]
async fn a_call_that_takes_too_long_is_told_to_the_model() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::hold("never")]);
    let gate = Gate::empty()
        .server_with("one", script, |server| {
            server.timeouts.tool = toolgate_types::Milliseconds::at_least_one(1);
        })
        .run()
        .await;
    let client = client(&gate).await;
    is_told(&ask(&client, "tools/call", json!({"name": "one__t"})).await, "deadline_exceeded");
}

/// Shows: S3-56.
#[tokio::test]
async fn a_cancelled_call_is_an_error_that_nobody_has_to_read() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::hold("never")]);
    let gate = Gate::with("one", script).run().await;
    let client = client(&gate).await;
    let calling = {
        let client = client.clone();
        tokio::spawn(async move { ask(&client, "tools/call", json!({"name": "one__t"})).await })
    };
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    client.notify("notifications/cancelled", json!({"requestId": "id"})).await;
    is_error(&within(calling).await.unwrap(), -32603, "cancelled");
}

#[tokio::test]
async fn what_a_server_answers_itself_goes_on_with_its_code_and_data() {
    let error = r#"{"code":-32042,"message":"log in first","data":{"elicitations":[{"n":1.0}]}}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","id":${{id}},"error":{error}}}"#);
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::line(line)]);
    let gate = Gate::with("one", script).run().await;
    let text = client(&gate).await.calling("one__t", json!({})).await.text().await;
    // But for whose page it is that a person is sent to.
    let named = error.replace(r#"{"n":1.0}"#, r#"{"n":1.0,"message":"The server `one` asks."}"#);
    assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":0,"error":{named}}}"#));
}

#[tokio::test]
async fn a_method_that_nobody_knows_is_answered_so() {
    let gate = Gate::with("one", tools(&["t"])).run().await;
    let client = client(&gate).await;
    for method in ["no/such", "tasks/list", "server/discover", "roots/list", "initialized"] {
        let answer = ask(&client, method, json!({})).await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("id"), &json!(-32601)));
    }
}

/// What is refused before a server is even looked for leaves a record too.
#[tokio::test]
async fn what_never_reaches_a_server_is_told_as_a_call_that_failed() {
    let gate = Gate::with("one", tools(&["t"])).run().await;
    let client = client(&gate).await;
    let unfit = json!({"name": "one__t", "arguments": [1]});
    assert_eq!(ask(&client, "tools/call", unfit).await["error"]["code"], -32602);
    gate.events.heard(&["CallEnded", "one__t", "Failed(InvalidArgument)"], 1).await;
    ask(&client, "tools/call", json!({"name": "one__absent"})).await;
    gate.events.heard(&["CallEnded", "one__absent", "Failed(NotFound)"], 1).await;
    ask(&client, "resources/read", json!({"uri": "x:none"})).await;
    gate.events.heard(&["CallEnded", "x:none", "Failed(NotFound)"], 1).await;
    ask(&client, "prompts/get", json!({"name": "one__p"})).await;
    gate.events.heard(&["CallEnded", "one__p", "Failed(NotFound)"], 1).await;
}
