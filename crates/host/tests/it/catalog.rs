//! How fresh lists are, what makes them stale, and what is known before a server runs.

use std::sync::Arc;
use std::time::Duration;

use toolgate_host::{Call, CallOptions, CallTarget};
use toolgate_store::{MemoryStore, SqliteStore, Store};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};
use toolgate_types::{Code, Milliseconds};

use crate::gate::{Gate, id, list, tools, with_tools, within};

const LISTS: &str = "\"tools/list\"";

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Shows: S0-36, C13, S0-2.
#[tokio::test(start_paused = true)]
async fn inside_its_time_to_live_a_list_is_not_asked_for_again() {
    let gate = Gate::open().server("one", tools(&["a"])).run();
    gate.names().await;
    // What runs here holds half as long as what does not.
    tokio::time::sleep(seconds(29)).await;
    gate.names().await;
    assert_eq!(gate.peers.received("one", LISTS), 1);
    tokio::time::sleep(seconds(2)).await;
    gate.names().await;
    assert_eq!(gate.peers.received("one", LISTS), 2);
}

#[tokio::test(start_paused = true)]
async fn the_time_to_live_is_configured_or_the_servers_own() {
    let own = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"a"}],"ttlMs":5000}"#)]);
    let gate = Gate::open()
        .server("own", own)
        .server("configured", tools(&["b"]))
        .configured(|config| config.limits.tools_ttl = Milliseconds::at_least_one(20_000))
        .run();
    let lists = || ["own", "configured"].map(|server| gate.peers.received(server, LISTS));
    gate.names().await;
    tokio::time::sleep(seconds(6)).await;
    gate.names().await;
    assert_eq!(lists(), [2, 1]);
    tokio::time::sleep(seconds(15)).await;
    gate.names().await;
    assert_eq!(lists(), [3, 2]);
}

/// Shows: S4-32, S4-44, C13, S1-99.
#[tokio::test(start_paused = true)]
async fn a_server_that_says_its_tools_changed_is_asked_again_and_said_so_once() {
    let changed = Act::notify("notifications/tools/list_changed", "{}");
    let script = Script::legacy()
        .on(
            "tools/list",
            [Act::InTurn(vec![Act::answer(list(&["a"])), Act::answer(list(&["a", "b"]))])],
        )
        .on_call("a", [vec![changed; 100], vec![Act::say("a")]].concat());
    let gate = Gate::open().server("one", script).run();
    assert_eq!(gate.names().await, ["a"]);
    let frozen = gate.host.tools().await;
    let target = CallTarget::exact(id("one"), "a".to_owned());
    within(gate.host.call(Call::new(target))).await.unwrap();
    gate.events.heard("one changed Tools").await;
    assert_eq!(frozen.iter().filter(|tool| tool.origin().is_some()).count(), 1, "frozen in a run");
    assert_eq!(gate.names().await, ["a", "b"], "new in the next");
    let told = gate.events.all().iter().filter(|line| *line == "one changed Tools").count();
    assert_eq!(told, 1, "a hundred times the same is told once");
}

/// Shows: S1-89.
#[tokio::test(start_paused = true)]
async fn resources_and_prompts_that_changed_are_asked_for_again_too() {
    let script = Script::legacy()
        .offering(r#"{"resources":{"listChanged":true},"prompts":{"listChanged":true}}"#)
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:${n}","name":"x"}]}"#)])
        .on("resources/templates/list", [Act::refuse(-32601, "no")])
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"p${n}"}]}"#)])
        .on(
            "prompts/get",
            [
                Act::notify("notifications/resources/list_changed", "{}"),
                Act::notify("notifications/prompts/list_changed", "{}"),
                Act::answer(r#"{"messages":[]}"#),
            ],
        );
    let gate = Gate::open().server("one", script).run();
    let first = (keys(&gate.host.resources().await), keys(&gate.host.prompts().await));
    assert_eq!(first, (keys(&gate.host.resources().await), keys(&gate.host.prompts().await)));
    assert!(gate.host.resource_templates().await.is_empty(), "a refusal is an empty list");
    let server = id("one");
    within(gate.host.get_prompt(&server, "p", None, CallOptions::default())).await.unwrap();
    gate.events.heard("one changed Prompts").await;
    let second = (keys(&gate.host.resources().await), keys(&gate.host.prompts().await));
    assert_ne!(first.0, second.0);
    assert_ne!(first.1, second.1);
}

fn keys(found: &[toolgate_host::CatalogItem]) -> Vec<String> {
    found.iter().map(|found| found.definition.key.to_string()).collect()
}

/// Shows: S1-65, S1-67.
#[tokio::test(start_paused = true)]
async fn a_server_without_tools_is_ready_with_none_and_every_page_is_read() {
    let none = Script::legacy().offering(r#"{"prompts":{}}"#);
    let paged = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"a"}],"nextCursor":"2"}"#)])
        .on_when(
            "tools/list",
            "\"cursor\":\"2\"",
            [Act::answer(r#"{"tools":[{"name":"b"}],"nextCursor":"3"}"#)],
        )
        .on_when("tools/list", "\"cursor\":\"3\"", [Act::answer(r#"{"tools":[{"name":"c"}]}"#)]);
    let gate = Gate::open().server("none", none).server("paged", paged).run();
    assert_eq!(gate.names().await, ["a", "b", "c"]);
    assert_eq!(gate.state("none"), toolgate_types::ServerState::Ready);
    assert_eq!(gate.status("none").tools, Some(0));
    assert_eq!(gate.peers.received("none", LISTS), 0, "what was not offered is not asked for");
}

/// Shows: S4-17, S1-71, E-9.
#[tokio::test]
async fn a_snapshot_answers_before_the_server_runs_and_the_server_has_the_last_word() {
    let folder = tempfile::tempdir().unwrap();
    let store = || Arc::new(SqliteStore::open(folder.path()).unwrap()) as Arc<dyn Store>;
    let first = Gate::open()
        .server("one", tools(&["kept", "gone"]))
        .building(|builder| builder.store(store()))
        .run();
    assert_eq!(first.names().await, ["gone", "kept"]);
    first.host.close_all().await;
    drop(first);
    let second = Gate::open()
        .server("one", tools(&["kept", "new"]))
        .building(|builder| builder.store(store()))
        .run();
    assert_eq!(second.names().await, ["gone", "kept"], "at once");
    assert_eq!(second.peers.starts("one"), 0, "and nothing was started");
    let tools = second.host.tools().await;
    let tool = |name: &str| {
        let named = |tool: &&Arc<dyn toolgate_types::Tool>| {
            tool.origin().is_some_and(|origin| origin.name == name)
        };
        Arc::clone(tools.iter().find(named).unwrap())
    };
    let error = within(tool("gone").call(crate::gate::json("{}"))).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound, "the server no longer has it, whatever was kept");
    assert_eq!(second.peers.received("one", "tools/call"), 0);
    within(tool("kept").call(crate::gate::json("{}"))).await.unwrap();
    assert_eq!(second.names().await, ["kept", "new"]);
    second.host.close_all().await;
    drop((second, tools));
    let third = Gate::open()
        .server("one", crate::gate::tools(&["x"]))
        .building(|builder| builder.store(store()))
        .run();
    assert_eq!(third.names().await, ["kept", "new"], "the snapshot was replaced");
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_is_of_one_entry_one_environment_one_workspace_and_one_principal() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let gate = |name: &'static str| {
        let store = Arc::clone(&store);
        Gate::open().server("one", tools(&[name])).building(move |builder| builder.store(store))
    };
    assert_eq!(gate("mine").run().names().await, ["mine"]);
    assert_eq!(gate("x").run().names().await, ["mine"], "the same again");
    let asked = gate("asked").building(|builder| builder.live_only()).run();
    assert_eq!(asked.names().await, ["asked"], "unless the server itself is wanted");
    let elsewhere = gate("elsewhere").building(|builder| builder.workspace("/tmp"));
    assert_eq!(elsewhere.run().names().await, ["elsewhere"]);
    let other = toolgate_types::Principal::named("other");
    let theirs = gate("theirs").building(|builder| builder.principal(other));
    assert_eq!(theirs.run().names().await, ["theirs"]);
    let changed = gate("changed").configured(|config| {
        config.servers[&id("one")].fingerprint.entry.0[31] = 1;
    });
    assert_eq!(changed.run().names().await, ["changed"]);
}

/// Shows: S4-30.
#[tokio::test(start_paused = true)]
async fn a_server_whose_tools_cannot_be_listed_is_an_error_and_closed() {
    let script = Script::legacy().on("tools/list", [Act::refuse(-32603, "broken")]);
    let gate = Gate::open().server("one", script).server("two", tools(&["a"])).run();
    assert_eq!(gate.names().await, ["a"]);
    assert_eq!(gate.state("one"), toolgate_types::ServerState::Error);
    let status = gate.status("one");
    assert!(status.last_error.unwrap().contains("its tools could not be listed"));
    within(gate.peers.last("one").has_ended()).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_fails_later_costs_nothing_that_was_known() {
    let script = Script::legacy().on(
        "tools/list",
        [Act::InTurn(vec![Act::answer(list(&["a"])), Act::refuse(-32603, "not now")])],
    );
    let gate = Gate::open().server("one", script).run();
    assert_eq!(gate.names().await, ["a"]);
    tokio::time::sleep(seconds(61)).await;
    assert_eq!(gate.names().await, ["a"]);
    assert_eq!(gate.state("one"), toolgate_types::ServerState::Ready);
    gate.names().await;
    assert_eq!(gate.peers.received("one", LISTS), 2, "and it is not asked at every turn");
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_listened_to() {
    let changed = Act::notify(
        "notifications/tools/list_changed",
        r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}}}"#,
    );
    let acknowledged = Act::notify(
        "notifications/subscriptions/acknowledged",
        r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}},"notifications":{"toolsListChanged":true}}"#,
    );
    let script = with_tools(Script::modern(), &["a"])
        .offering(r#"{"tools":{"listChanged":true},"resources":{"subscribe":true}}"#)
        .on(
            "subscriptions/listen",
            [acknowledged, Act::hold("changed"), changed, Act::hold("end")],
        );
    let gate = Gate::open().server("one", script).run();
    gate.names().await;
    let peer = gate.peers.last("one");
    let asked = within(peer.received("subscriptions/listen")).await;
    assert!(asked.contains(r#""toolsListChanged":true"#), "{asked}");
    assert!(!asked.contains("promptsListChanged"), "only what the server offers: {asked}");
    peer.signal("changed");
    gate.events.heard("one changed Tools").await;
    gate.names().await;
    assert_eq!(gate.peers.received("one", LISTS), 2);
    within(gate.host.subscribe(&id("one"), "file:///x", CallOptions::default())).await.unwrap();
    let again = within(peer.received("file:///x")).await;
    assert!(again.contains("resourceSubscriptions"), "{again}");
}

/// A modern server that tells of changes once it was let, and no earlier.
fn acknowledging(first: Vec<Act>) -> Script {
    let acknowledged = Act::notify(
        "notifications/subscriptions/acknowledged",
        r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}},"notifications":{}}"#,
    );
    let acts = [first, vec![acknowledged, Act::hold("end")]].concat();
    Script::modern()
        .offering(r#"{"resources":{"subscribe":true}}"#)
        .on("subscriptions/listen", acts)
}

/// Whether a subscription is still waited for after everybody else had a turn. No time passes.
async fn is_waited_for<T>(subscribing: &tokio::task::JoinHandle<T>) -> bool {
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    !subscribing.is_finished()
}

/// Whoever is told that it is subscribed hears of the next change.
#[tokio::test(start_paused = true)]
async fn a_subscription_is_answered_once_a_modern_server_acknowledged_it() {
    let gate = Gate::open().server("one", acknowledging(vec![Act::hold("ready")])).run();
    let host = gate.host.clone();
    let began = tokio::time::Instant::now();
    let subscribing = tokio::spawn(async move {
        host.subscribe(&id("one"), "file:///x", CallOptions::default()).await
    });
    while gate.peers.received("one", "file:///x") == 0 {
        tokio::task::yield_now().await;
    }
    assert!(is_waited_for(&subscribing).await, "the server does not tell of it yet");
    gate.peers.last("one").signal("ready");
    within(subscribing).await.unwrap().unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO, "it was not given up");
}

/// What the server of an earlier connection told of says nothing about the next.
#[tokio::test(start_paused = true)]
async fn what_was_acknowledged_before_a_reconnect_is_waited_for_again() {
    let scripts = vec![acknowledging(Vec::new()), acknowledging(vec![Act::hold("ready")])];
    let gate = Gate::open().scripts("one", scripts, |_| {}).run();
    let subscribe = || {
        let host = gate.host.clone();
        tokio::spawn(async move {
            host.subscribe(&id("one"), "file:///x", CallOptions::default()).await
        })
    };
    within(subscribe()).await.unwrap().unwrap();
    within(gate.host.reconnect(&id("one"))).await.unwrap();
    while gate.peers.received("one", "file:///x") < 2 {
        tokio::task::yield_now().await;
    }
    let began = tokio::time::Instant::now();
    let again = subscribe();
    assert!(is_waited_for(&again).await, "this server does not tell of it yet");
    gate.peers.last("one").signal("ready");
    within(again).await.unwrap().unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO, "it was not given up");
}

#[tokio::test(start_paused = true)]
async fn an_older_server_is_subscribed_to_and_again_after_a_reconnect() {
    let updated = Act::notify("notifications/resources/updated", r#"{"uri":"x:1"}"#);
    let script = Script::legacy()
        .offering(r#"{"resources":{"subscribe":true}}"#)
        .on("resources/subscribe", [Act::answer("{}"), updated])
        .on("resources/unsubscribe", [Act::answer("{}")]);
    let gate = Gate::open().server("one", script).run();
    within(gate.host.subscribe(&id("one"), "x:1", CallOptions::default())).await.unwrap();
    within(gate.host.subscribe(&id("one"), "x:1", CallOptions::default())).await.unwrap();
    assert_eq!(gate.events.heard("one updated").await, "one updated x:1");
    assert_eq!(gate.peers.received("one", "resources/subscribe"), 1, "once for both");
    gate.host.reconnect(&id("one")).await.unwrap();
    within(gate.peers.last("one").received("resources/subscribe")).await;
    within(gate.host.unsubscribe(&id("one"), "x:1", CallOptions::default())).await.unwrap();
    assert_eq!(gate.peers.received("one", "resources/unsubscribe"), 0, "somebody still listens");
    within(gate.host.unsubscribe(&id("one"), "x:1", CallOptions::default())).await.unwrap();
    assert_eq!(gate.peers.received("one", "resources/unsubscribe"), 1);
}

/// Clients ask for all of their lists at once.
#[tokio::test]
async fn a_snapshot_answers_all_who_ask_at_the_same_time_and_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let gate = || {
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap()) as Arc<dyn Store>;
        let script = tools(&["kept"])
            .offering(r#"{"tools":{},"prompts":{}}"#)
            .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"p"}]}"#)]);
        Gate::open().server("one", script).building(|builder| builder.store(store)).run()
    };
    let first = gate();
    tokio::join!(first.names(), first.host.prompts());
    first.host.close_all().await;
    drop(first);
    let second = gate();
    let (tools, prompts, again) =
        tokio::join!(second.names(), second.host.prompts(), second.names());
    assert_eq!((tools, keys(&prompts), again.len()), (vec!["kept".into()], vec!["p".into()], 1));
    assert_eq!(second.peers.starts("one"), 0);
}

#[tokio::test]
async fn what_a_server_says_of_how_to_use_it_is_known_before_it_runs_as_it_was_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let greeting = |words: &str| {
        Act::answer(format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"x","version":"0"}},"instructions":"{words}"}}"#
        ))
    };
    let greetings = Act::InTurn(vec![greeting("Be kind."), greeting("Be quick.")]);
    let site = tools(&["a"]).on("initialize", [greetings]).over_http(WebManners::default()).await;
    let gate = || {
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap()) as Arc<dyn Store>;
        let url = site.url("/mcp");
        Gate::open().remote("one", &url).building(|builder| builder.store(store)).run()
    };
    let said = |gate: &crate::gate::Running| {
        let everybody = toolgate_host::Audience::at(toolgate_host::AudienceAddress::Everything);
        let all = gate.host.instructions(&everybody);
        all.into_iter().map(|(_, words)| words).collect::<Vec<_>>()
    };
    let first = gate();
    first.host.recall().await;
    assert_eq!(said(&first), [""; 0]);
    first.names().await;
    assert_eq!(said(&first), ["Be kind."]);
    first.host.close_all().await;
    assert_eq!(said(&first), ["Be kind."], "also when it was stopped");
    drop(first);
    // What it says from now on was accepted by nobody.
    let second = gate();
    second.host.recall().await;
    assert_eq!(said(&second), ["Be kind."]);
    within(second.host.call(Call::new(CallTarget::exact(id("one"), "a".to_owned()))))
        .await
        .unwrap();
    second.events.heard("one says something else").await;
    assert_eq!(said(&second), ["Be kind."]);
    second.host.close_all().await;
}
