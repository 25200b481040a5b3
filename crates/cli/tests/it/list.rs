//! `list`: static, in columns, with the source of each server.

use toolgate_testkit::{Act, Script};

use crate::support::{World, served};

fn two_layers() -> World {
    let world = World::new();
    world.write(
        World::GLOBAL,
        "[servers.shared]\nurl = \"https://global.example/mcp\"\n\n\
         [servers.mine]\ncommand = \"mine\"\ntrust = \"untrusted\"\n",
    );
    world.write(
        "project/toolgate.toml",
        "[servers.shared]\nurl = \"https://project.example/mcp\"\nenabled = false\n\n\
         [servers.theirs]\ntransport = \"sse\"\nurl = \"https://theirs.example/sse\"\ntrust = \"trusted\"\n",
    );
    world
}

/// Shows: S1-38, S1-49.
#[test]
fn the_effective_list_shows_the_source_of_each_server_and_trust_last() {
    let world = two_layers();
    insta::assert_snapshot!(world.run(&["mcp", "list"]).ok().stdout, @"
    id      transport  source   enabled  trust
    shared  http       project  false    pending
    mine    stdio      global   true     untrusted
    theirs  sse        project  true     pending
    ");
    insta::assert_snapshot!(world.run(&["list", "--scope", "global"]).ok().stdout, @"
    id      transport  source  enabled  trust
    shared  http       global  true     trusted
    mine    stdio      global  true     untrusted
    ");
    insta::assert_snapshot!(world.run(&["list", "--scope", "project"]).ok().stdout, @"
    id      transport  source   enabled  trust
    shared  http       project  false    pending
    theirs  sse        project  true     pending
    ");
}

/// Shows: S1-46.
#[test]
fn without_a_scope_edits_go_to_the_project_and_what_is_effective_is_listed_and_tested() {
    let own = "[servers.both]\ncommand = \"/nowhere/at/all\"\n";
    let world = World::new();
    world.write(World::GLOBAL, own);
    let tools = r#"{"tools":[{"name":"t"}]}"#;
    let (_runtime, site) = served(Script::legacy().on("tools/list", [Act::answer(tools)]));
    let project = || world.read("project/toolgate.toml");
    world.run(&["test", "both"]).fails_with(4);
    world.run_at_terminal(&["add", "both", &site.url("/mcp")], "n\n").ok();
    assert!(project().contains("[servers.both]"), "{}", project());
    world.run_at_terminal(&["disable", "both"], "").ok();
    assert!(project().contains("enabled = false"), "{}", project());
    world.run_at_terminal(&["enable", "both"], "").ok();
    assert!(project().contains("enabled = true"), "{}", project());
    let listed = world.run(&["list"]).ok().stdout;
    assert_eq!(listed, world.run(&["list", "--scope", "effective"]).ok().stdout);
    assert!(listed.contains("both  http       project"), "{listed}");
    // The one of the project is tested, since it is in effect.
    world.run(&["test", "both"]).ok();
    world.run(&["remove", "both"]).ok();
    assert!(!project().contains("both"), "{}", project());
    let listed = world.run(&["list"]).ok().stdout;
    assert!(listed.contains("both  stdio      global"), "{listed}");
    world.run(&["test", "both"]).fails_with(4);
    assert_eq!(world.read(World::GLOBAL), own, "nothing of it touched the other file");
}

/// Shows: S1-49.
#[test]
fn no_servers_says_so_in_the_agreed_words() {
    let world = World::new();
    for scope in ["project", "global"] {
        let ran = world.run(&["list", "--scope", scope]).ok();
        assert_eq!(ran.stdout, "no MCP servers configured\n");
    }
    let json = world.run(&["list", "--scope", "global", "--json"]).ok().json();
    assert_eq!(json["servers"], serde_json::json!([]));
    // Agents get something all the same.
    let listed = world.run(&["list"]).ok().stdout;
    assert!(listed.starts_with("no MCP servers configured\n"), "{listed}");
    assert!(!world.exists("home/.local"), "looking creates nothing");
}

#[test]
fn json_has_a_schema_version_and_no_secret() {
    let world = World::new();
    world.write(
        World::GLOBAL,
        "[servers.a]\nurl = \"https://a.example/mcp?key=canary1\"\nheaders = { X = \"canary2\" }\n",
    );
    let ran = world.run(&["list", "--json"]).ok();
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "schemaVersion": 1,
      "servers": [
        {
          "id": "a",
          "transport": "http",
          "source": "global",
          "enabled": true,
          "trust": "trusted",
          "origin": {
            "source": "<world>/home/.config/toolgate/config.toml",
            "key": "servers.a",
            "line": 1
          }
        }
      ],
      "problems": 0
    }
    "#);
    assert!(!ran.stdout.contains("canary"));
}

/// Shows: S1-55.
#[test]
fn an_invalid_server_is_listed_as_such_and_the_rest_stands() {
    let world = World::new();
    world.write(
        "project/toolgate.toml",
        "[servers.bad]\ntransport = \"http\"\n\n[servers.good]\ncommand = \"x\"\n",
    );
    let ran = world.run(&["list"]).ok();
    insta::assert_snapshot!(ran.stdout, @"
    id    transport  source   enabled  trust
    good  stdio      project  true     pending
    bad   -          project  false    invalid
    ");
    insta::assert_snapshot!(ran.stderr, @"warning: 1 problem in the configuration; see `toolgate config check`");
}

#[test]
fn health_is_shown_where_it_is_asked_for() {
    let world = World::new();
    world.local("well", &Script::legacy());
    world.server("off", "command = \"x\"\nenabled = false");
    assert_eq!(health(&world, 0), ["well ok", "off disabled"]);
    let complaint = Script::legacy().at_start([Act::complain("no\nlicence"), Act::Exit(3)]);
    world.local("ill", &complaint);
    world.write("project/toolgate.toml", "[servers.new]\ncommand = \"touch\"\nargs = [\"x\"]\n");
    assert_eq!(health(&world, 4), ["well ok", "off disabled", "ill error", "new pending"]);
    let table = world.run(&["list", "--check"]).fails_with(4).stdout;
    assert!(table.contains("error: the server exited with code 3"), "{table}");
    assert!(!world.exists("project/x"), "what is pending is not started");
}

/// Each server with how it is, and how the run ends.
fn health(world: &World, exit: i32) -> Vec<String> {
    let json = world.run(&["list", "--check", "--json"]).fails_with(exit).json();
    let servers = json["servers"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    servers.map(|one| format!("{} {}", text(&one["id"]), text(&one["health"]["state"]))).collect()
}

#[test]
fn a_named_file_that_is_not_there_is_an_error_and_nothing_is_found_instead() {
    let world = World::new().with("TOOLGATE_CONFIG", "nowhere.toml");
    world.write("project/toolgate.toml", "[servers.a]\ncommand = \"x\"\n");
    let ran = world.run(&["list"]).fails_with(1);
    assert!(
        ran.stderr.contains("nowhere.toml") && ran.stderr.contains("does not exist"),
        "{ran:?}"
    );
}
