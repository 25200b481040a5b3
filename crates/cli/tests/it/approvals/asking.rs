//! A world in which calls of a server wait for a person, and what can be seen of that from outside.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::daemon::house::{Window, eventually, house, teller};
use crate::stdio::client::Client;
use crate::support::{Ran, World};

/// With a server whose every tool is asked for.
pub(super) fn world() -> World {
    world_with("")
}

/// The same, with this in the person's own file.
pub(super) fn world_with(settings: &str) -> World {
    furnished(house(), settings)
}

pub(super) fn furnished(world: World, settings: &str) -> World {
    world.write(World::GLOBAL, &taken_at_once(settings));
    world.local_with("s", &teller(), "");
    world
}

/// Whoever answers here does it at once, and is a person all the same.
pub(crate) fn taken_at_once(settings: &str) -> String {
    let section = "[approval]\nfastest_answer_ms = 0\n";
    if settings.contains("fastest_answer_ms") {
        return settings.to_owned();
    }
    match settings.contains("[approval]\n") {
        true => settings.replacen("[approval]\n", section, 1),
        false => format!("{section}{settings}"),
    }
}

/// A server with one tool that says that it was called.
pub(super) fn doer() -> Script {
    let tools = r#"{"tools":[{"name":"do","description":"does it\nEffects: none"}]}"#;
    Script::legacy().on("tools/list", [Act::answer(tools)]).on_call("do", [Act::say("done")])
}

/// Begins a call that waits.
pub(super) fn begin(window: &mut Window) -> u64 {
    window.send("tools/call", json!({"name": "s__who", "arguments": {"path": "notes.md"}}))
}

/// A window whose person can be asked through it.
pub(crate) fn asking_window(world: &World) -> Window {
    let client = Client::start(world);
    Window::begin_with(client, json!({"elicitation": {}}))
}

/// What a window is asked: the id and the parameters.
pub(crate) fn asked(window: &mut Window) -> (Value, Value) {
    loop {
        let message = window.client.message();
        if message["method"] == "elicitation/create" {
            return (message["id"].clone(), message["params"].clone());
        }
    }
}

pub(crate) fn say(window: &mut Window, id: &Value, result: &Value) {
    let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
    window.client.send(format!("{reply}\n"));
}

/// All that waits, once it is so many.
#[track_caller]
pub(super) fn waiting(world: &World, count: usize) -> Vec<Value> {
    let mut waiting = Vec::new();
    eventually("it waits", || {
        let listed = world.run(&["approvals", "--json"]).ok().json();
        waiting = listed["approvals"].as_array().unwrap().clone();
        waiting.len() == count
    });
    waiting
}

/// The reference of the only one that waits.
#[track_caller]
pub(crate) fn reference(world: &World) -> String {
    waiting(world, 1)[0]["ref"].as_str().unwrap().to_owned()
}

/// A person runs this, in a terminal of their own, and says yes to what they are shown.
pub(crate) fn person(world: &World, arguments: &[&str]) -> Ran {
    let answers = if arguments[0] == "approve" { "y\n" } else { "" };
    world.run_at_terminal(arguments, answers)
}

/// The rows about answers, so far.
pub(super) fn decided(world: &World) -> Vec<Value> {
    let exported = world.run(&["audit", "export"]).ok().stdout;
    let rows = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["kind"] == "decision").collect()
}

/// The same, once it is so many.
#[track_caller]
pub(super) fn decisions(world: &World, count: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    eventually("it is recorded", || {
        rows = decided(world);
        rows.len() >= count
    });
    assert_eq!(rows.len(), count, "{rows:#?}");
    rows
}
