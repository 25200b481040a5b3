//! `import`: a report of every server, nothing trusted, nothing half done.

use crate::support::World;

const CLAUDE: &str = r#"{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server"], "env": { "API_TOKEN": "${API_TOKEN}" } },
    "remote": { "type": "http", "url": "https://r.example/mcp", "headers": { "X-Key": "canary" } },
    "unset": { "command": "x", "env": { "A": "${NOT_SET_ANYWHERE}" } }
  }
}
"#;

fn with_claude() -> World {
    let world = World::new().with("API_TOKEN", "canary-token");
    world.write("project/.mcp.json", CLAUDE);
    world
}

/// Shows: E-5.
#[test]
fn a_dry_run_reports_and_writes_nothing() {
    let world = with_claude();
    let ran = world.run(&["import", "claude-code", "--dry-run"]).ok();
    insta::assert_snapshot!(ran.stdout, @"
    Claude Code · .mcp.json
      files: ready
        mapped: env.API_TOKEN → env_vars
      remote: ready
        mapped: type → transport
      unset: refused: `env.A`: the variable NOT_SET_ANYWHERE is not set
    ");
    assert!(!format!("{ran:?}").contains("canary"));
    assert!(!world.exists("project/toolgate.toml"));
    let json = world.run(&["import", "claude-code", "--dry-run", "--json"]).ok().json();
    assert_eq!(json["schemaVersion"], 1);
    assert_eq!(json["files"][0]["servers"].as_array().unwrap().len(), 3);
}

#[test]
fn an_import_without_a_terminal_is_pending_in_the_project_and_refused_in_the_persons_own_file() {
    let world = with_claude();
    world.run(&["import", "claude-code", "--scope", "global"]).fails_with(8);
    assert!(!world.exists(World::GLOBAL));
    world.run(&["import", ".mcp.json"]).ok();
    insta::assert_snapshot!(world.read("project/toolgate.toml"), @r#"
    version = 1

    [servers.files]
    transport = "stdio"
    command = "npx"
    args = ["-y", "server"]
    env_vars = ["API_TOKEN"]

    [servers.remote]
    transport = "http"
    url = "https://r.example/mcp"
    headers = { X-Key = "canary" }
    "#);
    insta::assert_snapshot!(world.run(&["list"]).ok().stdout, @"
    id      transport  source   enabled  trust
    files   stdio      project  true     pending
    remote  http       project  true     pending
    ");
    let again = world.run(&["import", ".mcp.json"]).fails_with(1);
    assert!(again.stdout.contains("already exists in project scope"), "{again:?}");
}

#[test]
fn a_person_is_asked_once_and_a_no_writes_nothing() {
    let world = with_claude();
    world.run_at_terminal(&["import", "claude-code"], "n\n").ok();
    assert!(!world.exists("project/toolgate.toml"));
    let ran = world.run_at_terminal(&["import", "claude-code"], "y\n").ok();
    assert_eq!(ran.stdout.matches("[y/N]").count(), 1, "{ran:?}");
    let list = world.run(&["list"]).ok().stdout;
    assert_eq!(list.matches("untrusted").count(), 2, "{list}");
}

#[test]
fn every_clients_file_is_recognised_by_its_path() {
    let world = World::new();
    world.write("project/.cursor/mcp.json", r#"{"mcpServers":{"a":{"command":"x"}}}"#);
    world.write("project/.vscode/mcp.json", r#"{"servers":{"b":{"type":"stdio","command":"x"}}}"#);
    world.write("home/.codex/config.toml", "[mcp_servers.c]\ncommand = \"x\"\n");
    world.write(
        "project/opencode.jsonc",
        "{\"mcp\":{\"d\":{\"type\":\"local\",\"command\":[\"x\"]}}} // end",
    );
    world.write(
        "home/.gemini/settings.json",
        r#"{"mcpServers":{"e":{"httpUrl":"https://e.example/mcp"}}}"#,
    );
    world.write(
        "home/.codeium/windsurf/mcp_config.json",
        r#"{"mcpServers":{"f":{"serverUrl":"https://f.example/mcp"}}}"#,
    );
    world.write("home/.config/zed/settings.json", r#"{"context_servers":{"g":{"command":"x"}}}"#);
    for client in ["cursor", "vscode", "codex", "opencode", "gemini", "windsurf", "zed"] {
        world.run(&["-q", "import", client]).ok();
    }
    insta::assert_snapshot!(world.run(&["list"]).ok().stdout, @"
    id  transport  source   enabled  trust
    a   stdio      project  true     pending
    b   stdio      project  true     pending
    c   stdio      project  true     pending
    d   stdio      project  true     pending
    e   http       project  true     pending
    f   http       project  true     pending
    g   stdio      project  true     pending
    ");
}

#[test]
fn what_cannot_be_found_or_read_is_said() {
    let world = World::new();
    let ran = world.run(&["import", "cursor"]).fails_with(1);
    assert!(ran.stderr.contains("no configuration of Cursor was found"), "{ran:?}");
    let ran = world.run(&["import", "emacs"]).fails_with(1);
    assert!(ran.stderr.contains("known clients: claude-code"), "{ran:?}");
    world.write("project/.mcp.json", "{\"mcpServers\": {");
    let ran = world.run(&["import", ".mcp.json"]).fails_with(1);
    assert!(ran.stderr.contains(".mcp.json") && ran.stderr.contains("json-syntax"), "{ran:?}");
}
