//! `connect` and `disconnect`: one entry, a backup, a shown change without others' secrets.

use toolgate_store::{SqliteStore, Workspaces as _};
use toolgate_testkit::{Act, Script};

use crate::daemon::house::house;
use crate::serve::gate::Gate;
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

const TOKEN: &str = "home/.local/state/toolgate/tokens/default";

/// Without an address the gate of this machine is meant: in the person's own file as a whole, in a
/// project's for this folder.
#[test]
fn http_alone_means_the_gate_of_this_machine() {
    let world = World::new();
    let ran = world.run(&["connect", "claude-code", "--http"]).fails_with(1);
    assert!(ran.stderr.contains("there is no token yet"), "{ran:?}");
    world.write(TOKEN, "canary-token\n");
    let ran = world.run(&["connect", "claude-code", "--http"]).ok();
    assert!(!format!("{ran:?}").contains("canary-token"), "{ran:?}");
    let written = world.read("home/.claude.json");
    assert!(written.contains("Bearer canary-token"), "{written}");
    assert!(written.contains("\"http://127.0.0.1:7332/mcp\""), "{written}");
    assert_eq!(registered(&world), 0, "it is not for this folder");
    let project = ["connect", "claude-code", "--scope", "project", "--http"];
    let shown = world.run(&[&project[..], &["--dry-run"]].concat()).ok();
    assert!(shown.stdout.contains("/w/(a name for this folder)/mcp"), "{shown:?}");
    world.run(&[&project[..], &["--yes"]].concat()).ok();
    let written = world.read("project/.mcp.json");
    assert!(written.contains("http://127.0.0.1:7332/w/"), "{written}");
    let again = world.run(&[&project[..], &["--yes"]].concat()).ok();
    assert!(again.stderr.contains("needs no change"), "the name stays the same: {again:?}");
    assert_eq!(registered(&world), 1);
}

/// How many folders have a name for URLs.
fn registered(world: &World) -> usize {
    let state = SqliteStore::open(&world.home().join(".local/state/toolgate")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(state.workspaces()).unwrap().len()
}

#[test]
fn the_address_is_that_of_the_gate_that_runs() {
    let world = house();
    world.write(World::GLOBAL, "[gateway]\nlisten = \"127.0.0.1:0\"\n");
    world.write(TOKEN, "canary-token\n");
    let ran = world.run(&["connect", "cursor", "--http"]).fails_with(1);
    assert!(ran.stderr.contains("no gate runs, and `gateway.listen` names no port"), "{ran:?}");
    let gate = Gate::on_free_port(&world);
    world.run(&["connect", "cursor", "--http"]).ok();
    let written = world.read("home/.cursor/mcp.json");
    assert!(written.contains(&format!("\"{}\"", gate.endpoint())), "{written}");
    world.run(&["connect", "cursor", "--http", "--scope", "project", "--yes"]).ok();
    let written: serde_json::Value =
        serde_json::from_str(&world.read("project/.cursor/mcp.json")).unwrap();
    let url = written["mcpServers"]["gate"]["url"].as_str().unwrap();
    let path = url.strip_prefix(&format!("http://{}", gate.address())).unwrap();
    assert_eq!(gate.status(path, Some(gate.token())), 200);
    let seen = world.run(&["doctor"]).stdout;
    assert_eq!(seen.matches("ok     clients: ").count(), 2, "{seen}");
}

/// Where a gate says how its clients reach it, that is what they are told; and where it takes no token of
/// ours they are given none, since they log in by themselves.
#[test]
fn http_means_the_public_address_and_no_token_where_clients_log_in_at_an_issuer() {
    for (auth, url) in [
        ("oauth", "https://gate.example.com"),
        ("both", "https://gate.example.com/"),
        ("oauth", "https://gate.example.com/mcp"),
    ] {
        let world = World::new();
        let gateway = format!(
            "[gateway]\nauth = {auth:?}\npublic_url = {url:?}\n\
             [gateway.oauth]\nissuer = \"https://id.example.com\"\nrole_claim = \"groups\"\n"
        );
        world.write(World::GLOBAL, &gateway);
        let connect = ["connect", "claude-code", "--http"];
        if auth == "both" {
            let ran = world.run(&connect).fails_with(1);
            assert!(ran.stderr.contains("there is no token yet"), "{ran:?}");
            world.write(TOKEN, "canary-token\n");
        }
        world.run(&connect).ok();
        let written = world.read("home/.claude.json");
        assert!(written.contains("\"https://gate.example.com/mcp\""), "{written}");
        assert_eq!(written.contains("canary-token"), auth == "both", "{written}");
        world.run(&[&connect[..], &["--scope", "project", "--yes"]].concat()).ok();
        let written = world.read("project/.mcp.json");
        assert!(written.contains("\"https://gate.example.com/w/"), "{written}");
        // Who names another gate, or a token, is taken at their word.
        let token = world.write("home/token", "other-token\n");
        let named = ["--token-file", token.to_str().unwrap()];
        world.run(&[&connect[..], &named].concat()).ok();
        assert!(world.read("home/.claude.json").contains("Bearer other-token"), "{auth}");
    }
}

#[test]
fn a_token_goes_into_a_projects_file_only_if_a_person_says_so() {
    let world = World::new();
    world.write(TOKEN, "canary-token\n");
    let connect = ["connect", "cursor", "--scope", "project", "--http"];
    let ran = world.run(&connect).fails_with(1);
    assert!(ran.stderr.contains("whoever gets the project gets it"), "{ran:?}");
    assert!(ran.stderr.contains("--yes"), "{ran:?}");
    world.run_at_terminal(&connect, "n\n").ok();
    assert!(!world.exists("project/.cursor/mcp.json"));
    let ran = world.run_at_terminal(&connect, "y\n").ok();
    assert!(ran.stdout.contains("whoever gets the project gets it. Write it there? [y/N]"));
    assert!(world.read("project/.cursor/mcp.json").contains("canary-token"));
}

/// Whatever a client wrote meanwhile is not ours to put back.
#[test]
fn undoing_takes_the_entry_out_and_never_puts_an_old_file_back() {
    let world = World::new();
    world.write("home/.claude.json", "{\"numStartups\": 1}\n");
    let ran = world.run(&["connect", "claude-code"]).ok();
    assert!(ran.stderr.contains("undo with: toolgate disconnect claude-code\n"), "{ran:?}");
    assert!(!ran.stderr.contains("mv ") && !ran.stderr.contains("rm "), "{ran:?}");
    let written =
        world.read("home/.claude.json").replace("\"numStartups\": 1", "\"numStartups\": 2");
    world.write("home/.claude.json", &written);
    world.run(&["disconnect", "claude-code"]).ok();
    let left = world.read("home/.claude.json");
    assert!(left.contains("\"numStartups\": 2") && !left.contains("gate"), "{left}");
    let ran = world.run(&["connect", "cursor", "--scope", "project"]).ok();
    assert!(ran.stderr.contains("undo with: toolgate disconnect cursor --scope project\n"));
}

/// As people have it, with comments, a list without indentation, and a block of text.
const CONTINUE: &str = "# mine\nname: Mine\nversion: 1.0.0\nschema: v1\nrules:\n  - |\n    Be short.\n\n\
    mcpServers:\n- name: db   # local\n  command: npx\n  args:\n    - -y\n    - db\n\nmodels: []\n";

/// Byte for byte, also where the client had no servers yet, or no file.
#[test]
fn disconnecting_restores_what_was_there_before() {
    let world = World::new();
    let before = [
        ("home/.claude.json", "claude-code", "{\"numStartups\": 1}"),
        ("home/.cursor/mcp.json", "cursor", "{\r\n\t\"mcpServers\": {}\r\n}\r\n"),
        ("home/.codex/config.toml", "codex", "model = \"x\" # mine\n"),
        ("home/.config/zed/settings.json", "zed", "// mine\n{\n  \"theme\": \"x\",\n}\n"),
        ("home/.gemini/settings.json", "gemini", ""),
        ("home/.qwen/settings.json", "qwen-code", "{\n  \"theme\": \"x\"\n}"),
        ("home/.continue/config.yaml", "continue", CONTINUE),
    ];
    for (path, client, text) in before {
        world.write(path, text);
        world.run(&["connect", client]).ok();
        // A second time, with another entry.
        world.write(TOKEN, "canary-token\n");
        world.run(&["connect", client, "--http"]).ok();
        assert_ne!(world.read(path), text, "{client}");
        let ran = world.run(&["disconnect", client]).ok();
        assert_eq!(world.read(path), text, "{client}: {ran:?}");
        assert!(!world.exists(&format!("{path}.toolgate-backup")), "{client}");
    }
    for client in ["windsurf", "vscode", "opencode", "qwen-code"] {
        world.run(&["connect", client]).ok();
        world.run(&["connect", client, "--http"]).ok();
        world.run(&["disconnect", client]).ok();
    }
    for path in [".codeium/windsurf/mcp_config.json", ".config/opencode/opencode.json"] {
        assert!(!world.exists(&format!("home/{path}")), "{path} was not there before");
    }
}

/// Continue has a list in YAML; in a project a file of ours stands beside others.
#[test]
fn continue_gets_an_item_of_its_list_and_a_file_of_its_own_in_a_project() {
    let world = World::new();
    world.write("home/.continue/config.yaml", CONTINUE);
    let ran = world.run(&["connect", "continue"]).ok();
    insta::assert_snapshot!(steady(&ran.stdout), @r#"
    --- <world>/home/.continue/config.yaml
    +++ <world>/home/.continue/config.yaml
    +- name: gate
    +  command: "<toolgate>"
    +  args: ["stdio", "--client", "continue"]
    "#);
    world.run(&["connect", "continue", "--scope", "project"]).ok();
    let written = world.read("project/.continue/mcpServers/toolgate.yaml");
    insta::assert_snapshot!(steady(&written), @r#"
    name: toolgate
    version: 1.0.0
    schema: v1
    mcpServers:
      - name: gate
        command: "<toolgate>"
        args: ["stdio", "--client", "continue"]
    "#);
    world.run(&["doctor"]).ok();
    // It is not imported back, and what stands beside it is.
    let dry = ["import", "continue", "--dry-run"];
    let block = "name: X\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: X files\n    command: x\n    \
                 env:\n      API_TOKEN: ${{ secrets.API_TOKEN }}\n  - uses: some/block\n";
    world.write("project/.continue/mcpServers/x.yaml", block);
    let ran = world.run(&dry).ok();
    insta::assert_snapshot!(ran.stdout, @"
    Continue · .continue/mcpServers/x.yaml
      X-files: refused: `env.API_TOKEN`: the variable API_TOKEN is not set
        runs              x
        info: mcpServers.X files: `X files` is called `X-files` here
      some-block: refused: it is a block of Continue's hub, which only Continue has
        info: mcpServers.some/block: `some/block` is called `some-block` here
    Continue · .continue/mcpServers/toolgate.yaml
      info: mcpServers.gate: `gate` is Toolgate itself and is left out
    Continue · <world>/home/.continue/config.yaml
      info: mcpServers.gate: `gate` is Toolgate itself and is left out
      db: ready, global scope
        runs              npx -y db
    ");
    world.run(&["disconnect", "continue", "--scope", "project"]).ok();
    assert!(!world.exists("project/.continue/mcpServers/toolgate.yaml"));
    assert!(world.exists("project/.continue/mcpServers/x.yaml"));
    // What cannot be edited line by line is left to the person.
    let flow = "name: M\nmcpServers: [{ name: db, command: x }]\n";
    world.write("home/.continue/config.yaml", flow);
    world.run(&["connect", "continue"]).fails_with(1);
    assert_eq!(world.read("home/.continue/config.yaml"), flow);
}

#[test]
fn all_clients_that_are_found_are_connected_each_shown() {
    let world = World::new();
    let ran = world.run(&["connect", "--all"]).fails_with(1);
    assert!(ran.stderr.contains("no client was found here"), "{ran:?}");
    world.write("home/.cursor/mcp.json", CURSOR);
    world.write("home/.gemini/settings.json", "{ broken");
    std::fs::create_dir_all(world.home().join(".codex")).unwrap();
    let ran = world.run(&["connect", "--all"]).fails_with(1);
    assert!(ran.stderr.contains("error: Gemini CLI: "), "{ran:?}");
    assert!(ran.stderr.contains("connected Cursor: "), "{ran:?}");
    assert!(ran.stderr.contains("connected Codex: "), "{ran:?}");
    assert_eq!(ran.stdout.matches("+++ ").count(), 2, "{ran:?}");
    assert_eq!(world.read("home/.gemini/settings.json"), "{ broken");
    let ran = world.run(&["disconnect", "--all", "--json"]).ok().json();
    assert_eq!(ran["clients"].as_array().unwrap().len(), 2, "{ran}");
    assert_eq!(world.read("home/.cursor/mcp.json"), CURSOR);
    assert!(!world.exists("home/.codex/config.toml"));
    world.run(&["disconnect", "--all"]).fails_with(1);
    world.run(&["connect"]).fails_with(2);
    world.run(&["connect", "codex", "--all"]).fails_with(2);
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
        "qwen-code",
        "continue",
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
