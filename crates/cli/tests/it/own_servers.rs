//! The servers that agents get where nothing is configured, as commands know them.

use crate::support::World;

#[test]
fn list_tools_call_and_explain_know_them() {
    let world = World::new();
    world.write("project/notes.txt", "a line of mine\n");
    let listed = world.run(&["list"]).ok().stdout;
    assert!(listed.starts_with("no MCP servers configured\n"), "{listed}");
    assert!(listed.contains("repo  builtin    runtime  true     trusted"), "{listed}");
    let tools = world.run(&["tools"]).ok().stdout;
    assert!(tools.contains("repo__read_file"), "{tools}");
    let ran = world.run(&["call", "repo__read_file", "path=notes.txt"]).ok();
    assert!(ran.stdout.contains("a line of mine"), "{ran:?}");
    let ran = world.run(&["call", "repo", "read_file", "path=notes.txt", "--json"]).ok().json();
    assert_eq!((&ran["server"], &ran["tool"]), (&"repo".into(), &"read_file".into()));
    let why = world.run(&["explain", "repo", "read_file"]).ok().stdout;
    assert!(why.contains("shown     listed itself\ndecision  allow"), "{why}");
    assert!(world.run(&["get", "repo"]).ok().stdout.contains("builtin"));
    let ran = world.run(&["test", "repo"]).fails_with(2);
    assert!(ran.stderr.contains("it is built in") || ran.stderr.contains("is built in"), "{ran:?}");
}

#[test]
fn what_is_private_is_not_shown_by_a_command_either() {
    let world = World::new();
    world.write("project/.env", "TOKEN=canary\n");
    let ran = world.run(&["call", "repo", "read_file", "path=.env"]);
    assert!(!ran.stdout.contains("canary"), "{ran:?}");
}

#[test]
fn they_are_not_there_where_something_is_configured_or_the_surface_is_closed() {
    let world = World::new();
    world.server("off", "command = \"x\"\nenabled = false");
    assert!(!world.run(&["list"]).ok().stdout.contains("repo"));
    world.run(&["call", "repo", "read_file"]).fails_with(1);
    let closed = World::new().with("TOOLGATE_ENABLE_MCP_SERVER_SURFACE", "off");
    assert_eq!(closed.run(&["list"]).ok().stdout, "no MCP servers configured\n");
    assert_eq!(closed.run(&["tools"]).ok().stdout, "no MCP servers configured\n");
}

#[test]
fn an_entry_that_names_one_has_it_beside_others() {
    let world = World::new();
    world.server("repo", "transport = \"builtin\"");
    world.server("off", "command = \"x\"\nenabled = false");
    let tools = world.run(&["tools", "--server", "repo"]).ok().stdout;
    assert!(tools.contains("repo__search"), "{tools}");
}
