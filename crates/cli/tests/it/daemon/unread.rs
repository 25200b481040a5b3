//! A configuration that cannot be read when an agent comes: it is told so, and gets no tools that
//! nobody configured; once it is mended, it gets those that are.

use serde_json::json;

use super::house::{Ends, Window, eventually, house, teller};
use crate::serve::gate::Gate;
use crate::support::World;

/// A person's own file with a server in it, and the same file broken.
fn broken() -> (World, String) {
    let world = house();
    world.local("mine", &teller());
    let good = world.read(World::GLOBAL);
    world.write(World::GLOBAL, &format!("{good}[servers.late\n"));
    (world, good)
}

/// What an agent is told, with nothing of this person's folders in it.
#[track_caller]
fn assert_told(instructions: &serde_json::Value, world: &World) {
    let told = instructions.as_str().expect("nothing was told");
    assert!(told.contains("`config.toml`, line ") && told.contains("toolgate config check"));
    assert!(!told.contains(world.home().to_str().unwrap()), "{told}");
}

fn log(world: &World) -> String {
    world.read("home/.local/state/toolgate/logs/toolgate.log")
}

#[test]
fn windows_are_told_and_get_the_tools_once_the_file_is_mended() {
    for arguments in [&["stdio"][..], &["stdio", "--standalone"], &["stdio", "--role", "r"]] {
        let (world, good) = broken();
        let _ends = Ends(&world);
        let mut window = Window::open_with(&world, &[], &[], arguments);
        assert_told(&window.greeting["instructions"], &world);
        assert!(window.tools().is_empty(), "{arguments:?}");
        eventually("it is logged", || log(&world).contains("the configuration cannot be read"));
        let role = "[bundles.all]\nserver = \"mine\"\n[roles.r]\nbundles = [\"all\"]\n";
        world.replace(World::GLOBAL, &format!("{good}{role}"));
        window.notified("notifications/tools/list_changed");
        eventually("they are listed", || window.tools().len() == 4);
    }
}

#[test]
fn callers_over_http_are_told_too() {
    let (world, good) = broken();
    let gate = Gate::on_free_port(&world);
    let told = || gate.ask("/mcp", "server/discover", json!({}))["result"]["instructions"].take();
    assert_told(&told(), &world);
    assert!(gate.tools("/mcp").is_empty());
    world.write(World::GLOBAL, &good);
    eventually("they are listed", || gate.tools("/mcp").len() == 4);
    assert!(told().is_null());
    let stderr = gate.end().stderr;
    assert!(stderr.contains("no tools are served until your own file can be read"), "{stderr}");
}

/// What somebody else's file cannot say leaves the person's own servers as they are.
#[test]
fn a_broken_file_of_a_project_is_told_and_takes_nothing_else_away() {
    let world = house();
    let _ends = Ends(&world);
    world.write("project/toolgate.toml", "[servers.theirs\n");
    let mut window = Window::open(&world);
    let told = window.greeting["instructions"].to_string();
    assert!(
        told.contains("configuration of this project cannot be read (`toolgate.toml`, line 1)")
    );
    assert!(window.tools().is_empty(), "the built-in ones are for where nothing is configured");
    world.local("mine", &teller());
    window.notified("notifications/tools/list_changed");
    eventually("the person's own are listed", || window.tools().len() == 4);
}

#[test]
fn commands_fail_and_say_where_it_is_broken() {
    let (world, _) = broken();
    for verb in [&["list"][..], &["tools"], &["call", "mine", "who"]] {
        let ran = world.run(verb).fails_with(1);
        assert_eq!(ran.stdout, "", "{verb:?}");
        assert!(ran.stderr.contains("config.toml:") && ran.stderr.contains("[toml-syntax]"));
    }
    let world = World::new();
    world.local("mine", &teller());
    world.write("project/toolgate.toml", "[servers.theirs\n");
    let ran = world.run(&["list"]).fails_with(1);
    assert!(ran.stdout.contains("mine") && ran.stderr.contains("toolgate.toml:1: error"));
}
