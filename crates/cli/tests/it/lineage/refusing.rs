//! What an agent may not do, and what it may.

use super::agent::{Agent, Errands};
use crate::daemon::house::{Ends, house, teller};
use crate::support::World;

/// What changes something, or is not in the table of what agents may have done.
pub(super) const REFUSED: &[&[&str]] = &[
    &["trust"],
    &["trust", "files", "--trusted"],
    &["trust", "--revoke", "files"],
    &["mcp", "trust"],
    &["add", "new", "https://new.example/mcp", "--scope", "global"],
    &["add", "new", "https://new.example/mcp"],
    &["add-json", "new", r#"{"url":"https://new.example/mcp"}"#, "--scope", "global"],
    &["import", "cursor"],
    &["enable", "off", "--scope", "global"],
    &["token", "create", "new"],
    &["token", "revoke", "mine"],
    &["--json", "token", "create", "new"],
    &["remove", "off", "--scope", "global"],
    &["disable", "mine", "--scope", "global"],
    &["pins", "accept", "mine"],
    &["pins", "lock"],
    &["connect", "cursor"],
    &["connect", "cursor", "--dry-run"],
    &["disconnect", "cursor"],
    &["serve", "--listen", "127.0.0.1:0"],
    &["restart"],
    &["stop"],
    &["restart", "mine"],
    &["stop", "mine"],
    &["approve", "nosuch"],
    &["deny", "nosuch"],
];

const ENTRY: &str = "[servers.files]\ncommand = \"true\"\n";

/// A world with something to change in it.
pub(super) fn world() -> World {
    let world = house();
    world.local("mine", &teller());
    world.server("off", "url = \"https://off.example/mcp\"\nenabled = false");
    world.write("project/toolgate.toml", ENTRY);
    world.write("project/.cursor/mcp.json", r#"{"mcpServers":{"found":{"command":"x"}}}"#);
    world.run(&["token", "create", "mine"]).ok();
    world
}

/// Everything that could have changed.
pub(super) fn state(world: &World) -> [String; 4] {
    let said = |arguments: &[&str]| world.run(arguments).ok().stdout;
    [
        world.read(World::GLOBAL),
        world.read("project/toolgate.toml"),
        said(&["token", "list", "--json"]),
        said(&["trust", "--list", "--json"]),
    ]
}

#[test]
fn what_an_agent_starts_may_not_change_what_is_trusted() {
    let world = world();
    let _ends = Ends(&world);
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    let before = state(&world);
    for verb in REFUSED {
        let ran = agent.runs(&[&["toolgate"], *verb].concat()).fails_with(6);
        match verb.contains(&"--json") {
            true => assert_eq!(ran.json()["error"]["exit"], 6, "{verb:?}"),
            false => assert_eq!(ran.stdout, "", "{verb:?}"),
        }
        assert!(ran.stderr.contains("a program that an agent started may not do this"), "{ran:?}");
        assert!(!ran.stderr.contains("toolgate "), "a command to copy: {ran:?}");
        assert_eq!(state(&world), before, "{verb:?}");
    }
}

/// Refused is what the agent runs, and not the verb: its person's own are carried out.
#[test]
fn its_person_may_meanwhile() {
    let world = world();
    let _ends = Ends(&world);
    let _agent = Agent::start(&world, &["toolgate", "stdio"]);
    world.run(&["token", "create", "new"]).ok();
    world.run(&["token", "revoke", "new"]).ok();
    world.run(&["enable", "off", "--scope", "global"]).ok();
    world.run(&["add", "new", "https://new.example/mcp", "--scope", "global"]).ok();
    world.run_at_terminal(&["trust"], "y\n").ok();
    world.run(&["trust", "--revoke", "files"]).ok();
    world.run(&["import", "cursor"]).ok();
}

/// What shows and what uses servers is for everybody; what only tightens is not, since a person did
/// not ask for it.
#[test]
fn an_agent_may_look_and_use() {
    let world = world();
    let _ends = Ends(&world);
    world.run_at_terminal(&["trust"], "y\n").ok();
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    for verb in [
        &["trust", "--list"][..],
        &["token", "list"],
        &["list"],
        &["get", "mine"],
        &["status"],
        &["approvals"],
        &["audit"],
        &["logs"],
        &["pins"],
        &["config", "path"],
        &["explain", "mine", "who"],
        &["tools", "--server", "mine"],
        &["call", "mine", "who"],
        &["import", "cursor", "--dry-run"],
    ] {
        agent.runs(&[&["toolgate"], verb].concat()).ok();
    }
}

/// What tells an agent from others is its window.
#[test]
fn a_program_without_a_window_is_no_agent() {
    let world = world();
    let (mut client, errands) = Errands::begin(&world, &["cat"]);
    client.send("here\n");
    assert_eq!(client.line(), "here\n");
    errands.run(&["toolgate", "token", "create", "new"]).ok();
}
