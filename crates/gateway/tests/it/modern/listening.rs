//! `subscriptions/listen`: the one long stream of the modern era.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Caller;
use crate::client::Reply;
use crate::gate::{Gate, Running, list, within};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A server whose tools make it say that something changed, as they are told.
fn talkative(script: Script) -> Script {
    let resources = r#"{"resources":[{"uri":"x:1","name":"1"},{"uri":"x:2","name":"2"}]}"#;
    script
        .offering(
            r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true}}"#,
        )
        .on("tools/list", [Act::answer(list(&["change", "update"]))])
        .on("resources/list", [Act::answer(resources)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("prompts/list", [Act::answer(r#"{"prompts":[]}"#)])
        .on("resources/subscribe", [Act::answer("{}")])
        .on("resources/unsubscribe", [Act::answer("{}")])
        .on_call(
            "change",
            [
                Act::line(r#"{"jsonrpc":"2.0","method":"${message:/params/arguments/method}"}"#),
                Act::say("done"),
            ],
        )
        .on_call(
            "update",
            [
                Act::notify(
                    "notifications/resources/updated",
                    r#"{"uri":"${message:/params/arguments/uri}"}"#,
                ),
                Act::say("done"),
            ],
        )
}

async fn gate() -> (Running, Caller) {
    let gate = Gate::with("one", talkative(Script::legacy())).run().await;
    let caller = Caller::of(&gate);
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        caller.ask(method, json!({})).await;
    }
    (gate, caller)
}

/// Opens a stream, and what was agreed to.
async fn listen(caller: &Caller, id: Value, filter: Value) -> (Reply, Value) {
    let params = json!({"notifications": filter});
    let mut stream = caller.request(id.clone(), "subscriptions/listen", params).await;
    assert!(stream.is_stream(), "{:?}", stream.headers);
    let first = stream.message().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["_meta"], json!({SUBSCRIPTION: id}));
    (stream, first["params"]["notifications"].clone())
}

async fn change(caller: &Caller, list: &str) {
    let method = format!("notifications/{list}/list_changed");
    let answer = caller.call("one__change", json!({"method": method})).await;
    assert!(answer["result"].is_object(), "{answer}");
}

async fn update(caller: &Caller, uri: &str) {
    caller.call("one__update", json!({"uri": uri})).await;
}

#[tokio::test]
async fn what_is_agreed_to_is_told_first_and_is_what_was_asked_and_can_be() {
    let (_gate, caller) = gate().await;
    for (id, asked, agreed) in [
        (json!(1), json!({}), json!({})),
        (json!("l"), json!({"toolsListChanged": true}), json!({"toolsListChanged": true})),
        (
            json!(2),
            json!({"toolsListChanged": true, "noSuch": true}),
            json!({"toolsListChanged": true}),
        ),
        (
            json!(3),
            json!({"promptsListChanged": true, "resourcesListChanged": true}),
            json!({"promptsListChanged": true, "resourcesListChanged": true}),
        ),
        (
            json!(4),
            json!({"resourceSubscriptions": ["x:2", "x:1", "x:2"]}),
            json!({"resourceSubscriptions": ["x:1", "x:2"]}),
        ),
    ] {
        let (_stream, told) = listen(&caller, id, asked.clone()).await;
        assert_eq!(told, agreed, "{asked}");
    }
}

/// Shows: E-1.
#[tokio::test]
async fn each_stream_carries_what_it_was_opened_for_and_its_own_id() {
    let (_gate, caller) = gate().await;
    let (mut tools, _) = listen(&caller, json!("a"), json!({"toolsListChanged": true})).await;
    let others = json!({"promptsListChanged": true, "resourcesListChanged": true, "toolsListChanged": false});
    let (mut others, _) = listen(&caller, json!(2), others).await;
    let (mut one, _) = listen(&caller, json!(3), json!({"resourceSubscriptions": ["x:1"]})).await;
    for list in ["tools", "prompts", "resources"] {
        change(&caller, list).await;
    }
    for uri in ["x:2", "x:1"] {
        update(&caller, uri).await;
    }
    change(&caller, "tools").await;
    let changed = |list: &str, id: Value| {
        let method = format!("notifications/{list}/list_changed");
        json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": {SUBSCRIPTION: id}}})
    };
    for _ in 0..2 {
        assert_eq!(tools.message().await, changed("tools", json!("a")));
    }
    assert_eq!(others.message().await, changed("prompts", json!(2)));
    assert_eq!(others.message().await, changed("resources", json!(2)));
    let params = json!({"uri": "x:1", "_meta": {SUBSCRIPTION: 3}});
    let updated =
        json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params});
    assert_eq!(one.message().await, updated);
}

#[tokio::test]
async fn an_older_server_is_subscribed_to_while_somebody_listens() {
    let (gate, caller) = gate().await;
    let filter = json!({"resourceSubscriptions": ["x:1"]});
    let (first, _) = listen(&caller, json!(1), filter.clone()).await;
    let (second, _) = listen(&caller, json!(2), filter).await;
    let peer = gate.peers.last("one").await;
    drop(first);
    gate.events.heard(&["CallEnded", "x:1"], 3).await;
    assert_eq!(gate.peers.received("one", "resources/unsubscribe"), 0, "one is still there");
    drop(second);
    within(peer.received("resources/unsubscribe")).await;
    assert_eq!(gate.peers.received("one", "resources/subscribe"), 1);
}

#[tokio::test]
async fn a_modern_server_is_listened_to_in_the_same_way() {
    let told = |method: &str, params: &str| {
        Act::line(format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{params}"_meta":{{"{SUBSCRIPTION}":${{id}}}}}}}}"#
        ))
    };
    let acknowledged = told("notifications/subscriptions/acknowledged", r#""notifications":{},"#);
    let updated = told("notifications/resources/updated", r#""uri":"x:1","#);
    let script = talkative(Script::modern())
        .on("subscriptions/listen", [acknowledged.clone()])
        .on_when("subscriptions/listen", "x:1", [acknowledged, Act::hold("update"), updated]);
    let gate = Gate::with("one", script).run().await;
    let caller = Caller::of(&gate);
    let (mut stream, agreed) =
        listen(&caller, json!(1), json!({"resourceSubscriptions": ["x:1"]})).await;
    assert_eq!(agreed, json!({"resourceSubscriptions": ["x:1"]}));
    let peer = gate.peers.last("one").await;
    within(peer.received(r#""resourceSubscriptions":["x:1"]"#)).await;
    peer.signal("update");
    let message = stream.message().await;
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    assert_eq!(message["params"]["_meta"], json!({SUBSCRIPTION: 1}), "ours, not the server's");
}

#[tokio::test]
async fn a_stream_ends_with_an_answer_when_the_gateway_is_about_to_end() {
    let (mut gate, caller) = gate().await;
    let (mut stream, _) = listen(&caller, json!("end"), json!({"toolsListChanged": true})).await;
    gate.stop.cancel();
    let last = stream.message().await;
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!("end"), &json!("complete")));
    assert_eq!(last["result"]["_meta"][SUBSCRIPTION], "end", "{last}");
    assert_eq!(stream.event().await, None);
    gate.stopped().await;
}

/// What another caller does reaches the stream; what it is told about its own requests does not.
#[tokio::test]
async fn reports_and_logs_of_requests_are_not_on_the_stream() {
    let script = talkative(Script::legacy()).on_call(
        "talk",
        [
            Act::progress(1),
            Act::notify("notifications/message", r#"{"level":"info","data":1}"#),
            Act::say("done"),
        ],
    );
    let script = script.on_when("tools/list", "", [Act::answer(list(&["talk", "change"]))]);
    let gate = Gate::with("one", script).run().await;
    let caller = Caller::of(&gate);
    caller.names("tools/list").await;
    let (mut stream, _) = listen(&caller, json!(1), json!({"toolsListChanged": true})).await;
    let loud = caller.saying("io.modelcontextprotocol/logLevel", json!("debug"));
    loud.saying("progressToken", json!(1)).call("one__talk", json!({})).await;
    change(&caller, "tools").await;
    assert_eq!(stream.message().await["method"], "notifications/tools/list_changed");
}
