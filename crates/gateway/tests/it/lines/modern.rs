//! The modern era on a connection: every request stands for itself, beside a session or without.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Window;
use crate::gate::{Gate, Running, asked_by, list, tools, within};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// These parameters with what each request must say of itself.
fn modern(params: Value) -> Value {
    able(params, json!({}))
}

fn able(mut params: Value, capabilities: Value) -> Value {
    params["_meta"] = json!({
        VERSION: "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "window", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "progressToken": "t",
    });
    params
}

async fn call(window: &mut Window, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    let params = modern(json!({"name": tool, "arguments": arguments}));
    window.ask(id, "tools/call", params).await
}

#[tokio::test]
async fn a_window_that_opens_no_session_discovers_lists_and_calls() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let mut window = Window::of(&gate);
    let found = window.ask(0, "server/discover", modern(json!({}))).await;
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    assert!(found["result"]["supportedVersions"].to_string().contains("2025-11-25"), "{found}");
    let listed = window.ask(1, "tools/list", modern(json!({}))).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "one__echo", "{listed}");
    assert_eq!(listed["result"]["resultType"], "complete");
    let answer = call(&mut window, "c", "one__echo", json!({})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "echo");
    assert_eq!(answer["result"]["resultType"], "complete");
}

/// Claude Code asks what is spoken here, and then opens a session or does not.
#[tokio::test]
async fn both_eras_are_spoken_on_one_connection_each_request_in_its_own() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let mut window = Window::of(&gate);
    window.ask(0, "server/discover", modern(json!({}))).await;
    let opened = window.initialize("2025-11-25", json!({})).await;
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25", "{opened}");
    window.calling(1, "one__echo", json!({})).await;
    let params = modern(json!({"name": "one__echo"}));
    window.request(2, "tools/call", params).await;
    assert!(window.answer(1).await["result"].get("resultType").is_none());
    assert_eq!(window.answer(2).await["result"]["resultType"], "complete");
    // What went with the sessions is gone, whether one is open or not.
    let ping = window.ask(3, "ping", modern(json!({}))).await;
    assert_eq!(ping["error"]["code"], -32601, "{ping}");
}

#[tokio::test]
async fn a_request_that_says_too_little_or_another_version_is_told_what_is_spoken() {
    let gate = Gate::with("one", tools(&["echo"])).run().await;
    let mut window = Window::of(&gate);
    let bare = json!({"_meta": {VERSION: "2026-07-28"}});
    let refused = window.ask(1, "tools/list", bare).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let mut params = modern(json!({}));
    params["_meta"][VERSION] = json!("2031-01-01");
    let refused = window.ask(2, "server/discover", params).await;
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(refused["error"]["data"]["requested"], "2031-01-01");
    assert_eq!(refused["error"]["data"]["supported"][0], "2026-07-28");
}

#[tokio::test]
async fn a_servers_question_goes_back_as_the_answer_and_never_as_a_request() {
    let form =
        r#"{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{}}}"#;
    let asks = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"elicitation/create","params":{form}}}}},"requestState":"s"}}"#
    );
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["ask"]))])
        .on_when("tools/call ask", "inputResponses", [Act::say("thanks")])
        .on_call("ask", [Act::answer(asks)]);
    let gate = Gate::with("one", script).run().await;
    let mut window = Window::of(&gate);
    let capabilities = json!({"elicitation": {"form": {}}});
    let params = able(json!({"name": "one__ask"}), capabilities.clone());
    let asked = window.ask(1, "tools/call", params).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let message = asked_by("one", "who?").replace("\\n", "\n");
    assert_eq!(asked["result"]["inputRequests"]["q"]["params"]["message"], message);
    let again = json!({
        "name": "one__ask",
        "inputResponses": {"q": {"action": "accept", "content": {}}},
        "requestState": asked["result"]["requestState"],
    });
    let answer = window.ask(2, "tools/call", able(again, capabilities)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "thanks", "{answer}");
    assert_eq!(window.unread(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_cancelled_request_is_not_heard_of_again() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait"]))])
        .on_call("wait", [Act::progress(1), Act::hold("wait"), Act::progress(2), Act::say("x")]);
    let gate = Gate::with("one", script).run().await;
    let mut window = Window::of(&gate);
    let params = modern(json!({"name": "one__wait"}));
    window.request("w", "tools/call", params).await;
    assert_eq!(window.next().await["params"]["progress"], 1);
    window.cancel("w").await;
    gate.events.heard(&["CallEnded", "wait", "Failed(Cancelled)"], 1).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("notifications/cancelled")).await;
    peer.signal("wait");
    call(&mut window, 2, "one__absent", json!({})).await;
    assert_eq!(window.unread(), Vec::<Value>::new());
}

fn talkative() -> Script {
    let changed = |list: &str| {
        let method = format!("notifications/{list}/list_changed");
        [Act::notify(&method, "{}"), Act::say("done")]
    };
    let updated = r#"{"uri":"${message:/params/arguments/uri}"}"#;
    Script::legacy()
        .offering(
            r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{"listChanged":true}}"#,
        )
        .on("tools/list", [Act::answer(list(&["tools", "prompts", "update"]))])
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"1"}]}"#)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("prompts/list", [Act::answer(r#"{"prompts":[]}"#)])
        .on("resources/subscribe", [Act::answer("{}")])
        .on("resources/unsubscribe", [Act::answer("{}")])
        .on_call("tools", changed("tools"))
        .on_call("prompts", changed("prompts"))
        .on_call("update", [Act::notify("notifications/resources/updated", updated), Act::say("")])
}

/// A window that knows all lists, so that each change of one is news.
async fn informed() -> (Running, Window) {
    let gate = Gate::with("one", talkative()).run().await;
    let mut window = Window::of(&gate);
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        window.ask(method, method, modern(json!({}))).await;
    }
    (gate, window)
}

/// Begins to listen; gives what was agreed to.
async fn listen(window: &mut Window, id: impl Into<Value>, filter: Value) -> Value {
    let id = id.into();
    let params = modern(json!({"notifications": filter}));
    window.request(id.clone(), "subscriptions/listen", params).await;
    let first = window.next().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["_meta"], json!({SUBSCRIPTION: id}));
    first["params"]["notifications"].clone()
}

#[tokio::test]
async fn news_come_under_the_id_of_the_request_that_wants_them_until_it_is_cancelled() {
    let (gate, mut window) = informed().await;
    let wish = json!({"toolsListChanged": true, "noSuch": true});
    assert_eq!(listen(&mut window, "a", wish).await, json!({"toolsListChanged": true}));
    let wish = json!({"promptsListChanged": true, "resourceSubscriptions": ["x:1"]});
    assert_eq!(listen(&mut window, 2, wish.clone()).await, wish);
    call(&mut window, 3, "one__tools", json!({})).await;
    call(&mut window, 4, "one__prompts", json!({})).await;
    call(&mut window, 5, "one__update", json!({"uri": "x:1"})).await;
    let heard: Vec<_> = window.unread();
    let told = |method: &str, id: Value, uri: Option<&str>| {
        let mut params = json!({"_meta": {SUBSCRIPTION: id}});
        if let Some(uri) = uri {
            params["uri"] = json!(uri);
        }
        json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
    };
    let expected = [
        told("tools/list_changed", json!("a"), None),
        told("prompts/list_changed", json!(2), None),
        told("resources/updated", json!(2), Some("x:1")),
    ];
    assert_eq!(heard, expected);
    window.cancel(2).await;
    within(gate.peers.last("one").await.received("resources/unsubscribe")).await;
    call(&mut window, 6, "one__update", json!({"uri": "x:1"})).await;
    call(&mut window, 7, "one__prompts", json!({})).await;
    assert_eq!(window.unread(), Vec::<Value>::new(), "nothing more, not even an answer");
    window.ask("again", "tools/list", modern(json!({}))).await;
    call(&mut window, 8, "one__tools", json!({})).await;
    assert_eq!(window.unread(), [told("tools/list_changed", json!("a"), None)]);
}

#[tokio::test]
async fn what_a_window_listened_to_is_given_up_when_it_leaves() {
    let (gate, mut window) = informed().await;
    listen(&mut window, 1, json!({"resourceSubscriptions": ["x:1"]})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("resources/subscribe")).await;
    drop(window);
    within(peer.received("resources/unsubscribe")).await;
}

#[tokio::test]
async fn a_listener_is_answered_when_the_gateway_is_about_to_end() {
    let (gate, mut window) = informed().await;
    listen(&mut window, "end", json!({"toolsListChanged": true})).await;
    gate.stop.cancel();
    let rest = window.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(
        (&rest[0]["id"], &rest[0]["result"]["resultType"]),
        (&json!("end"), &json!("complete"))
    );
    assert_eq!(rest[0]["result"]["_meta"][SUBSCRIPTION], "end");
}
