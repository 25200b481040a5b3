//! Tasks where one end does not know them: nobody is told of them, and nobody is given one.

use serde_json::json;
use toolgate_testkit::{Act, Script};

use super::{DECLARED, able, begin, begun, building, done, knowing};
use crate::gate::{Gate, list, within};
use crate::modern::Caller;

const LACKING: &str =
    r#"{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;

/// Shows: S1-16, E-8.
#[tokio::test]
async fn a_caller_that_knows_no_tasks_is_given_none_and_its_server_is_not_told() {
    let gate = Gate::with("one", building(&[done("built")])).run().await;
    let caller = Caller::of(&gate).able(json!({"elicitation": {}}));
    caller.call("one__echo", json!({"tag": "plain"})).await;
    let seen = within(gate.peers.last("one").await.received("plain")).await;
    assert!(!seen.contains("tasks"), "{seen}");
    // It makes one all the same.
    let answer = caller.call("one__build", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let why = answer["error"]["message"].as_str().unwrap();
    assert!(why.contains("`one` answered with a task"), "{why}");
    assert!(!answer.to_string().contains("t-1"), "{answer}");
    // What another's id would be is not even looked at.
    let id = begin(&knowing(&gate), "one__build").await;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": id, "inputResponses": {}});
        let reply = caller.request(json!(1), method, params).await;
        assert_eq!(reply.status, 400);
        let answer = reply.answer().await;
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        assert_eq!(answer["error"]["data"].to_string(), LACKING);
    }
    let listen = json!({"notifications": {"taskIds": [id]}});
    let reply = caller.request(json!(1), "subscriptions/listen", listen).await;
    assert_eq!(reply.status, 400);
    let answer = reply.answer().await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert_eq!(answer["error"]["data"].to_string(), LACKING);
}

/// Shows: S1-16.
#[tokio::test]
async fn an_older_client_is_given_no_task_and_knows_no_method_of_them() {
    let needs = r#"{"jsonrpc":"2.0","id":${id},"error":{"code":-32021,"message":"this runs as a task only","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}"#;
    let script = building(&[done("built")])
        .on_when("tools/list", "", [Act::answer(list(&["build", "echo", "strict"]))])
        .on_when("tools/call", r#""name":"strict""#, [Act::line(needs)]);
    let gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize_as("2025-11-25", &able()).await;
    let told = client.call("one__echo", json!({"tag": "old"})).await;
    assert!(told["result"].is_object(), "{told}");
    let seen = within(gate.peers.last("one").await.received(r#""tag":"old""#)).await;
    assert!(!seen.contains("modelcontextprotocol/tasks"), "{seen}");
    let answer = client.call("one__build", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let answer = client.call("one__strict", json!({})).await;
    assert_eq!(answer["error"]["message"], "this runs as a task only", "{answer}");
    for method in ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"] {
        let answer =
            client.request(json!(1), method, json!({"taskId": "t-1"})).await.answer().await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}

/// What both ends could do is said by each of them alone.
#[tokio::test]
async fn tasks_are_offered_to_modern_clients_only() {
    let gate = Gate::with("one", Script::legacy()).run().await;
    let modern = knowing(&gate).ask("server/discover", json!({})).await;
    let offered = &modern["result"]["capabilities"]["extensions"];
    assert_eq!(offered, &json!({"io.modelcontextprotocol/tasks": {}}), "{modern}");
    let older = json!({"protocolVersion": "2025-11-25", "capabilities": able(), "clientInfo": {"name": "c", "version": "0"}});
    let older = gate.client().request(json!(1), "initialize", older).await.answer().await;
    assert!(older["result"]["capabilities"].get("extensions").is_none(), "{older}");
    assert!(older["result"]["capabilities"].get("tasks").is_none(), "{older}");
}

/// A result of the older era says nothing of itself: what looks like a task is the tool's own.
#[tokio::test]
async fn an_older_servers_result_is_no_task_whatever_it_looks_like() {
    let script = Script::legacy()
        .offering(DECLARED)
        .on("tools/list", [Act::answer(list(&["build"]))])
        .on_call("build", [Act::answer(begun("t-1"))]);
    let gate = Gate::with("one", script).run().await;
    let caller = knowing(&gate);
    let answer = caller.call("one__build", json!({})).await;
    let looks = answer["result"]["taskId"].as_str().unwrap().to_owned();
    let asked = caller.ask("tasks/get", json!({"taskId": looks})).await;
    assert_eq!(asked["error"]["code"], -32602, "{asked}");
    assert_eq!(gate.peers.received("one", "tasks/get"), 0);
    assert_eq!(gate.peers.received("one", "modelcontextprotocol/tasks"), 0);
}
