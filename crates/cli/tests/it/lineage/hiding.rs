//! Ways for an agent to look like somebody else: between it and what it runs, and between it and its
//! window.

use std::fs;

use super::agent::{Agent, toolgate};
use crate::daemon::house::{Daemon, Ends, house};
use crate::keeper::Keeper;
use crate::stdio::daemon::run_folder;
use crate::support::peer_path;

/// Ends with the code of the verb, so that no shell becomes it.
const VERB: &str = "toolgate token create new; exit $?";

#[test]
fn nothing_between_an_agent_and_a_verb_helps() {
    let world = house();
    let _ends = Ends(&world);
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    let grandchild = format!("sh -c '{VERB}'; exit $?");
    for command in [
        &["sh", "-c", VERB][..],
        &["sh", "-c", &grandchild],
        &["setsid", "--wait", "toolgate", "token", "create", "new"],
        &["setsid", "--wait", "sh", "-c", VERB],
        &["timeout", "60", "toolgate", "token", "create", "new"],
        // A terminal speaks for a person only where the agent cannot be told.
        &["script", "-qec", "toolgate token create new", "/dev/null"],
        // A daemon that is not there, and one that is not asked.
        &["env", "XDG_RUNTIME_DIR=/nowhere", "toolgate", "token", "create", "new"],
        &["env", "-u", "XDG_RUNTIME_DIR", "toolgate", "token", "create", "new"],
    ] {
        let ran = agent.runs(command).fails_with(6);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("a program that an agent started may not do this"), "{ran:?}");
    }
    assert_eq!(world.run(&["token", "list"]).ok().stdout, "there are no tokens\n");
}

/// A cloned project's entry for a client can write what starts the shim.
#[test]
fn nothing_between_an_agent_and_its_window_helps() {
    let wrap = peer_path();
    let wrap = wrap.to_str().unwrap();
    for window in [
        &["sh", "-c", "toolgate stdio; true"][..],
        &["sh", "-c", "sh -c 'toolgate stdio; true'; true"],
        &["sh", "-c", "cat | toolgate stdio; true"],
        &["timeout", "600", "toolgate", "stdio"],
        &["timeout", "600", "sh", "-c", "toolgate stdio; true"],
        &["setsid", "--wait", "toolgate", "stdio"],
        &["sh", "-c", "toolgate stdio --standalone; true"],
        // With pipes of its own it looks as a client does.
        &[wrap, "wrap", "toolgate", "stdio"],
        &[wrap, "wrap", "sh", "-c", "toolgate stdio; true"],
        &[wrap, "wrap", wrap, "wrap", "toolgate", "stdio"],
    ] {
        let world = house();
        let _ends = Ends(&world);
        let agent = Agent::start(&world, window);
        let verb = ["toolgate", "token", "create", "new"];
        agent.runs(&verb).fails_with(6);
        world.run(&verb[1..]).ok();
    }
}

/// Then nobody is there to ask, and the window is seen all the same.
#[test]
fn a_window_without_a_daemon_counts() {
    let world = house();
    let agent = Agent::start(&world, &["toolgate", "stdio", "--standalone"]);
    assert!(!run_folder(&world).join("control.sock").exists(), "there is no daemon");
    agent.runs(&["toolgate", "token", "create", "new"]).fails_with(6);
    agent.runs(&["sh", "-c", VERB]).fails_with(6);
    world.run(&["token", "create", "new"]).ok();
}

/// The shim runs another file than the verb does: only the daemon knows what it is.
#[test]
fn a_window_of_another_program_is_known_to_the_daemon() {
    let keeper = Keeper::start(house());
    let copy = keeper.home().join("another");
    fs::copy(toolgate(), &copy).unwrap();
    let agent = Agent::start(&keeper, &[copy.to_str().unwrap(), "stdio"]);
    let refused = agent.runs(&["toolgate", "token", "create", "new"]).fails_with(6);
    assert!(refused.stderr.contains("a program that an agent started"), "{refused:?}");
    keeper.run(&["token", "create", "new"]).ok();
    let logged = keeper.run(&["logs"]).ok().stdout;
    let chain = format!("toolgate-cli-pe({})", agent.window.client.pid());
    let line = logged.lines().find(|line| line.contains("would do what is for the user"));
    assert!(
        line.is_some_and(|line| line.contains(&chain) && line.contains("verb=token")),
        "{logged}"
    );
}

/// What is told of a window is what the kernel says, over everything between.
#[test]
fn who_uses_a_window_is_shown_over_what_stands_between() {
    let world = house();
    let _ends = Ends(&world);
    let agent = Agent::start(&world, &["sh", "-c", "toolgate stdio; true"]);
    let status = world.run(&["status", "--json"]).ok().json();
    let attached = &status["workspaces"][0]["attached"][0];
    assert_eq!(attached["pid"], agent.window.client.pid(), "{status}");
    assert_ne!(Daemon::of(&world).pid, agent.window.client.pid());
}
