//! `pins`: what was accepted of tools, what their servers send instead, and the person who accepts it;
//! `toolgate.lock`; and the names of an untrusted server's tools.
//!
//! This file holds what its modules share.

mod accepting;
mod by_name;
mod instructing;
mod listing;
mod locking;
mod locks;
mod shadowing;
mod through_daemon;

use std::process::Stdio;

use serde_json::Value;
use toolgate_testkit::{Act, Script};

use crate::support::{Ran, World, end_if_it_hangs, peer_path};

/// A tool's definition with this text.
fn tool(name: &str, description: &str) -> String {
    let description = serde_json::to_string(description).unwrap();
    format!(r#"{{"name":"{name}","description":{description},"inputSchema":{{"type":"object"}}}}"#)
}

/// A server with these tools, each of which answers.
fn having(tools: &[&str]) -> Script {
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{}]}}"#, tools.join(",")))])
        .on("tools/call", [Act::say("done")])
}

/// A world whose own server `files` was listed with these tools.
fn world_with(tools: &[&str]) -> World {
    let world = World::new();
    world.local("files", &having(tools));
    world.run(&["tools"]).ok();
    world
}

/// The server has these tools from its next start on, and was listed since.
fn update(world: &World, tools: &[&str]) {
    play(world, &having(tools));
    world.run(&["tools"]).ok();
}

fn play(world: &World, script: &Script) {
    world.write("home/files.json", &script.to_argument());
}

/// A project whose own server `files` plays a script that lies elsewhere.
fn cloned(script: &Script) -> World {
    let world = World::new();
    clone_into(&world, script);
    world
}

fn clone_into(world: &World, script: &Script) {
    play(world, script);
    let script = world.home().join("files.json");
    let entry = format!("[servers.files]\ncommand = {:?}\nargs = [{script:?}]\n", peer_path());
    let keys = "sandbox_profile = \"none\"\napproval = \"approve\"\nstartup_timeout_ms = 20000\n";
    world.write("project/toolgate.toml", &format!("{entry}{keys}"));
}

/// `tool: state` of each pin.
fn states(world: &World) -> Vec<String> {
    let listed = world.run(&["pins", "list", "--json"]).ok().json();
    let state = |pin: &Value| {
        let words = ["tool", "state", "by"].map(|key| pin[key].as_str().unwrap().to_owned());
        words.join(" ")
    };
    listed["pins"].as_array().unwrap().iter().map(state).collect()
}

/// What `pins diff --json` has of the only tool that changed.
fn changed(world: &World) -> Value {
    let diff = world.run(&["pins", "diff", "--json"]).ok().json();
    assert_eq!(diff["changed"].as_array().unwrap().len(), 1, "{diff}");
    diff["changed"][0].clone()
}

/// The binary with nobody at a terminal, ended where it hangs.
fn run(world: &World, arguments: &[&str]) -> Ran {
    let mut command = world.command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _watched = end_if_it_hangs(child.id());
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().expect("it hung"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Nothing that a terminal would act on.
#[track_caller]
fn is_plain(text: &str) {
    let is_raw = |c: char| toolgate_types::is_hidden(c) && c != '\n';
    assert!(!text.contains(is_raw), "{text:?}");
}
