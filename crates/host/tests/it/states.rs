//! What a screen would show of each server.

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::{Code, ServerState};

use crate::gate::{Gate, id, list, remote, stdio, tools, within};
use toolgate_host::{Call, CallTarget};

/// Shows: S1-13, S4-36.
#[tokio::test]
async fn every_server_says_in_which_state_it_is() {
    let site = tools(&["a"]).over_http(WebManners::default()).await;
    let gate = Gate::open()
        .server("ready", tools(&["a", "b"]))
        .server_with("off", tools(&["c"]), |server| server.enabled = false)
        .pending("asks", stdio("false", &[]))
        .remote("login", &site.url("/status/401"))
        .server("broken", Script::legacy().on("initialize", [Act::Exit(3)]))
        .run();
    assert_eq!(gate.state("login"), ServerState::Idle);
    assert_eq!(gate.names().await, ["a", "b"], "what is not ready is not listed");
    let states = gate.host.status().into_iter().map(|status| (status.id.to_string(), status.state));
    let expected = [
        ("ready", ServerState::Ready),
        ("off", ServerState::Disabled),
        ("asks", ServerState::Pending),
        ("login", ServerState::AuthRequired),
        ("broken", ServerState::Error),
    ];
    assert_eq!(states.collect::<Vec<_>>(), expected.map(|(id, state)| (id.to_owned(), state)));
    gate.events.heard("login wants a login").await;
    let target = CallTarget::exact(id("login"), "t".to_owned());
    let error = within(gate.host.call(Call::new(target))).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated, "also while it is not tried again");
    assert!(gate.status("broken").last_error.is_some());
}

#[tokio::test]
async fn a_connected_server_says_what_it_is() {
    let modern = Script::modern()
        .on("tools/list", [Act::answer(list(&["a", "b", "c"]))])
        .offering(r#"{"tools":{"listChanged":true}}"#);
    let gate = Gate::open().server("old", tools(&["a"])).server("new", modern).run();
    assert!(gate.status("old").connection.is_none());
    assert_eq!(gate.status("old").tools, None);
    gate.names().await;
    let (old, new) = (gate.status("old"), gate.status("new"));
    assert_eq!((old.tools, new.tools), (Some(1), Some(3)));
    let (old, new) = (old.connection.unwrap(), new.connection.unwrap());
    assert_eq!((old.era, old.revision), ("legacy", "2025-11-25"));
    assert_eq!((new.era, new.revision), ("modern", "2026-07-28"));
    assert!(old.name.is_some() && old.version.is_some());
    assert!(gate.status("old").last_connected_at.is_some());
}

#[tokio::test]
async fn a_pending_server_is_reached_by_nobody_and_a_disabled_one_neither() {
    let gate = Gate::open()
        .pending("asks", stdio("false", &[]))
        .server_with("off", tools(&["c"]), |server| server.enabled = false)
        .run();
    for server in ["asks", "off", "absent"] {
        let target = CallTarget::exact(id(server), "c".to_owned());
        let error = within(gate.host.call(Call::new(target))).await.unwrap_err();
        assert_eq!(error.code, Code::NotFound);
        assert_eq!(error.message, format!("there is no `{server}/c`"));
    }
    assert_eq!(gate.peers.starts("off"), 0);
}

#[tokio::test]
async fn a_server_at_a_port_that_nobody_listens_at_is_an_error_and_no_panic() {
    let gate = Gate::open().entry("gone", remote("http://127.0.0.1:9/mcp"), |_| {}).run();
    assert!(gate.names().await.is_empty());
    let status = gate.status("gone");
    assert_eq!(status.state, ServerState::Error);
    assert_eq!(status.failures, 1);
    assert!(status.retry_in.is_some(), "the wait can be seen");
}
