//! A network of names as a person meets it: what the question and the listing say of it, and what the
//! records have of who was reached and who was not.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::sandbox::has_walls;
use crate::support::{World, peer_path};

/// Nobody has such names, anywhere.
const LISTED: &str = "listed.toolgate.invalid";
const OTHER: &str = "other.toolgate.invalid";

fn recorded(world: &World, kind: &str) -> Value {
    let rows = world.run(&["audit", "export"]).ok().stdout;
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found = rows.iter().find(|row| row["kind"] == kind);
    assert!(found.is_some(), "no {kind} in {rows:#?}");
    found.cloned().unwrap_or_default()
}

#[test]
fn what_a_command_reaches_is_asked_for_and_recorded() {
    if !has_walls() {
        return;
    }
    let world = World::new().with("TERM", "xterm");
    let script = format!("getent hosts {LISTED}; getent hosts {OTHER}; true");
    world.write(
        World::GLOBAL,
        &format!(
            "[approval]\nfastest_answer_ms = 0\n[tools.look]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \
             {script:?}]\nside_effects = [\"fs_read\"]\nrequires_approval = false\n\
             allow_network = [{LISTED:?}]\n"
        ),
    );
    let mut terminal = world.at_terminal(&["call", "local", "look"]);
    // A list is network, so it is of high risk, whatever the entry says of asking.
    terminal.until(&format!("reaches {LISTED}:443"));
    terminal.until("[o]nce [d]eny:");
    terminal.type_in("once\n");
    let ran = terminal.ended(&world).ok();
    assert!(ran.stdout.contains("198.18.0.1"), "{ran:?}");
    assert_eq!(
        recorded(&world, "end")["body"]["command"]["network"],
        json!([{ "host": OTHER, "refused": "not in allow_network" }])
    );
}

#[test]
fn what_a_server_wants_to_reach_is_recorded_by_itself() {
    if !has_walls() {
        return;
    }
    let world = World::new();
    let listed = Act::answer(r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}"#);
    let script = Script::legacy().on("tools/list", [listed]);
    let script = world.write("project/script.json", &script.to_argument());
    let peer = peer_path();
    let line = format!("getent hosts {OTHER}; exec {peer:?} {script:?}");
    world.write(
        World::GLOBAL,
        &format!(
            "[servers.s]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {line:?}]\nreadable = [{peer:?}]\n\
             sandbox_profile = \"default\"\nallow_network = [{LISTED:?}]\n[limits]\n\
             list_wait_ms = 20000\n"
        ),
    );
    let shown = world.run(&["sandbox", "explain", "s"]).ok().stdout;
    assert!(shown.contains(&format!("reaches\n  {LISTED}:443\n")), "{shown}");
    let tools = world.run(&["tools", "--standalone"]).ok();
    assert!(tools.stdout.contains("s__a"), "{tools:?}");
    let row = recorded(&world, "network");
    let said = (&row["server"], &row["tool"], &row["outcome"]);
    assert_eq!(said, (&json!("s"), &json!(OTHER), &json!("refused")), "{row}");
    let network = json!({ "host": OTHER, "refused": "not in allow_network" });
    assert_eq!(row["body"], json!({ "word": "network", "network": network }));
    let found = world.run(&["audit", "--outcome", "refused"]).ok().stdout;
    assert!(found.contains(OTHER), "{found}");
    world.run(&["audit", "verify"]).ok();
}
