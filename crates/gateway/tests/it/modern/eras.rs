//! Both eras at one address, in front of servers of both.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Caller;
use crate::client::Client;
use crate::gate::{Gate, Running, asked_by, list, within};

const DONE: &str = r#"{"content":[{"type":"text","text":"${message:/params/arguments/tag}"}]"#;

/// A server of each era with the same tools.
async fn gate() -> Running {
    let tools = || Act::answer(list(&["echo", "ask"]));
    let question = r#"{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"default":1.0}}}}"#;
    let old = Script::legacy()
        .on("tools/list", [tools()])
        .on_call("echo", [Act::answer(format!("{DONE}}}"))])
        .on_call(
            "ask",
            [Act::ask("elicitation/create", question), Act::say("${answer:/result/content/name}")],
        );
    let required = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"who":{{"method":"elicitation/create","params":{question}}}}},"requestState":"s"}}"#
    );
    let new = Script::modern()
        .on("tools/list", [tools()])
        .on_call("echo", [Act::answer(format!(r#"{DONE},"resultType":"complete","ttlMs":5,"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"new","version":"0"}},"com.example/k":1}}}}"#))])
        .on_when("tools/call ask", "inputResponses", [Act::say("${message:/params/inputResponses/who/content/name}")])
        .on_call("ask", [Act::answer(required)]);
    Gate::with("old", old).server("new", new).run().await
}

async fn legacy(gate: &Running) -> Client {
    let capabilities = json!({"elicitation": {}});
    gate.client().initialize_as("2025-11-25", &capabilities).await
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// Shows: C20, E-1.
#[tokio::test]
async fn clients_of_both_eras_use_servers_of_both_at_the_same_time() {
    let gate = gate().await;
    let (old, new) = (legacy(&gate).await, Caller::of(&gate));
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..20 {
        for server in ["old", "new"] {
            let tool = format!("{server}__echo");
            let (old, new) = (old.clone(), new.clone());
            calls.spawn(async move {
                let tag = format!("{server}{number}");
                let answer = old.call(&tool, json!({"tag": tag})).await;
                assert_eq!(text(&answer), tag);
                // Nothing that only the other era knows; everything else.
                let result = answer["result"].as_object().unwrap();
                for key in ["resultType", "ttlMs", "cacheScope"] {
                    assert_eq!(result.get(key), None, "{answer}");
                }
                let meta = (server == "new").then(|| json!({"com.example/k": 1}));
                assert_eq!(result.get("_meta").cloned(), meta, "{answer}");
                let answer = new.call(&tool, json!({"tag": tag})).await;
                assert_eq!(text(&answer), tag);
                assert_eq!(answer["result"]["resultType"], "complete");
            });
        }
    }
    while let Some(done) = calls.join_next().await {
        done.unwrap();
    }
    let names = ["new__ask", "new__echo", "old__ask", "old__echo"];
    assert_eq!(new.names("tools/list").await, names);
    let listed = old.request(json!(1), "tools/list", json!({})).await.json().await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
    assert_eq!(listed["result"].get("ttlMs"), None);
}

/// Shows: C20, E-8, S4-20.
#[tokio::test]
async fn a_modern_servers_question_reaches_an_older_client_and_its_call_goes_on() {
    let gate = gate().await;
    let client = legacy(&gate).await;
    let mut stream = client.calling("new__ask", json!({})).await;
    let asked = stream.message().await;
    assert_eq!(
        (&asked["method"], &asked["params"]["message"]),
        (&json!("elicitation/create"), &json!(asked_by("new", "Who?").replace("\\n", "\n")))
    );
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let reply = client.post(json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    assert_eq!(reply.status, StatusCode::ACCEPTED);
    assert_eq!(text(&stream.answer().await), "Ada");
    let seen = within(gate.peers.last("new").await.received("inputResponses")).await;
    assert!(seen.contains(r#""requestState":"s""#), "{seen}");
}

/// One caller's questions are its own, whatever era the other is of.
#[tokio::test]
async fn cross_client_leak_a_question_does_not_reach_a_client_of_the_other_era() {
    let gate = gate().await;
    let (old, new) = (legacy(&gate).await, Caller::of(&gate).able(json!({"elicitation": {}})));
    let mut stream = old.calling("new__ask", json!({})).await;
    let asked = stream.message().await;
    let required = new.call("new__ask", json!({})).await;
    assert_eq!(required["result"]["resultType"], "input_required");
    let responses = json!({"who": {"action": "accept", "content": {"name": "Bob"}}});
    let params = json!({"name": "new__ask", "inputResponses": responses, "requestState": "s"});
    assert_eq!(text(&new.ask("tools/call", params).await), "Bob");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    old.post(json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    assert_eq!(text(&stream.answer().await), "Ada");
}

/// Shows: S4-40.
#[tokio::test]
async fn a_modern_server_is_told_what_an_older_client_said_it_can_do() {
    let gate = gate().await;
    let everything = json!({
        "elicitation": {"url": {}},
        "roots": {"listChanged": true},
        "sampling": {},
        "experimental": {"x": {}},
        "extensions": {"io.modelcontextprotocol/tasks": {}, "com.example/maps": {"zoom": 1.0}},
    });
    for (tag, able, told) in [
        ("none", json!({}), "{}"),
        ("some", json!({"elicitation": {}}), r#"{"elicitation":{}}"#),
        (
            "all",
            everything,
            r#"{"elicitation":{"url":{}},"experimental":{"x":{}},"roots":{"listChanged":true},"sampling":{},"extensions":{"com.example/maps":{"zoom":1.0}}}"#,
        ),
    ] {
        let client = gate.client().initialize_as("2025-11-25", &able).await;
        client.call("new__echo", json!({"tag": tag})).await;
        let peer = gate.peers.last("new").await;
        let seen = within(peer.received(&format!(r#""tag":"{tag}""#))).await;
        let told = format!(r#""io.modelcontextprotocol/clientCapabilities":{told}"#);
        assert!(seen.contains(&told), "{tag}: {seen}");
    }
}
