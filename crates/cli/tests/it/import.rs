//! `import`: a report of every server, nothing trusted, nothing half done.

use crate::support::World;

const CLAUDE: &str = r#"{
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server"], "env": { "API_TOKEN": "${API_TOKEN}" } },
    "remote": { "type": "http", "url": "https://r.example/mcp", "headers": { "X-Team": "canary" } },
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
      files: ready, project scope
        runs              npx -y server
        env_vars          API_TOKEN
        mapped: env.API_TOKEN → env_vars
      remote: ready, project scope
        url               https://r.example/mcp
        headers           X-Team=canary
        mapped: type → transport
      unset: refused: `env.A`: the variable NOT_SET_ANYWHERE is not set
        runs              x
    ");
    assert!(!format!("{ran:?}").contains("canary-token"));
    assert!(!world.exists("project/toolgate.toml"));
    let json = world.run(&["import", "claude-code", "--dry-run", "--json"]).ok().json();
    assert_eq!(json["schemaVersion"], 1);
    assert_eq!(json["files"][0]["servers"].as_array().unwrap().len(), 3);
    let entry = &json["files"][0]["servers"][0]["entry"];
    assert_eq!((&entry["command"], &entry["args"][1]), (&"npx".into(), &"server".into()));
}

#[test]
fn an_import_without_a_terminal_is_pending_in_the_project_and_refused_in_the_persons_own_file() {
    let world = with_claude();
    world.run(&["import", ".mcp.json", "--scope", "global"]).fails_with(8);
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
    headers = { X-Team = "canary" }
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
    // What downloads something when it is accepted is left to `trust`.
    assert_eq!(list.matches("untrusted").count(), 1, "{list}");
    assert_eq!(list.matches("pending").count(), 1, "{list}");
}

/// A clone's file in each client's place, whose server would leave a mark.
fn with_clones_files() -> World {
    let world = World::new();
    let servers = r#"{"mcpServers":{"docs":{"command":"sh","args":["-c","touch M"]}}}"#;
    world.write("project/.mcp.json", servers);
    world.write("project/.cursor/mcp.json", servers);
    world.write("project/.gemini/settings.json", servers);
    world.write(
        "project/.vscode/mcp.json",
        r#"{"servers":{"docs":{"type":"stdio","command":"sh","args":["-c","touch M"]}}}"#,
    );
    world.write(
        "project/.codex/config.toml",
        "[mcp_servers.docs]\ncommand = \"sh\"\nargs = [\"-c\", \"touch M\"]\n",
    );
    world.write(
        "project/opencode.json",
        r#"{"mcp":{"docs":{"type":"local","command":["sh","-c","touch M"]}}}"#,
    );
    world.write(
        "project/.zed/settings.json",
        r#"{"context_servers":{"docs":{"command":"sh","args":["-c","touch M"]}}}"#,
    );
    world
}

#[test]
fn a_projects_file_goes_into_the_persons_own_only_if_it_is_named() {
    let world = with_clones_files();
    for client in ["claude-code", "cursor", "gemini", "vscode", "codex", "opencode", "zed"] {
        let import = ["import", client, "--scope", "global"];
        let ran = world.run_at_terminal(&import, "y\n").fails_with(1);
        let said =
            "docs: refused: it is this project's; it goes into your own file only if you name";
        assert!(ran.stdout.contains(said), "{client}: {ran:#?}");
        assert!(ran.stdout.contains("runs              sh -c 'touch M'"), "{client}: {ran:#?}");
        assert!(!world.exists(World::GLOBAL), "{client}");
    }
    let mut terminal = world.at_terminal(&["import", ".mcp.json", "--scope", "global"]);
    terminal.until("[y/N] ");
    terminal.type_in("y\n");
    terminal.until("run without asking you?");
    terminal.type_in("n\n");
    let ran = terminal.ended(&world).ok();
    assert!(
        ran.stdout.contains("docs: runs sh -c 'touch M'\nwrite 1 of 1 server into"),
        "{ran:#?}"
    );
    assert!(world.read(World::GLOBAL).contains("touch M"));
}

/// `~/.claude.json` has a part for each project, and what stands there may be the clone's doing.
#[test]
fn of_a_persons_own_file_what_is_for_this_project_stays_out_too() {
    let world = World::new();
    let project = world.project().canonicalize().unwrap();
    let text = serde_json::json!({
        "mcpServers": { "mine": { "command": "mine" }, "docs": { "command": "my-docs" } },
        "projects": { project.to_str().unwrap(): {
            "mcpServers": { "docs": { "command": "sh", "args": ["-c", "touch M"] } }
        } },
    });
    world.write("home/.claude.json", &text.to_string());
    let mut terminal = world.at_terminal(&["import", "claude-code", "--scope", "global"]);
    terminal.until("[y/N] ");
    terminal.type_in("y\n");
    terminal.until("run without asking you?");
    terminal.type_in("y\n");
    let ran = terminal.ended(&world).ok();
    let said = "docs: refused: it is this project's; it goes into your own file only if you name";
    assert!(ran.stdout.contains(said), "{ran:#?}");
    assert!(ran.stdout.contains("mine: runs mine\ndocs: runs my-docs\nwrite 2 of 3"), "{ran:#?}");
    let global = world.read(World::GLOBAL);
    assert!(global.contains("my-docs") && global.contains("mine"), "{global}");
    assert!(!global.contains("touch M"), "{global}");
    assert_eq!(global.matches("approval = \"auto\"").count(), 2, "for each: {global}");
    // For this project it is what counts.
    let ran = world.run(&["import", "claude-code", "--dry-run"]).ok();
    assert!(
        ran.stdout.contains("docs: ready, project scope\n    runs              sh -c"),
        "{ran:#?}"
    );
    let ran = world.run(&["import", "claude-code", "--dry-run", "--scope", "project"]).ok();
    assert!(ran.stdout.contains("sh -c 'touch M'") && !ran.stdout.contains("my-docs"), "{ran:#?}");
}

#[test]
fn in_the_home_folder_a_clients_file_is_the_persons() {
    let world = World::new();
    world.write("home/.cursor/mcp.json", r#"{"mcpServers":{"a":{"command":"x"}}}"#);
    let cursor = ["import", "cursor", "--scope", "global", "--dry-run"];
    let ran = world.command(&cursor).current_dir(world.home()).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(text.matches("a: ready, global scope").count(), 1, "{text}");
}

#[test]
fn of_the_persons_own_file_tokens_are_counted_and_nothing_else_is_left_out() {
    let world = World::new();
    let token = "ghp_abcdefghijklmnop";
    let servers = serde_json::json!({ "mcpServers": {
        "a": { "command": "x", "env": {
            "API_TOKEN": token, "TOKEN": "$(touch M) aaaaaaaaaa", "BASH_ENV": token,
        } },
        "b": { "url": "https://b.example/mcp", "headers": { "Authorization": "Bearer 0123456789abcdef" } },
    } });
    world.write("home/.cursor/mcp.json", &servers.to_string());
    let ran = world.run(&["import", "cursor", "--dry-run"]).ok();
    for line in [
        "env               API_TOKEN='<secret API_TOKEN, 20 characters>'",
        "env               TOKEN='$(touch M) aaaaaaaaaa'",
        "env               BASH_ENV=ghp_abcdefghijklmnop",
        "headers           Authorization='<secret Authorization, 23 characters>'",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {ran:#?}");
    }
    let json = world.run(&["import", "cursor", "--dry-run", "--json"]).ok();
    assert_eq!(json.stdout.matches(token).count(), 1, "{json:?}");
    // Of a project's, into the person's own file, all of it is shown.
    world.write("project/.cursor/mcp.json", &servers.to_string());
    let named = ["import", ".cursor/mcp.json", "--dry-run", "--scope", "global"];
    let ran = world.run(&named).ok();
    assert!(ran.stdout.contains(&format!("API_TOKEN={token}\n")), "{ran:#?}");
    // Into the project's none of it goes.
    let ran = world.run(&["import", ".cursor/mcp.json"]).ok();
    assert!(ran.stdout.contains("export API_TOKEN=<env.API_TOKEN>"), "{ran:#?}");
    assert!(ran.stdout.contains("export B_TOKEN=<headers.Authorization>"), "{ran:#?}");
    let written = world.read("project/toolgate.toml");
    assert!(!written.contains(token) && !written.contains("0123456789abcdef"), "{written}");
    assert!(written.contains("Bearer ${B_TOKEN}"), "{written}");
}

/// What a client keeps for its person is the person's here too, and what it had off stays off.
#[test]
fn a_clients_own_file_goes_into_the_persons_own_and_what_was_off_stays_off() {
    let world = World::new();
    let project = world.project().canonicalize().unwrap();
    let own = serde_json::json!({
        "mcpServers": { "mine": { "command": "mine", "env": { "API_TOKEN": "ghp_abcdefghijklmnop" } } },
        "projects": { project.to_str().unwrap(): {
            "mcpServers": { "here": { "command": "here" } },
            "disabledMcpServers": ["here"],
            "disabledMcpjsonServers": ["theirs"],
        } },
    });
    world.write("home/.claude.json", &own.to_string());
    let theirs =
        r#"{"mcpServers":{"theirs":{"command":"x"},"on":{"command":"x"},"off":{"command":"x"}}}"#;
    world.write("project/.mcp.json", theirs);
    let settings = r#"{"disabledMcpjsonServers": ["off"]}"#;
    world.write("project/.claude/settings.local.json", settings);
    let ran = world.run(&["import", "claude-code"]).fails_with(8);
    assert!(ran.stderr.contains("--scope project"), "{ran:?}");
    let mut terminal = world.at_terminal(&["import", "claude-code"]);
    terminal.until("Enter for the next");
    terminal.type_in("\n");
    terminal.until("[y/N] ");
    assert!(
        terminal.text().contains("config.toml (global scope) and toolgate.toml (project scope)?")
    );
    terminal.type_in("y\nn\n");
    terminal.ended(&world).ok();
    insta::assert_snapshot!(world.run(&["list"]).ok().stdout, @"
    id      transport  source   enabled  trust
    mine    stdio      global   true     trusted
    theirs  stdio      project  false    untrusted
    on      stdio      project  true     untrusted
    off     stdio      project  false    untrusted
    here    stdio      project  false    untrusted
    ");
    assert!(world.read(World::GLOBAL).contains("ghp_"), "that file is the person's");
    // The same file by its path.
    let path = world.home().join(".claude.json");
    let ran = world.run(&["import", path.to_str().unwrap(), "--dry-run", "--replace"]).ok();
    assert!(ran.stdout.contains("mine: ready, global scope"), "{ran:?}");
    let named = world.run(&["import", path.to_str().unwrap(), "--dry-run", "--json"]).stdout;
    assert!(
        !named.contains("ghp_abcdefghijklmnop"),
        "a token of the person's is not shown: {named}"
    );
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
    let qwen = r#"{"mcpServers":{"h":{"httpUrl":"https://h.example/mcp"},"i":{"command":"x"}},"mcp":{"excluded":["i"]}}"#;
    world.write("home/.qwen/settings.json", qwen);
    let list =
        "mcpServers:\n  - name: j\n    type: streamable-http\n    url: https://j.example/mcp\n";
    world.write("home/.continue/config.yaml", list);
    let clients = ["cursor", "vscode", "codex", "opencode", "gemini", "windsurf", "zed"];
    for client in clients.into_iter().chain(["qwen-code", "continue"]) {
        world.run(&["-q", "import", client, "--scope", "project"]).ok();
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
    h   http       project  true     pending
    i   stdio      project  false    pending
    j   http       project  true     pending
    ");
}

#[test]
fn what_cannot_be_found_or_read_is_said() {
    let world = World::new();
    let ran = world.run(&["import", "cursor"]).fails_with(1);
    assert!(ran.stderr.contains("no configuration of Cursor was found"), "{ran:?}");
    let ran = world.run(&["import", "emacs"]).fails_with(2);
    assert!(ran.stderr.contains("known clients: claude-code"), "{ran:?}");
    world.write("project/.mcp.json", "{\"mcpServers\": {");
    let ran = world.run(&["import", ".mcp.json"]).fails_with(1);
    assert!(ran.stderr.contains(".mcp.json") && ran.stderr.contains("json-syntax"), "{ran:?}");
}
