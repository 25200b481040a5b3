//! What a window's first lists hold, in a world where nothing was ever started.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::house::{Ends, Window, eventually, house, servers, teller};
use crate::support::{World, peer_path};

fn tools(window: &mut Window) -> Vec<String> {
    let answer = window.ask("tools/list", json!({}));
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    answer["result"]["tools"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn a_first_list_goes_on_without_a_server_that_hangs_and_the_client_is_told_later() {
    let world = house();
    // As long as lists wait by themselves.
    world.write(World::GLOBAL, "");
    // Its tools are not said before somebody wants to know its resources.
    let late = Script::legacy()
        .offering(r#"{"tools":{},"resources":{}}"#)
        .on(
            "tools/list",
            [
                Act::hold("received resources/list"),
                Act::answer(r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}"#),
            ],
        )
        .on("resources/list", [Act::answer(r#"{"resources":[]}"#)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)]);
    world.local("late", &late);
    world.local("fast", &teller());
    // This one never says anything at all.
    world.server("mute", "command = \"sleep\"\nargs = [\"600\"]");
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    assert!(!tools(&mut window).iter().any(|name| name.starts_with("late")));
    window.send("resources/list", json!({}));
    loop {
        let known = tools(&mut window);
        let has = |server: &str| known.iter().any(|name| name.starts_with(server));
        if has("late__") && has("fast__") {
            break;
        }
        window.notified("notifications/tools/list_changed");
    }
}

#[test]
fn after_a_cold_start_the_first_session_is_told_how_to_use_servers_that_do_not_run() {
    let world = house();
    let initialized = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"0"},"instructions":"Ask who first."}"#;
    world.local("kind", &teller().on("initialize", [Act::answer(initialized)]));
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    assert_eq!(window.greeting.get("instructions"), None, "nobody knows them yet");
    window.call("kind__who");
    drop(window);
    world.run(&["stop"]).ok();
    let window = Window::open(&world);
    let said = window.greeting["instructions"].as_str().unwrap();
    assert!(said.ends_with("## Server `kind`\n\n> Ask who first."), "{said}");
    assert!(servers(&world).is_empty(), "and nothing was started for it");
}

#[test]
fn what_a_person_adds_is_asked_for_its_tools_before_an_agent_is() {
    let world = house();
    world.local("old", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let known = tools(&mut window);
    assert!(!known.iter().any(|name| name.starts_with("new")), "{known:?}");
    let peer = peer_path().display().to_string();
    let script = world.write("home/new.json", &teller().to_argument()).display().to_string();
    world.run(&["add", "new", "--scope", "global", "--", &peer, &script]).ok();
    // Nobody lists; it is started all the same.
    eventually("it was started", || servers(&world).len() == 2);
    loop {
        if tools(&mut window).contains(&"new__who".to_owned()) {
            break;
        }
        window.notified("notifications/tools/list_changed");
    }
}

#[test]
fn who_lists_only_once_waits_for_a_server_that_computes_and_not_for_one_that_hangs() {
    let world = house();
    // As long as lists wait by themselves.
    world.write(World::GLOBAL, "");
    // Says nothing until it has counted, as programs do that load themselves first.
    let script = world.write("home/slow.json", &teller().to_argument());
    let count = "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done";
    let line = format!("{count}; exec '{}' '{}'", peer_path().display(), script.display());
    world.server("slow", &format!("command = \"sh\"\nargs = [\"-c\", {line:?}]"));
    world.server("mute", "command = \"sleep\"\nargs = [\"600\"]");
    let _ends = Ends(&world);
    // As the Python SDK calls itself.
    let mut window = Window::open_with(&world, &[], &[], &["stdio", "--client", "mcp"]);
    let listed = tools(&mut window);
    assert!(listed.iter().any(|name| name == "slow__who"), "{listed:?}");
}
