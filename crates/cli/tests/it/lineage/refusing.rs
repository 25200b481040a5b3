//! What an agent may not do, and what it may.

use super::agent::{Agent, Errands};
use crate::daemon::house::{Ends, house, teller};
use crate::support::World;

/// What makes, believes or lets in something.
const REFUSED: [&[&str]; 12] = [
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
];

const ENTRY: &str = "[servers.files]\ncommand = \"true\"\n";

/// A world with something to change in it.
fn world() -> World {
    let world = house();
    world.local("mine", &teller());
    world.server("off", "url = \"https://off.example/mcp\"\nenabled = false");
    world.write("project/toolgate.toml", ENTRY);
    world.write("project/.cursor/mcp.json", r#"{"mcpServers":{"found":{"command":"x"}}}"#);
    world.run(&["token", "create", "mine"]).ok();
    world
}

/// Everything that could have changed.
fn state(world: &World) -> [String; 4] {
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
        let ran = agent.runs(&[&["toolgate"], verb].concat()).fails_with(6);
        assert_eq!(ran.stdout, "", "{verb:?}");
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

#[test]
fn an_agent_may_look_and_may_tighten() {
    let world = world();
    let _ends = Ends(&world);
    world.run_at_terminal(&["trust"], "y\n").ok();
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    for verb in [
        &["trust", "--list"][..],
        &["token", "list"],
        &["list"],
        &["import", "cursor", "--dry-run"],
        &["disable", "mine", "--scope", "global"],
        &["remove", "off", "--scope", "global"],
    ] {
        agent.runs(&[&["toolgate"], verb].concat()).ok();
    }
    assert!(!world.read(World::GLOBAL).contains("off.example"));
}

/// An entry that was switched stays accepted where a person did it. Here somebody sits at a terminal,
/// and it is the agent.
#[test]
fn what_an_agent_disables_is_not_accepted_by_that() {
    let world = world();
    let _ends = Ends(&world);
    world.run_at_terminal(&["trust"], "y\n").ok();
    let pending = |world: &World| world.run(&["trust", "--list", "--json"]).ok().json();
    assert_eq!(pending(&world)["pending"], serde_json::json!([]));
    world.run_at_terminal(&["disable", "files"], "").ok();
    assert_eq!(pending(&world)["pending"], serde_json::json!([]));
    world.run_at_terminal(&["enable", "files"], "").ok();
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    agent.runs(&["script", "-qec", "toolgate disable files", "/dev/null"]).ok();
    assert_eq!(pending(&world)["pending"][0]["id"], "files");
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
