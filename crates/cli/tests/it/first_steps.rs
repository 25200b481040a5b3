//! The first step and the last: `init`, and `uninstall`.

use crate::support::World;

const CURSOR: &str = r#"{"mcpServers":{"files":{"command":"files-server","args":["."]}}}"#;

#[test]
fn a_file_to_begin_with_is_written_once_and_what_is_here_is_named() {
    let world = World::new();
    world.write("home/.cursor/mcp.json", CURSOR);
    world.write("home/.codex/config.toml", "model = \"x\"\n");
    let ran = world.run(&["init"]).ok();
    insta::assert_snapshot!(ran.stdout, @"
    wrote toolgate.toml: everything in it is a comment until you take out its `#:`
    found cursor, with 1 server to take over
    found codex
    next:
      toolgate import cursor
      toolgate connect cursor
      toolgate connect codex
      toolgate serve          # or for clients over HTTP
    ");
    let written = world.read("project/toolgate.toml");
    assert!(written.contains("#: [servers.files]"), "{written}");
    world.run(&["config", "check"]).ok();
    let listed = world.run(&["list"]).ok().stdout;
    assert!(!listed.contains("files"), "it says nothing yet: {listed}");
    let again = world.run(&["init"]).fails_with(1);
    assert!(again.stderr.contains("is there already"), "{again:#?}");
    assert_eq!(world.read("project/toolgate.toml"), written);
    let own = world.run(&["init", "--scope", "global", "--json"]).ok().json();
    assert_eq!(own["clients"][0]["client"], "cursor");
    assert!(world.read(World::GLOBAL).contains("#: [approval]"));
}

#[test]
fn at_a_terminal_what_clients_have_is_offered() {
    let world = World::new();
    world.write("home/.cursor/mcp.json", CURSOR);
    let mut terminal = world.at_terminal(&["init"]);
    terminal.until("write 1 of 1 server into");
    terminal.type_in("y\n");
    terminal.until("that only read run without asking you?");
    terminal.type_in("n\n");
    terminal.ended(&world).ok();
    assert!(world.read(World::GLOBAL).contains("files-server"));
}

#[test]
fn every_client_is_as_it_was_and_what_is_left_is_named() {
    let world = World::new();
    let codex = "model = \"x\"\n";
    world.write("home/.codex/config.toml", codex);
    world.write("home/.cursor/mcp.json", CURSOR);
    world.write("project/.mcp.json", "{}");
    world.run(&["connect", "codex"]).ok();
    world.run(&["connect", "cursor"]).ok();
    world.run(&["connect", "claude-code", "--scope", "project"]).ok();
    let connected = world.read("home/.codex/config.toml");
    assert!(connected.contains("toolgate"));
    world.run(&["uninstall", "--dry-run"]).ok();
    assert_eq!(world.read("home/.codex/config.toml"), connected);
    let ran = world.run(&["uninstall"]).ok();
    assert_eq!(world.read("home/.codex/config.toml"), codex);
    assert_eq!(world.read("home/.cursor/mcp.json"), CURSOR);
    assert!(!world.read("project/.mcp.json").contains("toolgate"));
    assert!(ran.stdout.contains("records, logins, secrets  "), "{ran:#?}");
    assert!(ran.stdout.contains("clients of other projects"), "{ran:#?}");
    assert!(world.exists("home/.local/state/toolgate"), "it stays");
    let again = world.run(&["uninstall"]).ok();
    assert!(again.stderr.contains("no client is connected here"), "{again:#?}");
}

#[test]
fn what_is_known_goes_only_after_a_yes_at_a_terminal() {
    let world = World::new();
    world.run(&["token", "create", "ci"]).ok();
    let state = "home/.local/state/toolgate";
    let refused = world.run(&["uninstall", "--with-state"]).fails_with(1);
    assert!(refused.stderr.contains("needs a person"), "{refused:#?}");
    assert!(world.exists(state));
    for (says, stays) in [("n\n", true), ("y\n", false)] {
        let mut terminal = world.at_terminal(&["uninstall", "--with-state"]);
        terminal.until("for good? [y/N]");
        terminal.type_in(says);
        terminal.ended(&world).ok();
        assert_eq!(world.exists(state), stays);
    }
}

/// It needs nothing of the person's and leaves nothing: neither state nor files nor a daemon.
#[test]
fn the_demo_shows_every_kind_of_call_and_leaves_nothing() {
    let world = World::new();
    let temporary = world.home().join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let world = world.with("TMPDIR", temporary.to_str().unwrap());
    let ran = world.run(&["demo"]).ok();
    for happened in [
        "agent | repo/search",
        "asks you |",
        "you | once",
        "order 2000, 5 items",
        "What was recorded",
        "repo/edit_file",
        "workflow/artifact_search",
    ] {
        assert!(ran.stdout.contains(happened), "{happened}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("a-secret-that-no-agent-sees"), "{}", ran.stdout);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    assert!(!world.exists("home/.local/state/toolgate/state.db"));
    let json = world.run(&["demo", "--json"]).ok().json();
    assert_eq!(json["calls"].as_array().unwrap().len(), 5);
}
