//! `/metrics` of the real thing: what runs behind it is counted there.

use serde_json::json;

use super::gate::Gate;
use super::greeter;
use crate::support::World;

#[test]
fn a_local_server_that_runs_and_a_call_of_it_are_counted() {
    let world = World::new();
    world.local("greeter", &greeter());
    let gate = Gate::on_free_port(&world);
    let line = |line: &str| gate.metrics().lines().any(|printed| printed == line);
    assert!(line("toolgate_servers_running 0"), "{}", gate.metrics());
    let called = gate.call("/mcp", "greeter__greet", &json!({}));
    assert_eq!(called["result"]["content"][0]["text"], "good morning", "{called}");
    for counted in [
        "toolgate_servers_running 1",
        "toolgate_server_starts_waiting 0",
        r#"toolgate_calls_total{server="greeter",kind="call",outcome="done"} 1"#,
        r#"toolgate_call_seconds_count{server="greeter"} 1"#,
    ] {
        assert!(line(counted), "{counted}: {}", gate.metrics());
    }
}
