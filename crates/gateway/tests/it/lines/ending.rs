//! The end of a connection, from either side.

use serde_json::json;
use toolgate_gateway::{ConversationEnd, NoPlace};
use toolgate_host::ActingAs;
use toolgate_testkit::{Act, Script};

use super::{Window, attached};
use crate::gate::{Gate, Running, list, tools, within};

fn waiting() -> Script {
    Script::legacy()
        .on("tools/list", [Act::answer(list(&["wait"]))])
        .on_call("wait", [Act::hold("wait"), Act::say("done")])
}

async fn numbers(gate: &Running) -> String {
    gate.client_at("/metrics").send("GET", "").await.text().await
}

#[tokio::test]
async fn a_client_that_says_nothing_more_cancels_what_it_has_under_way() {
    let gate = Gate::with("one", waiting()).run().await;
    let mut window = Window::open(&gate).await;
    window.calling(1, "one__wait", json!({})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    let counted = numbers(&gate).await;
    assert!(counted.contains("\ntoolgate_sessions 1\n"), "{counted}");
    assert!(counted.contains("\ntoolgate_stdio_connections 1\n"), "{counted}");
    window.fall_silent().await;
    within(peer.received("notifications/cancelled")).await;
    assert_eq!(window.over().await, ConversationEnd::Left);
    let counted = numbers(&gate).await;
    assert!(counted.contains("\ntoolgate_sessions 0\n"), "{counted}");
    assert!(counted.contains("\ntoolgate_stdio_connections 0\n"), "{counted}");
    assert!(counted.contains("\ntoolgate_stdio_requests_total 2\n"), "{counted}");
}

/// Nobody waits for the end of a conversation whose task was ended.
#[tokio::test]
async fn a_conversation_that_is_dropped_ends_as_if_its_client_had_left() {
    let gate = Gate::with("one", waiting()).run().await;
    let mut window = Window::open(&gate).await;
    window.calling(1, "one__wait", json!({})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    window.drop_conversation();
    within(peer.received("notifications/cancelled")).await;
    window.rest().await;
    assert!(numbers(&gate).await.contains("\ntoolgate_sessions 0\n"));
}

#[tokio::test]
async fn what_is_under_way_is_finished_before_the_gateway_ends_and_nothing_new_is_begun() {
    let gate = Gate::with("one", waiting()).run().await;
    let mut window = Window::open(&gate).await;
    let mut idle = Window::open(&gate).await;
    window.calling(1, "one__wait", json!({})).await;
    let peer = gate.peers.last("one").await;
    within(peer.received("tools/call")).await;
    gate.gateway.drain();
    assert_eq!(idle.rest().await, Vec::<serde_json::Value>::new());
    assert_eq!(idle.over().await, ConversationEnd::Drained);
    let refused = window.ask(2, "tools/list", json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(refused["error"]["message"], "this gateway is about to end");
    let late = gate.gateway.attach(attached()).await;
    assert!(matches!(late, Err(NoPlace::Unavailable(_))), "{late:?}");
    peer.signal("wait");
    let rest = window.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["result"]["content"][0]["text"], "done");
    assert_eq!(window.over().await, ConversationEnd::Drained);
}

#[tokio::test]
async fn who_has_no_such_workspace_or_role_is_not_attached() {
    let gate = Gate::with("one", tools(&["echo"])).workspace("here").role("reader", &["one"]);
    let gate = gate.run().await;
    let role = |name: &str| Some(ActingAs::parse(name).unwrap());
    let mut limited = attached();
    limited.known.roles = role("writer").map(|acting| vec![acting.role().clone()]);
    for (mut stranger, workspace, role) in [
        (attached(), Some("there"), None),
        (attached(), Some("here"), role("writer")),
        (limited.clone(), None, role("reader")),
        (limited, None, None),
    ] {
        (stranger.workspace, stranger.role) = (workspace.map(str::to_owned), role);
        let refused = gate.gateway.attach(stranger.clone()).await;
        assert_eq!(refused.err(), Some(NoPlace::NotThere), "{stranger:?}");
    }
    let mut reader = attached();
    (reader.workspace, reader.role) = (Some("here".to_owned()), role("reader"));
    assert!(gate.gateway.attach(reader).await.is_ok());
}
