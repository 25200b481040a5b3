//! What else a repository's file may try: to loosen the person's rules, to grant, to change how the
//! gate works.

use serde_json::json;
use toolgate_testkit::{Act, Script};

use super::repository::Repository;
use super::written::toml;
use crate::daemon::house::{Ends, Window, house};
use crate::stdio::client::Client;
use crate::support::World;

/// A server of the person's own.
fn own() -> Script {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["look", "drop"].map(tool).join(",");
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tools}]}}"#))])
        .on_call("look", [Act::say("looked")])
        .on_call("drop", [Act::say("dropped")])
}

/// The person's servers in a repository with this file.
fn cloned(file: &serde_json::Value) -> World {
    let world = house();
    world.local_with("mine", &own(), "approval = \"approve\"\ndisabled_tools = [\"drop\"]");
    world.local_with("wary", &own(), "approval = \"approve\"\ntrust = \"untrusted\"");
    world.local_with("asked", &own(), "approval = \"prompt\"");
    world.write("project/toolgate.toml", &toml(file));
    world
}

/// Shows: C7, S2-13.
#[test]
fn a_policy_of_a_repository_takes_away_and_never_gives() {
    let loose = json!({ "policy": { "allow_tools": ["*", "mine:drop", "wary:*", "asked:*"] } });
    for file in [json!({}), loose] {
        let world = cloned(&file);
        let _ends = Ends(&world);
        let mut window = Window::open(&world);
        assert_eq!(window.tools(), ["asked__drop", "asked__look", "mine__look"], "{file}");
        assert_eq!(window.call("mine__look"), "looked");
        for name in ["mine__drop", "wary__look"] {
            let answer = window.ask("tools/call", json!({ "name": name, "arguments": {} }));
            let is_refused = answer["error"].is_object() || answer["result"]["isError"] == true;
            assert!(is_refused, "{name}: {answer}");
        }
        let asked = world.run(&["explain", "asked", "look", "--json"]).json();
        assert_eq!(asked["decision"], "ask", "{asked}");
    }
    let world = cloned(&json!({ "policy": { "deny_tools": ["mine:look"] } }));
    let _ends = Ends(&world);
    assert_eq!(Window::open(&world).tools(), ["asked__drop", "asked__look"], "it can be tightened");
}

/// Shows: C7, S2-13.
#[test]
fn bundles_and_roles_of_a_repository_grant_nothing_until_they_are_accepted() {
    let bundle =
        |server: &str, mode: &str| json!({ "server": server, "mode": mode, "allow_tools": ["*"] });
    let world = cloned(&json!({
        "bundles": { "all": bundle("mine", "direct"), "more": bundle("wary", "meta") },
        "roles": { "admin": { "bundles": ["all"] } },
    }));
    let _ends = Ends(&world);
    let listed = world.run(&["trust", "--list"]).ok().stdout;
    assert_eq!(listed.matches("pending").count(), 3, "{listed}");
    let tools = Window::open(&world).tools();
    assert!(!tools.iter().any(|tool| tool.starts_with("wary")), "{tools:?}");
    world.run(&["tools", "--role", "admin"]).fails_with(8);
    let as_admin = ["stdio", "--role", "admin"];
    let mut client = Client::start_with(&world, &[], &[], &as_admin);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}\n");
    assert!(client.message()["error"].is_object());
    client.finish();
    assert_ne!(client.ended().code, Some(0));
    world.run_at_terminal(&["trust"], "y\ny\ny\n").ok();
    let mut window = Window::open_with(&world, &[], &[], &as_admin);
    let tools = window.tools();
    assert!(tools.contains(&"mine__look".to_owned()), "only the acceptance was missing: {tools:?}");
}

/// Shows: C7, E-6.
#[test]
fn sections_about_the_gate_itself_are_refused_and_change_nothing() {
    let sections = [
        ("gateway", json!({ "auth": "none", "listen": "0.0.0.0:0", "allowed_origins": ["*"] })),
        ("audit", json!({ "arguments": true })),
        ("approval", json!({ "channels": [], "timeout_ms": 1 })),
        ("limits", json!({ "pool_servers": 100000, "daemon_idle_ms": 1 })),
        ("sandbox", json!({ "readable": ["/"], "writable": ["/"] })),
        ("profile", json!("standard")),
    ];
    for (name, section) in sections {
        let repository = Repository::new();
        let settings = |repository: &Repository| {
            let shown = repository.run(&["config", "show", "--json"]).ok().json();
            shown.get(name).cloned()
        };
        let before = settings(&repository);
        let entries = repository.traps.entries(&repository.folder());
        let (ids, servers): (Vec<_>, serde_json::Map<_, _>) =
            entries.into_iter().map(|(id, entry)| (id, (id.to_owned(), entry))).unzip();
        let text = json!({ name: section, "servers": servers });
        let repository = repository.file("toolgate.toml", &toml(&text));
        assert_eq!(settings(&repository), before, "{name}");
        let checked = repository.run(&["config", "check"]).fails_with(1).stdout;
        assert!(checked.contains(&format!("a project cannot set `{name}`")), "{checked}");
        repository.is_harmless(&ids);
    }
}
