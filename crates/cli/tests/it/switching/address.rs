//! `/mcp/s/<server>`: one server alone, and never more than without it.

use super::{furnished, person};
use crate::daemon::house::{eventually, teller};
use crate::serve::gate::Gate;
use crate::support::World;

#[test]
fn an_endpoint_for_one_server_shows_that_one_and_starts_no_other() {
    let world = furnished();
    let gate = Gate::on_free_port(&world);
    let of_a = ["a__die", "a__let_go", "a__wait", "a__who"];
    assert_eq!(gate.tools("/mcp/s/a"), of_a);
    let status = world.run(&["status", "--json"]).ok().json();
    let state = |at: usize| status["workspaces"][0]["servers"][at]["state"].clone();
    assert_ne!(state(0), "idle", "{status}");
    assert_eq!(state(1), "idle", "{status}");
    let other = gate.call("/mcp/s/a", "b__who", &serde_json::json!({}));
    assert!(other["error"]["message"].is_string(), "{other}");
    assert_eq!(gate.tools("/mcp/reader/s/a"), ["a__who"]);
    assert_eq!(gate.tools("/mcp").len(), 8);
}

#[test]
fn what_is_not_for_the_caller_is_not_there() {
    let world = furnished();
    world.local_with("asleep", &teller(), "enabled = false\n");
    world.write("project/toolgate.toml", "[servers.pending]\ncommand = \"true\"\n");
    let gate = Gate::on_free_port(&world);
    for path in
        ["/mcp/s/nothing", "/mcp/s/asleep", "/mcp/s/pending", "/mcp/other/s/a", "/mcp/nobody/s/a"]
    {
        assert_eq!(gate.status(path, Some(gate.token())), 404, "{path}");
    }
    let made = world.run(&["token", "create", "ci", "--role", "other"]).ok();
    let token = made.stdout.trim_end().to_owned();
    assert_eq!(gate.status("/mcp/s/b", Some(&token)), 404, "a role is a ceiling");
    assert_eq!(gate.status("/mcp/reader/s/b", Some(&token)), 404);
    assert_ne!(gate.status("/mcp/other/s/b", Some(&token)), 404);
}

#[test]
fn one_that_is_off_is_there_and_empty_until_it_is_on() {
    let world = furnished();
    let gate = Gate::on_free_port(&world);
    assert_eq!(gate.tools("/mcp/s/a").len(), 4);
    person(&world, &["off", "a"]);
    assert_eq!(gate.tools("/mcp/s/a"), [""; 0]);
    assert_eq!(gate.tools("/mcp").len(), 4);
    person(&world, &["on", "a"]);
    eventually("it is back", || gate.tools("/mcp/s/a").len() == 4);
    assert!(world.read(World::GLOBAL).contains("[servers.a]"));
}
