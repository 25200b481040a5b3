//! A call that waits for its caller, and what a window asked of its session, when the daemon ends.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::house::{Daemon, Ends, Window, eventually, house, is_alive};
use crate::stdio::client::Client;
use crate::support::World;

/// A server whose tool asks twice, as servers of the older era do.
fn asking() -> Script {
    let form = r#"{"mode":"form","message":"who ${n}?","requestedSchema":{"type":"object"}}"#;
    let ask = || Act::ask("elicitation/create", form);
    let tools = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("t", [ask(), ask(), Act::say("${answer:/result/content/name}")])
}

/// A window that speaks the modern era.
fn modern(world: &World) -> Window {
    let client = Client::start_with(world, &[], &[], &["stdio"]);
    Window { client, greeting: Value::Null, next: 0 }
}

fn call(retry: Value) -> Value {
    let mut params = retry;
    params["name"] = json!("s__t");
    params["arguments"] = json!({"n": 1});
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "caller", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    params
}

fn requests(asked: &Value) -> &serde_json::Map<String, Value> {
    let requests = &asked["result"]["inputRequests"];
    assert!(requests.is_object(), "{asked}");
    requests.as_object().unwrap()
}

fn again(asked: &Value, name: &str) -> Value {
    let requests = requests(asked);
    let answer = json!({"action": "accept", "content": {"name": name}});
    let responses: serde_json::Map<_, _> =
        requests.keys().map(|key| (key.clone(), answer.clone())).collect();
    call(json!({"inputResponses": responses, "requestState": asked["result"]["requestState"]}))
}

fn question(asked: &Value) -> &str {
    let requests = requests(asked);
    let message = requests.values().next().unwrap()["params"]["message"].as_str().unwrap();
    assert!(message.contains("who ") && !message.contains("${n}"), "{message}");
    message
}

/// Shows: E-1, C20.
#[test]
fn a_modern_window_answers_an_older_server_twice_in_one_call() {
    let world = house();
    world.local("s", &asking());
    let _ends = Ends(&world);
    let mut window = modern(&world);
    let first = window.ask("tools/call", call(json!({})));
    let second = window.ask("tools/call", again(&first, "Ada"));
    assert_eq!(second["result"]["resultType"], "input_required", "{second}");
    let done = window.ask("tools/call", again(&second, "Bob"));
    assert_eq!(done["result"]["content"][0]["text"], "Bob", "{done}");
}

/// Shows: E-1.
#[test]
fn after_a_daemon_was_killed_a_parked_call_has_an_unknown_outcome_and_is_not_made_again() {
    let world = house();
    world.local("s", &asking());
    let _ends = Ends(&world);
    let mut window = modern(&world);
    let first = window.ask("tools/call", call(json!({})));
    let asked = window.ask("tools/call", again(&first, "Ada"));
    let daemon = Daemon::of(&world);
    daemon.signal("KILL");
    eventually("it is gone", || !is_alive(daemon.pid));
    let lost = window.ask("tools/call", again(&asked, "Bob"));
    assert_eq!(lost["result"]["isError"], true, "{lost}");
    assert!(lost.to_string().contains("outcome of this call is not known"), "{lost}");
    // The server counts its calls: the next one is the first that the new one of it sees.
    let anew = window.ask("tools/call", call(json!({})));
    assert_eq!(question(&anew), question(&first));
}

/// Shows: E-1.
#[test]
fn what_a_window_wants_to_hear_of_survives_a_restart_of_the_daemon() {
    let world = house();
    let updated = Act::notify("notifications/resources/updated", r#"{"uri":"x:1"}"#);
    let script = Script::legacy()
        .offering(r#"{"tools":{},"resources":{"subscribe":true},"logging":{}}"#)
        .on("tools/list", [Act::answer(r#"{"tools":[]}"#)])
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("logging/setLevel", [Act::answer("{}")])
        .on("resources/subscribe", [Act::answer("{}"), updated]);
    world.local("s", &script);
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    window.ask("resources/list", json!({}));
    // The answer and the news of it come in either order.
    window.send("resources/subscribe", json!({"uri": "x:1"}));
    window.notified("notifications/resources/updated");
    let daemon = Daemon::of(&world);
    daemon.signal("KILL");
    eventually("it is gone", || !is_alive(daemon.pid));
    window.send("tools/list", json!({}));
    // The server tells whoever subscribes, and this window did not again.
    window.notified("notifications/resources/updated");
}
