//! `config check|show|path|schema`.

use crate::support::World;

#[test]
fn check_reports_every_problem_and_exits_1() {
    let world = World::new();
    world.write(
        "project/toolgate.toml",
        "[gateway]\nlisten = \"0.0.0.0:1\"\n\n[servers.a]\ntransprt = \"http\"\nurl = \"ftp://x\"\n\n\
         [servers.b]\ncommand = \"x\"\nargs = [1]\nrequest_timeout_ms = 0\n\n\
         [bundles.c]\nserver = \"nope\"\nallow_tools = []\n",
    );
    let ran = world.run(&["config", "check"]).fails_with(1);
    insta::assert_snapshot!(ran.stdout, @"
    <world>/project/toolgate.toml:1: error[not-for-projects]: gateway: a project cannot set `gateway`: the file may come from someone else
      help: put it into your own file, see `toolgate config path`
    <world>/project/toolgate.toml:5: error[unknown-key]: servers.a.transprt: unknown key `transprt`
      help: did you mean `transport`?
    <world>/project/toolgate.toml:6: error[bad-url]: servers.a.url: the scheme `ftp` is not http or https
      help: write a whole URL such as `https://example.com/mcp`
    <world>/project/toolgate.toml:10: error[wrong-type]: servers.b.args[0]: expected a string, found a whole number
    <world>/project/toolgate.toml:11: error[duration]: servers.b.request_timeout_ms: 0 ms is not a duration
      help: a duration is at least 1 ms
    <world>/project/toolgate.toml:15: error[empty-allow-list]: bundles.c.allow_tools: an allow list cannot be empty
      help: leave the key out to allow everything, or deny `*` to allow nothing
    <world>/project/toolgate.toml:14: error[unknown-server]: bundles.c.server: Unknown serverId 'nope' referenced by bundle 'c'
    7 errors, 0 warnings
    ");
    let json = world.run(&["config", "check", "--json"]).fails_with(1).json();
    assert_eq!(json["ok"], false);
    assert_eq!(json["problems"].as_array().unwrap().len(), 7);
    assert_eq!(json["problems"][0]["rule"], "not-for-projects");
}

#[test]
fn a_good_configuration_is_counted() {
    let world = World::new();
    world.write("project/toolgate.toml", "[servers.a]\ncommand = \"x\"\n");
    insta::assert_snapshot!(world.run(&["config", "check"]).ok().stdout, @r#"
    ok: 1 server, 0 tools, 0 bundles from 1 source, 0 warnings
    "#);
}

/// Shows: C15.
#[test]
fn strict_holds_the_configuration_to_production() {
    let world = World::new();
    world.write(
        World::GLOBAL,
        "[gateway]\nauth = \"none\"\n\n[servers.a]\ncommand = \"x\"\n\n\
         [servers.b]\nurl = \"https://b.example/mcp\"\nbearer_token_env = \"B_TOKEN\"\n",
    );
    world.run(&["config", "check"]).ok();
    let ran = world.run(&["config", "check", "--strict"]).fails_with(1);
    insta::assert_snapshot!(ran.stdout, @r#"
    <world>/home/.config/toolgate/config.toml:2: warning[no-caller-auth]: gateway.auth: every local process may call every tool
      help: use `auth = "token"`
    <world>/home/.config/toolgate/config.toml:4: error[production-stdio]: servers.a: server 'a' is a local process; this profile allows remote ones
    <world>/home/.config/toolgate/config.toml:7: error[production-token]: servers.b: server 'b' needs the variable B_TOKEN
    <world>/home/.config/toolgate/config.toml:2: error[production-auth]: gateway.auth: this profile needs callers to prove who they are
      help: use `auth = "token"` or `auth = "oauth"`
    3 errors, 1 warning
    "#);
}

/// Shows: S2-3, S2-5.
#[test]
fn show_prints_the_merged_configuration_with_origins() {
    let world = World::new();
    world.write(
        World::GLOBAL,
        "[servers.a]\ncommand = \"x\"\n\n[policy]\ndeny_tools = [\"*delete*\"]\n",
    );
    world.write(
        "project/toolgate.toml",
        "[servers.b]\nurl = \"https://b.example/mcp\"\n\n[tools.lint]\ncommand = \"cargo\"\n\
         args = [\"clippy\"]\nside_effects = [\"fs_read\"]\n\n[policy]\ndeny_tools = [\"github:push_*\"]\n",
    );
    insta::assert_snapshot!(world.run(&["config", "show"]).ok().stdout, @r#"
    # global: <world>/home/.config/toolgate/config.toml (native)
    # project: <world>/project/toolgate.toml (native)

    # global, trusted · <world>/home/.config/toolgate/config.toml:1
    [servers.a]
    transport = "stdio"
    command = "x"
    sandbox_profile = "none"
    enabled = true

    # project, pending: never accepted here · <world>/project/toolgate.toml:1
    [servers.b]
    url = "https://b.example/mcp"
    enabled = true

    # project, pending: never accepted here · <world>/project/toolgate.toml:4
    [tools.lint]
    enabled = true
    command = "cargo"
    args = ["clippy"]
    side_effects = ["fs_read"]
    sandbox_profile = "default"
    requires_approval = true
    timeout_ms = 120000

    # policy of global · <world>/home/.config/toolgate/config.toml:4
    [policy]
    deny_tools = ["*delete*"]

    # policy of project · <world>/project/toolgate.toml:9
    [policy]
    deny_tools = ["github:push_*"]

    profile = "standard"

    credentials = "auto"

    [gateway]
    enable_mcp_server_surface = true
    listen = "127.0.0.1:7332"
    auth = "token"
    naming = "joined"
    exposure = "auto"

    [gateway.meta]
    above_tools = 100
    above_tokens = 25000
    listed_tools = 200
    description_chars = 400
    schema_chars = 64000
    result_chars = 64000
    call_timeout_ms = 30000

    [approval]
    timeout_ms = 120000
    channels = ["agent", "queue", "desktop"]
    fastest_answer_ms = 250
    unattended_ms = 10000

    [sandbox]
    outer = "auto"
    readable = []
    writable = []

    [audit]
    durability = "auto"
    fsync = "none"
    arguments = false
    retention_days = 90
    retention_bytes = 1073741824

    [limits]
    message_bytes = 8388608
    result_bytes = 49152
    result_spill_bytes = 268435456
    schema_bytes = 65536
    artifact_bytes = 1073741824
    artifact_days = 7
    sessions = 10000
    connections = 1024
    pool_servers = 256
    pool_memory_bytes = 8589934592
    tools_ttl_ms = 60000
    list_wait_ms = 500
    daemon_idle_ms = 60000
    "#);
}

#[test]
fn path_says_which_files_count() {
    let world = World::new();
    world.write("project/toolgate.toml", "");
    insta::assert_snapshot!(world.run(&["config", "path"]).ok().stdout, @"
    what     file    path
    project  exists  <world>/project/toolgate.toml
    global   none    <world>/home/.config/toolgate/config.toml
    state    none    <world>/home/.local/state/toolgate
    ");
    let json = world.run(&["config", "path", "--json"]).ok().json();
    assert_eq!(json["project"]["exists"], true);
    assert_eq!(json["global"]["exists"], false);
}

#[test]
fn schema_is_json_schema() {
    let schema = World::new().run(&["config", "schema"]).ok().json();
    assert_eq!(schema["title"], "Toolgate configuration");
    assert!(schema["properties"]["servers"].is_object());
}
