//! Calls of tools in a session: progress, cancelling, a client that goes away, what passes untouched.

use serde_json::json;
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, list, tools, within};

/// A server with tools that wait for a signal of their own name and report before.
fn waiting(names: &[&str]) -> Script {
    let script = Script::legacy().on("tools/list", [Act::answer(list(names))]);
    names.iter().fold(script, |script, name| {
        script.on_call(name, [Act::progress(1), Act::hold(name), Act::say(name)])
    })
}

#[tokio::test]
async fn progress_comes_under_the_token_that_the_client_gave() {
    let report =
        r#"{"progressToken":${token},"progress":1.50,"total":3,"message":"half","extra":[1]}"#;
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["work"]))])
        .on_call("work", [Act::notify("notifications/progress", report), Act::say("done")]);
    let gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize().await;
    for token in [json!("mine"), json!(7), json!("")] {
        let params = json!({"name": "one__work", "_meta": {"progressToken": token, "x": "y"}});
        let mut reply = client.request(json!("a"), "tools/call", params).await;
        assert!(reply.is_stream());
        let primed = reply.event().await.unwrap();
        assert!(primed.id.is_some() && primed.data.is_empty());
        let event = reply.event().await.unwrap();
        assert!(event.data.contains(r#""progress":1.50,"total":3,"message":"half","extra":[1]"#));
        assert_eq!(event.json()["params"]["progressToken"], token);
        let answer = reply.answer().await;
        assert_eq!(
            (&answer["id"], &answer["result"]["content"][0]["text"]),
            (&json!("a"), &json!("done"))
        );
    }
    let sent = gate.peers.last("one").await.received("tools/call").await;
    assert!(!sent.contains("mine") && sent.contains(r#""x":"y""#), "{sent}");
}

#[tokio::test]
async fn who_gave_no_token_hears_no_progress() {
    let gate = Gate::with("one", waiting(&["work"])).run().await;
    let client = gate.client().initialize().await;
    let calling = tokio::spawn(async move { client.calling("one__work", json!({})).await });
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    peer.signal("work");
    let reply = within(calling).await.unwrap();
    assert!(!reply.is_stream(), "the answer alone");
}

#[tokio::test]
async fn a_cancel_ends_its_own_call_and_no_other() {
    let gate = Gate::with("one", waiting(&["first", "second", "third"])).run().await;
    let client = gate.client().initialize().await;
    let other = gate.client().initialize().await;
    let call = |client: &Client, id: i32, tool: &str| {
        let (client, params) = (client.clone(), json!({"name": tool}));
        tokio::spawn(async move { client.request(json!(id), "tools/call", params).await })
    };
    let cancelled = call(&client, 1, "one__first");
    let second = call(&client, 2, "one__second");
    // The other client's call has the id of the one that is cancelled.
    let others = call(&other, 1, "one__third");
    let peer = gate.peers.last("one").await;
    within(peer.received_times("tools/call", 3)).await;
    client.notify("notifications/cancelled", json!({"requestId": 9})).await;
    client.notify("notifications/cancelled", json!({"requestId": "1"})).await;
    client.notify("notifications/cancelled", json!({"requestId": 1, "reason": "bored"})).await;
    let answer = within(cancelled).await.unwrap().answer().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)));
    assert_eq!(answer["error"]["data"]["code"], "cancelled");
    within(peer.received("notifications/cancelled")).await;
    for (call, tool) in [(second, "second"), (others, "third")] {
        peer.signal(tool);
        let answer = within(call).await.unwrap().answer().await;
        assert_eq!(answer["result"]["content"][0]["text"], tool);
    }
    assert_eq!(gate.peers.received("one", "notifications/cancelled"), 1);
}

/// In this era only `notifications/cancelled` cancels.
#[tokio::test]
async fn a_client_that_goes_away_cancels_nothing() {
    let gate = Gate::with("one", waiting(&["quiet", "loud"])).run().await;
    let client = gate.client().initialize().await;
    let quiet = {
        let client = client.clone();
        tokio::spawn(async move { client.calling("one__quiet", json!({})).await })
    };
    let peer = gate.peers.last("one").await;
    within(peer.received("quiet")).await;
    quiet.abort();
    let params = json!({"name": "one__loud", "_meta": {"progressToken": 1}});
    let mut loud = client.request(json!(1), "tools/call", params).await;
    assert_eq!(loud.message().await["method"], "notifications/progress");
    drop(loud);
    // Whatever a lost connection does is done before the next request is answered.
    client.call("one__absent", json!({})).await;
    peer.signal("quiet");
    peer.signal("loud");
    gate.events.heard(&["CallEnded", "quiet", "ending: Done"], 1).await;
    gate.events.heard(&["CallEnded", "loud", "ending: Done"], 1).await;
    assert_eq!(gate.peers.received("one", "notifications/cancelled"), 0);
}

#[tokio::test]
async fn a_result_passes_as_the_bytes_it_is() {
    let result = r#"{"content":[{"type":"text","text":"\u00e9 \/","annotations":{"priority":1.0},"zz":1e2}],"structuredContent":{"b":1,"a":10000000000000000000001,"n":-0.0},"isError":false,"_meta":{"com.example/x":{"deep":[null]}},"future":true}"#;
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["odd"]))])
        .on_call("odd", [Act::answer(result)]);
    let gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize().await;
    let text = client.calling("one__odd", json!({})).await.text().await;
    assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":0,"result":{result}}}"#));
}

/// Shows: S4-21, E-8.
#[tokio::test]
async fn arguments_and_meta_reach_the_server_as_they_were_written() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let client = gate.client().initialize().await;
    let arguments = r#"{"b":1.0,"a":1e2,"n":10000000000000000000001,"u":"\u00e9"}"#;
    let meta = r#""codex/sandbox-state":{"writable":["/"]},"traceparent":"00-1-2-3""#;
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{{"name":"one__echo","arguments":{arguments},"_meta":{{{meta}}}}}}}"#
    );
    assert_eq!(client.post(message).await.answer().await["result"]["content"][0]["text"], "echo");
    let sent = gate.peers.last("one").await.received("tools/call").await;
    assert!(sent.contains(arguments) && sent.contains(meta), "{sent}");
    // Whatever it hints at: who would be asked is asked all the same.
    let gate = Gate::with("one", tools(&["echo"])).guarded().run().await;
    let client = gate.client().initialize().await;
    let meta = json!({"codex/sandbox-state": {"writable": ["/"]}});
    let params = json!({"name": "one__echo", "_meta": meta});
    let answer = client.request(json!(0), "tools/call", params).await.answer().await;
    assert_eq!(answer["result"]["_meta"]["toolgate/code"], "permission_denied");
}

/// What the modern era put into results is nothing for a client that does not know it.
#[tokio::test]
async fn a_modern_servers_result_reads_like_one_of_this_era() {
    let result = r#"{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x","version":"0"},"own":1}}"#;
    let tools = r#"{"resultType":"complete","ttlMs":1,"cacheScope":"public","tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    let script =
        Script::modern().on("tools/list", [Act::answer(tools)]).on_call("t", [Act::answer(result)]);
    let gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize().await;
    let text = client.calling("one__t", json!({})).await.text().await;
    assert_eq!(text, r#"{"jsonrpc":"2.0","id":0,"result":{"content":[],"_meta":{"own":1}}}"#);
    let listed = client.request(json!(0), "tools/list", json!({})).await.text().await;
    assert!(!listed.contains("ttlMs") && !listed.contains("resultType"), "{listed}");
}

/// MCP security best practices: what lets a caller in here is nothing for a server.
#[tokio::test]
async fn token_passthrough_a_callers_credentials_are_never_seen_by_a_server() {
    let site = tools(&["echo"]).over_http(WebManners::default()).await;
    let gate = Gate::empty().remote("one", &site.url("/mcp")).token("hush", "ada", None);
    let gate = gate.run().await;
    let client = gate.client().bearer("hush").header("cookie", "hush").initialize().await;
    let answer = client.call("one__echo", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "echo");
    for visit in site.visits() {
        let seen = format!("{visit:?}");
        assert!(!seen.contains("hush") && !seen.contains(client.session()), "{seen}");
    }
    assert!(!site.visits().is_empty());
}

/// The later one counts; the end of the earlier one takes nothing from it.
#[tokio::test]
async fn of_two_requests_with_one_id_the_later_can_be_cancelled() {
    let gate = Gate::with("one", waiting(&["first", "second"])).run().await;
    let client = gate.client().initialize().await;
    let call = |tool: &'static str| {
        let client = client.clone();
        tokio::spawn(async move { client.call(tool, json!({})).await })
    };
    let first = call("one__first");
    let peer = gate.peers.last("one").await;
    within(peer.received("first")).await;
    let second = call("one__second");
    within(peer.received("second")).await;
    peer.signal("first");
    assert_eq!(within(first).await.unwrap()["result"]["content"][0]["text"], "first");
    client.notify("notifications/cancelled", json!({"requestId": 0})).await;
    assert_eq!(within(second).await.unwrap()["error"]["data"]["code"], "cancelled");
}
