//! `connect` and `disconnect`: one entry, a backup, a shown change without others' secrets.

use toolgate_testkit::{Act, Script};

use crate::support::World;

const CURSOR: &str = "{\n  \"mcpServers\": {\n    \"x\": { \"command\": \"x\", \"env\": { \"K\": \"canary\" } }\n  }\n}\n";

/// Where the binary is differs from machine to machine.
fn steady(text: &str) -> String {
    let executable = assert_cmd::cargo::cargo_bin!("toolgate");
    text.replace(executable.to_str().unwrap(), "<toolgate>")
}

#[test]
fn a_dry_run_shows_the_change_and_writes_nothing() {
    let world = World::new();
    let ran = world.run(&["connect", "codex", "--dry-run"]).ok();
    insta::assert_snapshot!(steady(&ran.stdout), @r#"
    --- <world>/home/.codex/config.toml
    +++ <world>/home/.codex/config.toml
    +[mcp_servers.gate]
    +command = "<toolgate>"
    +args = ["stdio", "--client", "codex"]
    "#);
    assert!(!world.exists("home/.codex"));
}

#[test]
fn connect_and_disconnect_leave_the_file_as_it_was_with_a_backup() {
    let world = World::new();
    world.write("home/.cursor/mcp.json", CURSOR);
    let ran = world.run(&["connect", "cursor"]).ok();
    insta::assert_snapshot!(steady(&ran.stdout), @r#"
    --- <world>/home/.cursor/mcp.json
    +++ <world>/home/.cursor/mcp.json
    -    "x": { "command": "***", "env": { "K": "***" } }
    +    "x": { "command": "***", "env": { "K": "***" } },
    +    "gate": {
    +      "command": "<toolgate>",
    +      "args": ["stdio", "--client", "cursor"]
    +    }
    "#);
    assert!(!ran.stdout.contains("canary"));
    assert_eq!(world.read("home/.cursor/mcp.json.toolgate-backup"), CURSOR);
    let again = world.run(&["connect", "cursor"]).ok();
    assert!(again.stderr.contains("needs no change"), "{again:?}");
    world.run(&["disconnect", "cursor"]).ok();
    assert_eq!(world.read("home/.cursor/mcp.json"), CURSOR);
    let ran = world.run(&["disconnect", "cursor"]).fails_with(1);
    assert!(ran.stderr.contains("Cursor is not connected"), "{ran:?}");
}

#[test]
fn http_takes_its_token_from_a_file_and_never_shows_it() {
    let world = World::new();
    world.write("home/token", "canary-token\n");
    let token = world.home().join("token");
    let arguments =
        ["connect", "claude-code", "--http", "http://127.0.0.1:7332/mcp", "--token-file"];
    let ran = world.run(&[&arguments[..], &[token.to_str().unwrap()]].concat()).ok();
    assert!(!format!("{ran:?}").contains("canary-token"), "{ran:?}");
    assert!(world.read("home/.claude.json").contains("Bearer canary-token"));
}

/// Without an address the gateway of this machine is meant, and a name for this folder.
#[test]
fn http_alone_means_the_gateway_of_this_machine_and_this_folder() {
    let world = World::new();
    let ran = world.run(&["connect", "claude-code", "--http"]).fails_with(1);
    assert!(ran.stderr.contains("there is no token yet"), "{ran:?}");
    world.write("home/.local/state/toolgate/tokens/default", "canary-token\n");
    let shown = world.run(&["connect", "claude-code", "--http", "--dry-run"]).ok();
    assert!(shown.stdout.contains("/w/(a name for this folder)/mcp"), "{shown:?}");
    let ran = world.run(&["connect", "claude-code", "--http"]).ok();
    assert!(!format!("{ran:?}").contains("canary-token"), "{ran:?}");
    let written = world.read("home/.claude.json");
    assert!(written.contains("Bearer canary-token"), "{written}");
    assert!(written.contains("http://127.0.0.1:7332/w/"), "{written}");
    let again = world.run(&["connect", "claude-code", "--http"]).ok();
    assert!(again.stderr.contains("needs no change"), "the name stays the same: {again:?}");
}

#[test]
fn every_client_can_be_connected_and_disconnected() {
    let world = World::new();
    for client in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vscode",
        "codex",
        "opencode",
        "gemini",
        "windsurf",
        "zed",
    ] {
        world.run(&["connect", client]).ok();
        world.run(&["disconnect", client]).ok();
        world.run(&["disconnect", client]).fails_with(1);
    }
    world.run(&["connect", "emacs"]).fails_with(2);
}

#[test]
fn a_broken_client_file_is_left_alone() {
    let world = World::new();
    world.write("home/.cursor/mcp.json", "{ \"mcpServers\": ");
    world.run(&["connect", "cursor"]).fails_with(1);
    assert_eq!(world.read("home/.cursor/mcp.json"), "{ \"mcpServers\": ");
    assert!(!world.exists("home/.cursor/mcp.json.toolgate-backup"));
}

/// Shows nothing of it; what is pending is not started for it.
#[test]
fn who_is_connected_finds_the_tools_of_accepted_servers_before_anything_runs() {
    let world = World::new();
    let tools = r#"{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}"#;
    world.local("files", &Script::legacy().on("tools/list", [Act::answer(tools)]));
    let pending = "[servers.theirs]\ncommand = \"touch\"\nargs = [\"started\"]\n";
    world.write("project/toolgate.toml", pending);
    let ran = world.run(&["connect", "codex"]).ok();
    assert!(!ran.stdout.contains("look") && !ran.stderr.contains("look"), "{ran:?}");
    assert!(!world.exists("project/started"));
    // From now on it cannot be started any more.
    world.write("home/files.json", "no script");
    let ran = world.run(&["tools", "--cached", "--server", "files"]).ok();
    assert!(ran.stdout.contains("files__look"), "{ran:?}");
}

#[test]
fn connecting_offers_that_what_only_reads_runs_unasked_in_one_question() {
    let world = World::new();
    let own = "# mine\n[servers.plain]\ncommand = \"plain\"\n\n\
        [servers.said]\ncommand = \"said\"\napproval = \"prompt\"\n\n\
        [servers.odd]\ncommand = \"odd\"\ntrust = \"untrusted\"\n";
    world.write(World::GLOBAL, own);
    let ran = world.run(&["connect", "cursor"]).ok();
    assert!(!ran.stdout.contains("without asking you?"), "nobody is there: {ran:?}");
    let ran = world.run_at_terminal(&["connect", "cursor"], "n\n").ok();
    assert!(ran.stdout.contains("let tools of plain that only read run without"), "{ran:?}");
    assert_eq!(world.read(World::GLOBAL), own);
    let ran = world.run_at_terminal(&["connect", "cursor"], "y\n").ok();
    assert!(ran.stdout.contains("plain: tools that only read run without asking you"), "{ran:?}");
    let expected =
        own.replace("command = \"plain\"\n", "command = \"plain\"\napproval = \"auto\"\n");
    assert_eq!(world.read(World::GLOBAL), expected);
    // There is nothing left to ask.
    let ran = world.run_at_terminal(&["connect", "cursor"], "").ok();
    assert!(!ran.stdout.contains("without asking you?"), "{ran:?}");
}
