//! Whose own forms a person's answer may come through: a window's, and those of a token that was made
//! for it; and nobody's below another client, or whose process cannot be seen.

use std::fs;

use serde_json::{Value, json};

use super::agent::{Agent, toolgate};
use crate::daemon::house::{Ends, Window, eventually, house, teller};
use crate::serve::gate::Gate;
use crate::stdio::client::Client;
use crate::support::{World, peer_path};

fn world() -> World {
    let world = house();
    world.local_with("s", &teller(), "");
    world
}

fn waiting(world: &World) -> String {
    let mut reference = None;
    eventually("it waits", || {
        let listed = world.run(&["approvals", "--json"]).ok().json();
        reference = listed["approvals"][0]["ref"].as_str().map(str::to_owned);
        reference.is_some()
    });
    reference.unwrap()
}

/// A client that says that it shows forms, with all that it has to say.
fn conversation(world: &World, program: &str) -> String {
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "nested", "version": "1"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "s__who", "arguments": {}}}),
    ];
    let lines = lines.map(|line: Value| format!("{line}\n")).concat();
    let said = world.write("home/said", &lines);
    let stays = "while [ ! -e over ]; do sleep 0.05; done";
    format!("(cat {}; {stays}) | {program} stdio >heard; exit $?", said.display())
}

/// What a window below another client gets to read until its call is approved in the queue.
#[test]
fn a_window_below_another_client_is_not_asked() {
    let world = world();
    let _ends = Ends(&world);
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    let nested = conversation(&world, "toolgate");
    std::thread::scope(|scope| {
        let window = scope.spawn(|| agent.runs(&["sh", "-c", &nested]));
        let reference = waiting(&world);
        world.run_at_terminal(&["approve", &reference], "y\n").ok();
        let heard = world.project().join("heard");
        eventually("it is answered", || fs::read_to_string(&heard).unwrap().contains("\"id\":1"));
        world.write("project/over", "");
        window.join().unwrap().ok();
        let heard = world.read("project/heard");
        assert!(!heard.contains("elicitation/create"), "{heard}");
    });
}

/// Nor is one that a server behind the gate opened.
#[test]
fn a_window_below_a_pooled_server_is_not_asked() {
    let world = world();
    let _ends = Ends(&world);
    let script = world.write("home/nest.json", &teller().to_argument());
    let run = crate::stdio::daemon::runtime_folder(&world);
    let nested = format!(
        "({}) & exec {} {}",
        conversation(&world, &toolgate()),
        peer_path().display(),
        script.display()
    );
    let keys = format!("args = [\"-c\", {nested:?}]\nenv = {{ XDG_RUNTIME_DIR = {run:?} }}");
    world.server("nest", &format!("command = \"sh\"\n{keys}\napproval = \"approve\""));
    let mut agent = Agent::start(&world, &["toolgate", "stdio"]);
    agent.window.call("nest__who");
    let reference = waiting(&world);
    world.run_at_terminal(&["approve", &reference], "y\n").ok();
    let heard = world.project().join("heard");
    eventually("it is answered", || fs::read_to_string(&heard).unwrap().contains("\"id\":1"));
    world.write("project/over", "");
    let heard = world.read("project/heard");
    assert!(!heard.contains("elicitation/create"), "{heard}");
}

/// What another client does beside it changes nothing for a window of its own.
#[test]
fn a_window_is_asked_though_other_clients_are_attached() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::begin_with(Client::start(&world), json!({"elicitation": {}}));
    let wrap = peer_path();
    let wrapped = [wrap.to_str().unwrap(), "wrap", "toolgate", "stdio"];
    let _other = Agent::start(&world, &wrapped);
    window.send("tools/call", json!({"name": "s__who", "arguments": {}}));
    window.notified("elicitation/create");
}

fn form_call() -> Value {
    let asks = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    json!({"name": "s__who", "arguments": {}, "_meta": asks})
}

/// Shown by a person's word only: what a client says of itself proves nothing.
#[test]
fn a_caller_over_http_is_asked_where_its_token_was_made_for_that() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    let made = |arguments: &[&str]| {
        let made = world.run(&[&["token", "create"], arguments].concat()).ok().stdout;
        made.trim().to_owned()
    };
    let (forms, plain) = (made(&["shows", "--forms"]), made(&["plain"]));
    let answer = gate.ask_with(&forms, "tools/call", form_call());
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let reference = waiting(&world);
    // Nobody holds that connection any more.
    world.run(&["approve", &reference]).fails_with(6);
    world.run_at_terminal(&["deny", &reference], "").ok();
    for token in [&plain, gate.token()] {
        std::thread::scope(|scope| {
            let calling = scope.spawn(|| gate.ask_with(token, "tools/call", form_call()));
            let reference = waiting(&world);
            world.run_at_terminal(&["approve", &reference], "y\n").ok();
            let answer = calling.join().unwrap();
            assert!(answer["result"]["content"].is_array(), "{answer}");
        });
    }
    let listed = world.run(&["token", "list", "--json"]).ok().json();
    let forms: Vec<&Value> =
        listed["tokens"].as_array().unwrap().iter().map(|it| &it["forms"]).collect();
    assert_eq!(forms, [false, false, true], "{listed}");
}

/// The token is right, and who brings it was started by another client.
#[test]
fn nor_is_one_below_another_client_whatever_its_token() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    let token = world.run(&["token", "create", "shows", "--forms"]).ok().stdout;
    let request = gate.request("tools/call", form_call()).replace(gate.token(), token.trim());
    let request = world.write("home/request", &request).display().to_string();
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    let peer = peer_path().display().to_string();
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| agent.runs(&[&peer, "post", gate.address(), &request]));
        let reference = waiting(&world);
        world.run_at_terminal(&["approve", &reference], "y\n").ok();
        let answer = calling.join().unwrap().ok();
        assert!(!answer.stdout.contains("input_required"), "{answer:?}");
        assert!(answer.stdout.contains("\"content\""), "{answer:?}");
    });
}
