//! How long a list waits: for nobody who hangs, once for all lists, and longer only for a client that
//! never lists again.
//!
//! The clock stands still unless everybody waits, so the times are exact.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use toolgate_testkit::{Act, Script};
use toolgate_types::Milliseconds;

use crate::gate::{Gate, Running, list, tools, within};
use crate::lines::Window;

const WAIT: Duration = Duration::from_millis(500);

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// It takes what it is told and says nothing.
fn hanging() -> Script {
    held_until(&["server/discover", "initialize"], tools(&["late"]))
}

/// Before it answers one of these it waits for a signal of the same name.
fn held_until(methods: &[&str], script: Script) -> Script {
    let mut script = script;
    for method in methods {
        let answer = match *method {
            "initialize" => Act::refuse(-32601, "no"),
            "server/discover" => {
                Act::answer(r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#)
            }
            _ => Act::answer(list(&["late"])),
        };
        script = script.on_when(method, "", [Act::hold(method), answer]);
    }
    script
}

/// The steps of a start, one each so many milliseconds after the one before.
fn steps(gate: &Running, server: &'static str, after: u64) {
    let peers = Arc::clone(&gate.peers);
    tokio::spawn(async move {
        let peer = peers.last(server).await;
        for step in ["initialize", "server/discover", "tools/list"] {
            sleep(millis(after)).await;
            peer.signal(step);
        }
    });
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

async fn open_as(gate: &Running, client: &str) -> Window {
    let mut window = Window::of(gate);
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": client, "version": "0"},
    });
    window.ask("init", "initialize", params).await;
    window
}

async fn listed(window: &mut Window) -> (Vec<String>, Duration) {
    let began = Instant::now();
    let answer = window.ask(1, "tools/list", json!({})).await;
    (names(&answer).into_iter().map(str::to_owned).collect(), began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn one_that_hangs_hides_nobody_and_comes_later() {
    let gate = Gate::with("hung", hanging()).server("fast", tools(&["a"])).run().await;
    let mut window = Window::open(&gate).await;
    assert_eq!(listed(&mut window).await, (vec!["fast__a".to_owned()], WAIT));
    // It owes an answer since then, so no other list waits for it again.
    let began = Instant::now();
    for (method, member) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("tools/list", "tools"),
    ] {
        let answer = window.ask(2, method, json!({})).await;
        assert!(answer["result"][member].is_array(), "{answer}");
    }
    assert_eq!(began.elapsed(), Duration::ZERO);
    window.unread();
    let peer = gate.peers.last("hung").await;
    peer.signal("server/discover");
    peer.signal("initialize");
    assert_eq!(window.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(listed(&mut window).await.0, ["fast__a", "hung__late"]);
}

#[tokio::test(start_paused = true)]
async fn lists_that_are_asked_for_together_wait_together() {
    let gate = Gate::with("hung", hanging()).server("fast", tools(&["a"])).run().await;
    let mut window = Window::open(&gate).await;
    let began = Instant::now();
    let methods = ["resources/list", "prompts/list", "tools/list", "resources/templates/list"];
    for method in methods {
        window.request(method, method, json!({})).await;
    }
    for method in methods {
        window.answer(method).await;
        assert_eq!(began.elapsed(), WAIT, "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn how_long_is_a_setting_and_holds_over_http_too() {
    let wait = millis(70);
    let gate = Gate::with("hung", hanging())
        .server("fast", tools(&["a"]))
        .limits(|limits| limits.list_wait = Milliseconds::at_least_one(70))
        .run()
        .await;
    let client = gate.client().initialize().await;
    let began = Instant::now();
    let answer = client.request(json!(1), "tools/list", json!({})).await.json().await;
    assert_eq!((names(&answer), began.elapsed()), (vec!["fast__a"], wait));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_lists_again_waits_for_those_that_make_progress() {
    let slow = || held_until(&["server/discover", "initialize", "tools/list"], tools(&["late"]));
    let gate = Gate::with("slow", slow()).server("hung", hanging()).run().await;
    steps(&gate, "slow", 250);
    let mut codex = open_as(&gate, "codex-mcp-client").await;
    assert_eq!(listed(&mut codex).await, (vec!["slow__late".to_owned()], millis(750)));
    codex.heard_nothing_else().await;
    // Every other client is told later.
    let gate = Gate::with("slow", slow()).run().await;
    steps(&gate, "slow", 250);
    let mut other = open_as(&gate, "claude-code").await;
    assert_eq!(listed(&mut other).await, (vec![], WAIT));
    assert_eq!(other.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(listed(&mut other).await.0, ["slow__late"]);
}

/// Whatever a server does, nobody waits longer than the client itself.
#[tokio::test(start_paused = true)]
async fn progress_is_waited_for_no_longer_than_the_client_does_and_silence_not_at_all() {
    let steady = held_until(&["server/discover", "initialize", "tools/list"], tools(&["late"]));
    let gate = Gate::with("steady", steady).run().await;
    steps(&gate, "steady", 400);
    let mut codex = open_as(&gate, "codex").await;
    assert_eq!(listed(&mut codex).await, (vec![], millis(900)));
    // The same name for a server that only hangs gains nothing, and neither does a second list.
    let gate = Gate::with("hung", hanging()).run().await;
    let mut codex = open_as(&gate, "codex").await;
    assert_eq!(listed(&mut codex).await, (vec![], WAIT));
    assert_eq!(listed(&mut codex).await, (vec![], Duration::ZERO));
}

/// What a client calls itself changes how long a modern list waits and nothing else of it. One that came
/// without somebody is not to be kept.
#[tokio::test(start_paused = true)]
async fn a_modern_list_waits_longer_only_for_who_lists_once() {
    let slow = || held_until(&["server/discover", "initialize", "tools/list"], tools(&["late"]));
    for (client, found, waited, ttl) in
        [("codex", vec!["slow__late"], millis(750), None), ("any", vec![], WAIT, Some(json!(0)))]
    {
        let gate = Gate::with("slow", slow()).server("hung", hanging()).run().await;
        steps(&gate, "slow", 250);
        let mut window = Window::of(&gate);
        let meta = json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": client, "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }});
        let began = Instant::now();
        let answer = window.ask(1, "tools/list", meta).await;
        assert_eq!((names(&answer), began.elapsed()), (found, waited), "{client}");
        assert!(ttl.is_none_or(|ttl| answer["result"]["ttlMs"] == ttl), "{answer}");
    }
}

/// A server that hangs holds up neither a prompt nor a resource of another.
#[tokio::test(start_paused = true)]
async fn what_is_known_is_reached_without_waiting_for_one_that_hangs() {
    let library = Script::legacy()
        .offering(r#"{"resources":{},"prompts":{}}"#)
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"greet"}]}"#)])
        .on("prompts/get", [Act::answer(r#"{"messages":[]}"#)])
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/templates/list", [Act::refuse(-32601, "no")])
        .on("resources/read", [Act::answer(r#"{"contents":[{"uri":"x:1","text":"of x"}]}"#)]);
    let gate = Gate::with("hung", hanging()).server("fast", library).run().await;
    let mut window = Window::open(&gate).await;
    within(window.ask(1, "prompts/list", json!({}))).await;
    let began = Instant::now();
    let got = window.ask(2, "prompts/get", json!({"name": "fast__greet"})).await;
    assert!(got["result"]["messages"].is_array(), "{got}");
    let read = window.ask(3, "resources/read", json!({"uri": "x:1"})).await;
    assert_eq!(read["result"]["contents"][0]["text"], "of x", "{read}");
    assert_eq!(began.elapsed(), Duration::ZERO);
}
