//! An agent must not approve itself, nor its neighbour.

use serde_json::json;

use super::asking::{begin, person, reference, waiting, world};
use crate::daemon::house::{Ends, Window, eventually};
use crate::keeper::Keeper;
use crate::lineage::agent::{Agent, Errands};
use crate::serve::gate::Gate;

const REFUSAL: &str = "a program that an agent started may not do this";

#[test]
fn what_the_asking_agent_started_may_not_answer() {
    let world = world();
    let _ends = Ends(&world);
    let mut agent = Agent::start(&world, &["toolgate", "stdio"]);
    let id = begin(&mut agent.window);
    let reference = reference(&world);
    let in_shell = format!("toolgate approve {reference}; exit $?");
    let terminal = format!("toolgate approve {reference}");
    for command in [
        &["toolgate", "approve", &reference][..],
        &["toolgate", "approve", &reference, "--session"],
        &["toolgate", "deny", &reference],
        &["sh", "-c", &in_shell],
        &["setsid", "--wait", "toolgate", "approve", &reference],
        // A terminal makes no person of it.
        &["script", "-qec", &terminal, "/dev/null"],
    ] {
        let ran = agent.runs(command).fails_with(6);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(REFUSAL), "{ran:?}");
        assert!(!said.contains("toolgate "), "a command to copy: {ran:?}");
        assert_eq!(waiting(&world, 1)[0]["ref"], *reference, "it still waits");
    }
    let logged = world.run(&["logs"]).ok().stdout;
    let line = logged.lines().find(|line| line.contains("would do what is for the user"));
    let agents = format!("({})", agent.window.client.pid());
    let tells = |line: &str| line.contains(&agents) && line.contains("verb=approve");
    assert!(line.is_some_and(tells), "{logged}");
    // It may look, as everybody may.
    assert!(agent.runs(&["toolgate", "approvals"]).ok().stdout.contains(&reference));
    person(&world, &["approve", &reference]).ok();
    agent.window.answer(id);
}

#[test]
fn nor_what_another_agent_started() {
    let world = world();
    let _ends = Ends(&world);
    let neighbour = Agent::start(&world, &["toolgate", "stdio"]);
    let mut window = Window::open(&world);
    begin(&mut window);
    let reference = reference(&world);
    let ran = neighbour.runs(&["toolgate", "approve", &reference]).fails_with(6);
    assert!(ran.stderr.contains(REFUSAL), "{ran:?}");
    // Whether or not there is such a one: nothing is learnt of it.
    let none = neighbour.runs(&["toolgate", "approve", "nosuch"]).fails_with(6);
    assert_eq!(none.stderr, ran.stderr);
    waiting(&world, 1);
}

/// Its window is none of this daemon's.
#[test]
fn nor_one_whose_window_has_no_daemon() {
    let world = world();
    let _ends = Ends(&world);
    let alone = Agent::start(&world, &["toolgate", "stdio", "--standalone"]);
    let mut window = Window::open(&world);
    begin(&mut window);
    let reference = reference(&world);
    alone.runs(&["toolgate", "approve", &reference]).fails_with(6);
    waiting(&world, 1);
}

#[test]
fn what_an_http_caller_started_may_not_answer() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| gate.call("/mcp", "s__who", &json!({})));
        let reference = reference(&world);
        let ran = gate.caller().runs(&["toolgate", "approve", &reference]).fails_with(6);
        assert!(ran.stderr.contains(REFUSAL), "{ran:?}");
        waiting(&world, 1);
        person(&world, &["approve", &reference]).ok();
        let answer = call.join().unwrap();
        assert!(answer["result"]["content"].is_array(), "{answer}");
    });
}

/// It was told to ask its person itself, and left: nobody can say any more who it was.
#[test]
fn where_the_caller_cannot_be_found_only_a_terminal_speaks_for_a_person() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    let token = world.run(&["token", "create", "shows", "--forms"]).ok().stdout;
    let asks = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let call = json!({"name": "s__who", "arguments": {}, "_meta": asks});
    let answer = gate.ask_with(token.trim(), "tools/call", call);
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let reference = reference(&world);
    let ran = world.run(&["approve", &reference]).fails_with(6);
    assert!(ran.stderr.contains(REFUSAL), "{ran:?}");
    person(&world, &["approve", &reference]).ok();
}

/// In one go: it calls, looks for what waits, and approves that.
const CALL_AND_APPROVE: &str = r#"
    toolgate call s who >called 2>&1 &
    while [ -z "$ref" ]; do
        ref=$(toolgate approvals --json | sed -n 's/.*"ref": "\(.*\)",/\1/p')
    done
    toolgate approve $ref
    exit $?
"#;

/// Only what an agent has a shell call is known to be its own: it has no window here.
fn shell_may_not(errands: impl Fn(&Errands)) {
    let keeper = Keeper::start(world());
    let (mut client, told) = Errands::begin(&keeper, &["cat"]);
    // It listens before it starts anything.
    client.send("ready\n");
    assert_eq!(client.line(), "ready\n");
    errands(&told);
    let reference = reference(&keeper);
    let approve = format!("toolgate approve {reference}; exit $?");
    let ran = told.run(&["sh", "-c", &approve]).fails_with(6);
    assert!(ran.stderr.contains(REFUSAL), "{ran:?}");
    waiting(&keeper, 1);
    person(&keeper, &["approve", &reference]).ok();
    eventually("it was called", || {
        let called = keeper.read("project/called");
        called.lines().any(|line| line.parse::<u32>().is_ok())
    });
    drop(client);
}

#[test]
fn a_shell_that_calls_something_may_not_approve_it() {
    shell_may_not(|errands| {
        let ran = errands.run(&["sh", "-c", CALL_AND_APPROVE]).fails_with(6);
        assert!(ran.stderr.contains(REFUSAL), "{ran:?}");
    });
}

#[test]
fn nor_another_when_that_shell_is_gone() {
    shell_may_not(|errands| {
        errands.run(&["sh", "-c", "toolgate call s who >called 2>&1 & exit 0"]).ok();
    });
}
