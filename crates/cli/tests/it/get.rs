//! `get`: one server, with origin and standing, and never a secret.

use crate::support::World;

fn world() -> World {
    let world = World::new().with("API_TOKEN", "canary-expanded");
    world.write(
        World::GLOBAL,
        r#"
[servers.api]
url = "https://api.example/mcp?key=canary-query"
headers = { Authorization = "Bearer ${API_TOKEN}", X-Plain = "canary-header" }
[servers.api.oauth]
client_id = "client"
client_secret = "canary-secret"

[servers.tool]
command = "tool"
args = ["--api-key", "canary-arg", "--token=canary-inline", "plain"]
env = { MY_PASSWORD = "canary-env", NODE_ENV = "production" }
"#,
    );
    world
}

#[test]
fn shows_the_entry_with_its_origin_and_no_secret() {
    let world = world();
    insta::assert_snapshot!(world.run(&["get", "api"]).ok().stdout, @r#"
    # global · <world>/home/.config/toolgate/config.toml:2
    # trusted
    [servers.api]
    url = "https://api.example/mcp?key=***"
    headers = { Authorization = "Bearer ${API_TOKEN}", X-Plain = "***" }
    oauth = { client_id = "client", client_secret = "***" }
    enabled = true
    "#);
    insta::assert_snapshot!(world.run(&["get", "tool"]).ok().stdout, @r#"
    # global · <world>/home/.config/toolgate/config.toml:9
    # trusted
    [servers.tool]
    transport = "stdio"
    command = "tool"
    args = ["--api-key", "***", "--token=***", "plain"]
    env = { MY_PASSWORD = "***", NODE_ENV = "production" }
    sandbox_profile = "none"
    enabled = true
    "#);
    for arguments in [
        &["get", "api"][..],
        &["get", "api", "--json"],
        &["get", "tool", "--json"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["config", "check", "--json"],
        &["list", "--json", "-v"],
    ] {
        let ran = world.run(arguments).ok();
        assert!(!format!("{ran:?}").contains("canary"), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn json_names_file_key_and_line_of_each_value() {
    let json = world().run(&["get", "tool", "--json"]).ok().json();
    assert_eq!(json["schemaVersion"], 1);
    assert_eq!(json["origin"]["key"], "servers.tool");
    let values = json["values"].as_array().unwrap();
    let command = values.iter().find(|value| value["key"] == "servers.tool.command").unwrap();
    assert_eq!(command["line"], 10);
    assert_eq!(command["source"], "<world>/home/.config/toolgate/config.toml");
}

#[test]
fn an_unknown_server_is_an_error_in_the_agreed_words() {
    let ran = World::new().run(&["get", "nope"]).fails_with(1);
    assert!(ran.stderr.starts_with("error: MCP server not found: nope\n"), "{ran:?}");
}
