//! `use`, `off` and `on`: what agents see changes at once, and no file does.

mod address;
mod clients;

use std::fs;

use crate::daemon::house::{Daemon, Ends, Window, eventually, house, is_alive, teller};
use crate::support::World;

/// Servers `a` and `b`, and roles: one shows a tool of each, one shows `b`.
fn furnished() -> World {
    let world = house();
    let keys = "approval = \"approve\"\n";
    world.local_with("a", &teller(), keys);
    world.local_with("b", &teller(), keys);
    let own = world.read(World::GLOBAL);
    let more = "\n[bundles.whoA]\nserver = \"a\"\nallow_tools = [\"who\"]\n\
        [bundles.whoB]\nserver = \"b\"\nallow_tools = [\"who\", \"die\"]\n\
        [roles.reader]\nbundles = [\"whoA\", \"whoB\"]\n\
        [roles.other]\nbundles = [\"whoB\"]\ndeny_tools = [\"die\"]\n";
    world.write(World::GLOBAL, &(own + more));
    world
}

/// A person's command: at a terminal of its own.
fn person(world: &World, arguments: &[&str]) -> String {
    let ran = world.run_at_terminal(arguments, "");
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran.stdout
}

/// What a window lists once it has found another daemon; what was on its way to the last one fails.
fn listed_again(window: &mut Window) -> Vec<String> {
    eventually("another daemon answers", || {
        let answer = window.ask("tools/list", serde_json::json!({}));
        answer["result"]["tools"].is_array()
    });
    window.tools()
}

const ALL: [&str; 8] =
    ["a__die", "a__let_go", "a__wait", "a__who", "b__die", "b__let_go", "b__wait", "b__who"];
const OF_B: [&str; 4] = ["b__die", "b__let_go", "b__wait", "b__who"];
const CHANGED: &str = "notifications/tools/list_changed";

#[test]
fn a_server_that_is_off_is_gone_at_once_for_everybody_and_comes_back() {
    let world = furnished();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    assert_eq!(window.tools(), ALL);
    let process = window.call("a__who").parse().unwrap();
    let before = world.read(World::GLOBAL);
    let said = person(&world, &["off", "a"]);
    assert!(said.contains("a is off everywhere") && said.contains("toolgate on a"), "{said}");
    window.notified(CHANGED);
    assert_eq!(window.tools(), OF_B);
    let refused = window.ask("tools/call", serde_json::json!({"name": "a__who", "arguments": {}}));
    assert!(refused["error"]["message"].as_str().unwrap().contains("a__who"), "{refused}");
    eventually("its process ends", || !is_alive(process));
    let status = world.run(&["status", "--json"]).ok().json();
    assert_eq!(status["workspaces"][0]["servers"][0]["switchedOff"], "everywhere", "{status}");
    let status = world.run(&["status"]).ok().stdout;
    assert!(status.contains("a is off by a switch (everywhere)"), "{status}");
    let list = world.run(&["list"]).ok();
    assert!(list.stderr.contains("a is off by a switch (everywhere)"), "{list:?}");
    let explained = world.run(&["explain", "a", "who"]).ok().stdout;
    assert!(explained.contains("hidden: the server is off by a switch"), "{explained}");
    let called = world.run(&["call", "a", "who"]).fails_with(1);
    assert!(called.stderr.contains("toolgate on a"), "{called:?}");
    // Another daemon, the same window, and a new one.
    Daemon::of(&world).signal("KILL");
    assert_eq!(listed_again(&mut window), OF_B);
    assert_eq!(Window::open(&world).tools(), OF_B);
    let said = person(&world, &["on", "a"]);
    assert!(said.contains("a is on again"), "{said}");
    window.notified(CHANGED);
    eventually("it is listed again", || window.tools() == ALL);
    assert_eq!(world.read(World::GLOBAL), before, "no file is edited");
    assert!(person(&world, &["on", "a"]).contains("was not off"));
}

#[test]
fn here_is_this_project_and_everything_below_it() {
    let world = furnished();
    let _ends = Ends(&world);
    let below = world.project().join("sub");
    let beside = world.home().join("beside");
    for folder in [&below, &beside] {
        fs::create_dir_all(folder).unwrap();
    }
    person(&world, &["off", "a", "--here"]);
    assert_eq!(Window::open(&world).tools(), OF_B);
    assert_eq!(Window::open_in(&world, &below).tools(), OF_B);
    assert_eq!(Window::open_in(&world, &beside).tools(), ALL);
    person(&world, &["off", "b"]);
    let said = person(&world, &["on", "a", "--here"]);
    assert!(said.contains("a is on again"), "{said}");
    let said = person(&world, &["on", "b", "--here"]);
    assert!(said.contains("b is still off everywhere"), "{said}");
}

#[test]
fn what_is_off_for_a_session_is_off_for_the_windows_that_are_open_and_ends_with_each() {
    let world = furnished();
    let _ends = Ends(&world);
    let said = world.run_at_terminal(&["off", "a", "--session"], "");
    assert!(said.code == 1 && said.stdout.contains("no window of an agent is open"), "{said:?}");
    let mut window = Window::open(&world);
    assert_eq!(window.tools(), ALL);
    let said = person(&world, &["off", "a", "--session"]);
    assert!(said.contains("a is off for 1 window that is open here now"), "{said}");
    window.notified(CHANGED);
    assert_eq!(window.tools(), OF_B);
    let refused = window.ask("tools/call", serde_json::json!({"name": "a__who", "arguments": {}}));
    assert!(refused["error"]["message"].is_string(), "{refused}");
    let status = world.run(&["status"]).ok().stdout;
    assert!(status.contains("a is off for the window of pid"), "{status}");
    let mut next = Window::open(&world);
    assert_eq!(next.tools(), ALL, "another session");
    // Another daemon knows the window by its process.
    Daemon::of(&world).signal("KILL");
    assert_eq!(listed_again(&mut window), OF_B);
    assert_eq!(listed_again(&mut next), ALL);
    assert!(person(&world, &["on", "a"]).contains("a is on again"));
    window.notified(CHANGED);
    assert_eq!(window.tools(), ALL);
}

#[test]
fn a_role_in_use_takes_away_and_never_adds() {
    let world = furnished();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let mut acting = Window::open_with(&world, &[], &[], &["stdio", "--role", "reader"]);
    assert_eq!((window.tools().len(), acting.tools().len()), (8, 3));
    person(&world, &["use", "other"]);
    window.notified(CHANGED);
    assert_eq!(window.tools(), ["b__who"]);
    assert_eq!(acting.tools(), ["b__who"], "its own role holds as well");
    let explained = world.run(&["explain", "b", "die"]).ok().stdout;
    assert!(explained.contains("hidden: not in role `other`, which is in use"), "{explained}");
    let status = world.run(&["status"]).ok().stdout;
    assert!(status.contains("role other is in use (everywhere)"), "{status}");
    // The nearest counts.
    person(&world, &["use", "reader", "--here"]);
    window.notified(CHANGED);
    assert_eq!(window.tools(), ["a__who", "b__die", "b__who"]);
    // A server that is off takes its bundle with it, and not the role.
    person(&world, &["off", "a"]);
    eventually("the rest of the role stays", || window.tools() == ["b__die", "b__who"]);
    person(&world, &["use", "--all", "--here"]);
    eventually("the other counts again", || window.tools() == ["b__who"]);
    assert!(person(&world, &["use"]).contains("role other is in use (everywhere)"));
    person(&world, &["use", "--all"]);
    eventually("everything that is on", || window.tools() == OF_B);
    assert_eq!(acting.tools(), ["b__die", "b__who"]);
}

#[test]
fn what_is_mistyped_is_an_error_with_a_suggestion() {
    let world = furnished();
    world.local("github", &teller());
    for (arguments, hint) in [
        (["off", "gihtub"], "did you mean `github`?"),
        (["on", "githu"], "did you mean `github`?"),
        (["use", "readr"], "did you mean `reader`?"),
        (["use", "nothing-like-it"], "config show"),
        (["off", "nothing-like-it"], "toolgate list"),
    ] {
        let ran = world.run(&arguments).fails_with(1);
        assert!(ran.stderr.contains(hint), "{arguments:?}: {ran:?}");
    }
    // A project's role means nothing elsewhere.
    world.write("project/toolgate.toml", "[roles.local]\nbundles = []\n");
    world.run_at_terminal(&["trust"], "y\n");
    let ran = world.run(&["use", "local"]).fails_with(1);
    assert!(ran.stderr.contains("--here"), "{ran:?}");
    world.run(&["use", "local", "--here"]).ok();
    let shown = world.run(&["use", "--json"]).ok().json();
    assert_eq!(shown["role"], "local", "{shown}");
}

#[test]
fn a_built_in_server_can_be_off_too() {
    let world = house();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    assert!(window.tools().iter().any(|tool| tool.starts_with("repo__")));
    person(&world, &["off", "repo"]);
    window.notified(CHANGED);
    assert!(!window.tools().iter().any(|tool| tool.starts_with("repo__")));
}

#[test]
fn a_file_that_cannot_be_read_any_more_holds_up_no_switch() {
    let world = furnished();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    assert_eq!(window.tools(), ALL);
    let before = world.read(World::GLOBAL);
    world.write(World::GLOBAL, "[servers.a\n");
    let refused = || world.run(&["status", "--json"]).stdout.contains("\"refused\"");
    eventually("the mistake is shown", refused);
    world.write(World::GLOBAL, &before);
    person(&world, &["off", "a"]);
    eventually("it is off", || window.tools() == OF_B);
    world.write(World::GLOBAL, "[servers.a\n");
    eventually("the mistake is shown again", refused);
    assert_eq!(window.tools(), OF_B);
    person(&world, &["on", "a"]);
    eventually("it is back all the same", || window.tools() == ALL);
}
