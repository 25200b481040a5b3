//! The general stream: what changed, for those who want to know.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::client::Client;
use crate::gate::{Gate, Running, list, within};

/// A server whose tools make it say that something changed, as they are told.
fn talkative() -> Script {
    let resources = r#"{"resources":[{"uri":"x:1","name":"1"},{"uri":"x:2","name":"2"}]}"#;
    Script::legacy()
        .offering(
            r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{}}"#,
        )
        .on("tools/list", [Act::answer(list(&["change", "update", "log"]))])
        .on("resources/list", [Act::answer(resources)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("prompts/list", [Act::answer(r#"{"prompts":[]}"#)])
        .on("resources/subscribe", [Act::answer("{}")])
        .on("resources/unsubscribe", [Act::answer("{}")])
        .on("logging/setLevel", [Act::answer("{}")])
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
        // Once the call is answered, what is said is about no call.
        .on_call(
            "log",
            [
                Act::say("done"),
                Act::hold("log"),
                Act::notify("notifications/message", "${arguments}"),
            ],
        )
}

async fn gate() -> (Running, Client) {
    let gate = Gate::with("one", talkative()).run().await;
    let client = gate.client().initialize().await;
    (gate, client)
}

async fn call(client: &Client, tool: &str, arguments: Value) {
    let answer = client.call(&format!("one__{tool}"), arguments).await;
    assert!(answer["result"].is_object(), "{answer}");
}

async fn ask(client: &Client, method: &str, params: Value) {
    let answer = client.request(json!(1), method, params).await.answer().await;
    assert!(answer["result"].is_object(), "{method}: {answer}");
}

#[tokio::test]
async fn a_changed_list_is_told_to_those_who_were_given_it() {
    let (gate, client) = gate().await;
    let other = gate.client().initialize().await;
    let (tools, prompts) = ("tools/list", "prompts/list");
    ask(&client, tools, json!({})).await;
    ask(&other, prompts, json!({})).await;
    let (mut mine, mut theirs) = (client.get_stream().await, other.get_stream().await);
    let method = "notifications/tools/list_changed";
    call(&client, "change", json!({"method": method})).await;
    assert_eq!(mine.message().await, json!({"jsonrpc": "2.0", "method": method}));
    let method = "notifications/prompts/list_changed";
    call(&client, "change", json!({"method": method})).await;
    assert_eq!(theirs.message().await["method"], method, "and nothing of tools before");
}

#[tokio::test]
async fn an_updated_resource_is_told_to_those_who_subscribed_to_it() {
    let (gate, ada) = gate().await;
    let (bob, eve) = (gate.client().initialize().await, gate.client().initialize().await);
    ask(&ada, "resources/subscribe", json!({"uri": "x:1"})).await;
    ask(&bob, "resources/subscribe", json!({"uri": "x:1"})).await;
    ask(&bob, "resources/subscribe", json!({"uri": "x:2"})).await;
    let (mut adas, mut bobs, mut eves) =
        (ada.get_stream().await, bob.get_stream().await, eve.get_stream().await);
    call(&eve, "update", json!({"uri": "x:2"})).await;
    call(&eve, "update", json!({"uri": "x:1"})).await;
    let updated = |uri| {
        let params = json!({"uri": uri});
        json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params})
    };
    assert_eq!(adas.message().await, updated("x:1"));
    assert_eq!(bobs.message().await, updated("x:2"));
    assert_eq!(bobs.message().await, updated("x:1"));
    // The server is told once, and stays subscribed as long as somebody is.
    ask(&ada, "resources/unsubscribe", json!({"uri": "x:1"})).await;
    call(&eve, "update", json!({"uri": "x:1"})).await;
    assert_eq!(bobs.message().await, updated("x:1"));
    assert_eq!(bob.send("DELETE", "").await.status, StatusCode::NO_CONTENT);
    let peer = gate.peers.last("one").await;
    within(peer.received_times(r#""resources/unsubscribe""#, 2)).await;
    assert_eq!(gate.peers.received("one", r#""resources/subscribe""#), 2);
    for client in [&ada, &eve] {
        client.send("DELETE", "").await;
    }
    assert_eq!((adas.event().await, eves.event().await), (None, None), "nobody else was told");
}

#[tokio::test]
async fn what_nobody_offers_cannot_be_subscribed_to() {
    let (_gate, client) = gate().await;
    let none = Gate::with("one", crate::gate::tools(&["echo"])).run().await;
    let bare = none.client().initialize().await;
    let answer = bare.request(json!(1), "resources/subscribe", json!({"uri": "y:1"})).await;
    assert_eq!(answer.answer().await["error"]["code"], -32002);
    let answer = client.request(json!(1), "resources/subscribe", json!({})).await;
    assert_eq!(answer.answer().await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_servers_log_is_told_to_those_who_asked_from_their_level_on() {
    let (gate, client) = gate().await;
    let silent = gate.client().initialize().await;
    ask(&client, "logging/setLevel", json!({"level": "warning"})).await;
    let (mut mine, mut theirs) = (client.get_stream().await, silent.get_stream().await);
    for level in ["debug", "info", "error"] {
        let message = json!({"level": level, "logger": "x", "data": {"n": level}});
        call(&client, "log", message).await;
        gate.peers.last("one").await.signal("log");
        gate.events.heard(&["Log", level], 1).await;
    }
    let heard = mine.message().await;
    assert_eq!(heard["params"], json!({"level": "error", "logger": "x", "data": {"n": "error"}}));
    let peer = gate.peers.last("one").await;
    let set = within(peer.received("logging/setLevel")).await;
    assert!(set.contains(r#""level":"info""#), "low enough for one who never said: {set}");
    silent.send("DELETE", "").await;
    assert_eq!(theirs.event().await, None);
    let odd = client.request(json!(1), "logging/setLevel", json!({"level": "loud"})).await;
    assert_eq!(odd.answer().await["error"]["code"], -32602);
}

#[tokio::test]
async fn what_happened_before_anybody_listened_is_told_once() {
    let (_gate, client) = gate().await;
    ask(&client, "resources/subscribe", json!({"uri": "x:1"})).await;
    call(&client, "update", json!({"uri": "x:1"})).await;
    let mut stream = client.get_stream().await;
    assert_eq!(stream.message().await["params"]["uri"], "x:1");
    ask(&client, "resources/subscribe", json!({"uri": "x:2"})).await;
    drop(stream);
    let mut again = client.get_stream().await;
    call(&client, "update", json!({"uri": "x:2"})).await;
    assert_eq!(again.message().await["params"]["uri"], "x:2", "and not the first once more");
}

#[tokio::test]
async fn a_general_stream_is_picked_up_where_it_broke() {
    let (_gate, client) = gate().await;
    for uri in ["x:1", "x:2"] {
        ask(&client, "resources/subscribe", json!({"uri": uri})).await;
    }
    let mut stream = client.get_stream().await;
    call(&client, "update", json!({"uri": "x:1"})).await;
    let first = within(stream.event()).await.unwrap();
    drop(stream);
    call(&client, "update", json!({"uri": "x:2"})).await;
    let mut again = client.resume(first.id.as_deref().unwrap()).await;
    assert_eq!(again.message().await["params"]["uri"], "x:2");
}

/// Both speak with one server, which has one level: the lower of the two.
#[tokio::test]
async fn a_client_that_wants_to_hear_little_does_not_silence_another() {
    let (gate, much) = gate().await;
    let little = gate.client().initialize().await;
    ask(&much, "tools/list", json!({})).await;
    ask(&much, "logging/setLevel", json!({"level": "debug"})).await;
    ask(&little, "logging/setLevel", json!({"level": "error"})).await;
    let peer = gate.peers.last("one").await;
    let told = peer.seen().into_iter().rfind(|line| line.contains("logging/setLevel"));
    assert!(told.is_some_and(|told| told.contains(r#""level":"debug""#)));
}
