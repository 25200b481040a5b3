//! `add`: every option, the short forms, and what stands in the file afterwards.

use crate::support::World;

/// Shows: S1-32, S1-36, S1-43, S1-44.
#[test]
fn a_remote_server_with_every_option_is_written_to_the_project_file() {
    let world = World::new();
    let ran = world
        .run(&[
            "mcp",
            "add",
            "remote",
            "--transport",
            "http",
            "--url",
            "https://example.com/mcp",
            "--header",
            "X-Team=core",
            "--header",
            "X-Mode=a=b",
            "--oauth-authorization-url",
            "https://example.com/authorize",
            "--oauth-token-url",
            "https://example.com/token",
            "--oauth-registration-url",
            "https://example.com/register",
            "--oauth-client-id",
            "client",
            "--oauth-client-secret",
            "hunter2",
            "--oauth-scope",
            "mcp",
            "--enabled",
            "false",
            "--request-timeout-ms",
            "5000",
        ])
        .ok();
    insta::assert_snapshot!(world.read("project/toolgate.toml"), @r#"
    version = 1

    [servers.remote]
    transport = "http"
    url = "https://example.com/mcp"
    headers = { X-Team = "core", X-Mode = "a=b" }
    enabled = false
    request_timeout_ms = 5000

    [servers.remote.oauth]
    authorization_url = "https://example.com/authorize"
    token_url = "https://example.com/token"
    registration_url = "https://example.com/register"
    client_id = "client"
    client_secret = "${REMOTE_CLIENT_SECRET}"
    scope = "mcp"
    "#);
    let line = "give it with: export REMOTE_CLIENT_SECRET=<oauth.client_secret>";
    assert!(ran.stderr.contains(line) && !ran.stderr.contains("hunter2"), "{ran:?}");
    insta::assert_snapshot!(ran.stderr, @"
    added server remote to toolgate.toml (project scope)
    undo with: toolgate remove remote --scope project
    warning: a credential stays out of the project's file; give it with: export REMOTE_CLIENT_SECRET=<oauth.client_secret>
    or keep it in your own file: the same with --scope global
    it is pending until you accept it with: toolgate trust
    ");
}

/// Shows: S1-37, S1-45.
#[test]
fn a_local_server_with_every_option_is_written() {
    let world = World::new();
    world
        .run(&[
            "add",
            "files",
            "--transport",
            "stdio",
            "--command",
            "npx",
            "--arg",
            "-y",
            "--arg",
            "server-filesystem",
            "--cwd",
            "/srv",
            "--env",
            "NODE_ENV=production",
            "--env",
            "A=b=c",
        ])
        .ok();
    insta::assert_snapshot!(world.read("project/toolgate.toml"), @r#"
    version = 1

    [servers.files]
    transport = "stdio"
    command = "npx"
    args = ["-y", "server-filesystem"]
    cwd = "/srv"
    env = { NODE_ENV = "production", A = "b=c" }
    "#);
}

#[test]
fn the_short_forms_say_the_same_as_the_options() {
    let short = World::new();
    short.run(&["add", "docs", "https://example.com/mcp"]).ok();
    short.run(&["add", "files", "--", "npx", "-y", "server", "--flag", "two words"]).ok();
    insta::assert_snapshot!(short.read("project/toolgate.toml"), @r#"
    version = 1

    [servers.docs]
    url = "https://example.com/mcp"

    [servers.files]
    transport = "stdio"
    command = "npx"
    args = ["-y", "server", "--flag", "two words"]
    "#);
}

#[test]
fn a_url_where_a_command_was_expected_is_an_error_and_so_is_the_reverse() {
    let world = World::new();
    let ran = world.run(&["add", "x", "--", "https://example.com/mcp"]).fails_with(2);
    assert!(ran.stderr.contains("a URL stands where a command was expected"), "{ran:?}");
    let ran = world.run(&["add", "x", "npx"]).fails_with(2);
    assert!(ran.stderr.contains("`npx` is not a URL"), "{ran:?}");
    world.run(&["add", "x"]).fails_with(2);
    world.run(&["add", "x", "https://a/mcp", "--", "npx"]).fails_with(2);
    assert!(!world.exists("project/toolgate.toml"));
}

/// Shows: S1-47.
#[test]
fn an_existing_id_is_refused_without_replace_and_overwritten_whole_with_it() {
    let world = World::new();
    world.run(&["add", "docs", "https://one.example/mcp", "--header", "X-A=1"]).ok();
    let before = world.read("project/toolgate.toml");
    let ran = world.run(&["add", "docs", "https://two.example/mcp"]).fails_with(1);
    assert_eq!(
        ran.stderr,
        "error: server already exists in project scope: docs\npass --replace to overwrite\n"
    );
    assert_eq!(world.read("project/toolgate.toml"), before);
    world.run(&["add", "docs", "https://two.example/mcp", "--replace"]).ok();
    let after = world.read("project/toolgate.toml");
    assert!(after.contains("two.example") && !after.contains("X-A"), "{after}");
}

#[test]
fn global_scope_writes_the_persons_own_file_and_is_trusted_unless_said_otherwise() {
    let world = World::new();
    world.run(&["add", "a", "https://a.example/mcp", "--scope", "global"]).ok();
    world
        .run(&["add", "b", "https://b.example/mcp", "--scope", "global", "--trust", "untrusted"])
        .ok();
    assert!(!world.exists("project/toolgate.toml"));
    let text = world.read(World::GLOBAL);
    assert!(text.contains("trust = \"untrusted\""), "{text}");
    let list = world.run(&["list"]).ok().stdout;
    insta::assert_snapshot!(list, @"
    id  transport  source  enabled  trust
    a   http       global  true     trusted
    b   http       global  true     untrusted
    ");
}

#[test]
fn the_discovered_file_is_edited_in_its_own_shape() {
    let world = World::new();
    world.write(
        "project/.codelia/config.json",
        "{\n  \"version\": 1,\n  \"mcp\": { \"servers\": {} }\n}\n",
    );
    world.run(&["add", "docs", "https://example.com/mcp", "--transport", "http"]).ok();
    insta::assert_snapshot!(world.read("project/.codelia/config.json"), @r#"
    {
      "version": 1,
      "mcp": { "servers": {
        "docs": {
          "transport": "http",
          "url": "https://example.com/mcp"
        }
      } }
    }
    "#);

    let world = World::new();
    world.write(
        "project/codex-toolloop.mcp.json",
        "{\n  // ours\n  \"servers\": {},\n  \"bundles\": {}\n}\n",
    );
    world.run(&["add", "files", "--env", "A=b", "--", "npx", "x"]).ok();
    insta::assert_snapshot!(world.read("project/codex-toolloop.mcp.json"), @r#"
    {
      // ours
      "servers": {
        "files": {
          "trust": "untrusted",
          "transport": {
            "type": "stdio",
            "command": "npx",
            "args": ["x"],
            "env": {
              "A": "b"
            }
          }
        }
      },
      "bundles": {}
    }
    "#);

    let world = World::new();
    world.write("project/.toolgate/config.toml", "[mcp.lint]\ncommand = \"cargo\"\n");
    world.run(&["add", "docs", "https://example.com/mcp"]).ok();
    insta::assert_snapshot!(world.read("project/.toolgate/config.toml"), @r#"
    [mcp.lint]
    command = "cargo"

    [mcp.servers]
    docs = { url = "https://example.com/mcp" }
    "#);

    let world = World::new();
    world.write("project/codex.toml", "model = \"x\"\n\n[mcp_servers.a]\ncommand = \"a\"\n");
    world
        .run(&[
            "--config",
            "codex.toml",
            "add",
            "docs",
            "https://example.com/mcp",
            "--header",
            "X-A=1",
        ])
        .ok();
    insta::assert_snapshot!(world.read("project/codex.toml"), @r#"
    model = "x"

    [mcp_servers.a]
    command = "a"

    [mcp_servers.docs]
    url = "https://example.com/mcp"
    http_headers = { X-A = "1" }
    "#);
    let ran = world
        .run(&["--config", "codex.toml", "add", "s", "https://e.com/sse", "--transport", "sse"])
        .fails_with(1);
    assert!(ran.stderr.contains("cannot say `transport`"), "{ran:?}");
}

#[test]
fn what_would_not_load_is_not_written() {
    let world = World::new();
    for (arguments, word) in [
        (vec!["add", "../x", "https://a.example/mcp"], "not a server id"),
        (vec!["add", "local", "https://a.example/mcp"], "reserved"),
        (vec!["add", "x", "https://user:pw@a.example/mcp"], "user name or password"),
        (vec!["add", "x", "ftp://a.example/mcp"], "not http or https"),
        (vec!["add", "x", "https://a.example/mcp", "--header", "Host=evil"], "set by Toolgate"),
        (vec!["add", "x", "https://a.example/mcp", "--header", "X=${NOPE_UNSET}"], "not set"),
        (vec!["add", "x", "https://a.example/mcp", "--cwd", "/"], "does not go with transport"),
    ] {
        let ran = world.run(&arguments).fails_with(1);
        assert!(ran.stderr.contains(word), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.contains("user:pw"), "{ran:?}");
    }
    assert!(!world.exists("project/toolgate.toml"));
}

#[test]
fn a_bare_url_is_written_so_that_an_older_shape_reads_it_again() {
    for file in [".codelia/config.json", "codex-toolloop.mcp.json"] {
        let world = World::new();
        let empty =
            if file.starts_with('.') { "{\"mcp\":{\"servers\":{}}}" } else { "{\"servers\":{}}" };
        world.write(&format!("project/{file}"), empty);
        world.run(&["add", "docs", "https://example.com/mcp"]).ok();
        world.run(&["config", "check"]).ok();
        assert!(world.run(&["list"]).ok().stdout.contains("docs"), "{file}");
    }
}

#[test]
fn which_calls_ask_is_an_option_and_one_question() {
    let world = World::new();
    world.run(&["add", "a", "--approval", "auto", "--scope", "global", "--", "x"]).ok();
    assert!(world.read(World::GLOBAL).contains("approval = \"auto\""));
    world.run(&["add", "b", "--approval", "always", "--", "x"]).fails_with(2);
    let asks = |answers: &str, id: &str| {
        let arguments = ["add", id, "--scope", "global", "--", "x"];
        let ran = world.run_at_terminal(&arguments, answers).ok();
        assert!(ran.stdout.contains("only read run without asking you?"), "{ran:?}");
        assert!(ran.stdout.contains("tools that it adds later, still ask"), "{ran:?}");
        let shown = world.run(&["get", id, "--json"]).ok().json();
        shown.to_string().contains("\"approval\":\"auto\"")
    };
    assert!(asks("y\n", "yes"));
    assert!(!asks("n\n", "no"));
    // Who is not believed is not asked about, and a choice that was made is not asked for.
    for more in [["--trust", "untrusted"], ["--approval", "prompt"]] {
        let arguments = [&["add", "c", "--replace", "--scope", "global"][..], &more, &["--", "x"]];
        let ran = world.run_at_terminal(&arguments.concat(), "").ok();
        assert!(!ran.stdout.contains("without asking you?"), "{ran:?}");
    }
}

/// What others get with a project holds no credential: a variable is named, or it goes elsewhere.
#[test]
fn a_credential_goes_into_the_persons_own_file_only() {
    let world = World::new();
    let token = "ghp_abcdefghijklmnop";
    let add = ["add", "api", "https://api.example/mcp", "--header"];
    let header = format!("Authorization: Bearer {token}");
    let ran = world.run(&[&add[..], &[&header]].concat()).ok();
    assert!(ran.stderr.contains("export API_TOKEN=<headers.Authorization>"), "{ran:?}");
    assert!(ran.stderr.contains("--scope global"), "{ran:?}");
    let written = world.read("project/toolgate.toml");
    assert!(written.contains("Bearer ${API_TOKEN}") && !written.contains(token), "{written}");
    let env = format!("KEY_TOKEN={token}");
    world.run(&["add", "tool", "--env", &env, "--", "x", "--api-key", token]).ok();
    let written = world.read("project/toolgate.toml");
    assert!(
        written.contains("env_vars = [\"KEY_TOKEN\"]") && !written.contains(token),
        "{written}"
    );
    let mut listed = world.command(&["list"]);
    let listed = listed.env("API_TOKEN", token).env("TOOL_API_KEY", token).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.matches("pending").count(), 2, "with the variables both are there: {listed}");
    world.run(&[&add[..], &[&header, "--scope", "global"]].concat()).ok();
    assert!(world.read(World::GLOBAL).contains(token), "that one is nobody else's");
    // A JSON file expands nothing.
    let world = World::new();
    world.write("project/toolgate.json", "{\"servers\": {}}\n");
    let ran = world.run(&[&add[..], &[&header]].concat()).fails_with(1);
    assert!(ran.stderr.contains("which does not go into toolgate.json"), "{ran:?}");
    assert_eq!(world.read("project/toolgate.json"), "{\"servers\": {}}\n");
}
