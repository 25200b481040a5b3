//! `pins accept`: a person at a terminal, tool by tool, and nobody else.

use super::{changed, having, is_plain, play, states, tool, update, world_with};
use crate::daemon::house::{Ends, house};
use crate::lineage::agent::Agent;
use crate::support::World;

/// Two of its three tools changed since they were accepted.
fn changed_world() -> World {
    let world = world_with(&[&tool("a", "1"), &tool("b", "1"), &tool("c", "1")]);
    update(&world, &[&tool("a", "2"), &tool("b", "2"), &tool("c", "1")]);
    world
}

const BEFORE: [&str; 3] = ["a changed first", "b changed first", "c accepted first"];

/// Shows: E-6, P11-11.
#[test]
fn a_person_accepts_one_by_one_and_a_no_stays_a_no() {
    let world = changed_world();
    let mut terminal = world.at_terminal(&["pins", "accept", "files"]);
    for (tool, answer) in [("a", "y\n"), ("b", "n\n")] {
        terminal.until_again(&format!("files/{tool}\r\n"));
        terminal.until_again("  | wording\r\n  | description (wording)\r\n  | - 1\r\n  | + 2\r\n");
        terminal.until_again(&format!("accept files/{tool}? [y/N] "));
        terminal.type_in(answer);
    }
    let ran = terminal.ended(&world).fails_with(8);
    assert!(ran.stdout.ends_with("accepted 1 tool\n1 left as they were\n"), "{ran:?}");
    assert_eq!(states(&world), ["a accepted person", "b changed first", "c accepted first"]);
    world.run(&["call", "files", "a"]).ok();
    world.run(&["call", "files", "b"]).fails_with(6);
    assert!(world.run(&["tools", "--json"]).ok().stdout.contains(r#""description": "2""#));
    world.run_at_terminal(&["pins", "accept", "files"], "yes\n").ok();
    world.run(&["call", "files", "b"]).ok();
    let ran = world.run(&["pins", "accept", "files"]).ok();
    assert_eq!(ran.stderr, "nothing to accept here\n");
}

#[test]
fn only_the_tools_that_were_named_are_asked_for() {
    let world = changed_world();
    let ran = world.run_at_terminal(&["pins", "accept", "files", "b", "c"], "y\n").ok();
    assert!(!ran.stdout.contains("files/a") && !ran.stdout.contains("files/c"), "{ran:?}");
    assert_eq!(states(&world), ["a changed first", "b accepted person", "c accepted first"]);
}

#[test]
fn without_a_terminal_nothing_is_accepted() {
    let world = changed_world();
    for answers in ["", "y\ny\n"] {
        let ran = world.run_with_input(&["pins", "accept", "files"], answers).fails_with(8);
        assert!(ran.stderr.contains("accepting needs a person at a terminal"), "{ran:?}");
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(states(&world), BEFORE);
    // Nor is anything started for nobody.
    world.server("other", "command = \"sh\"\nargs = [\"-c\", \"touch started\"]");
    world.run(&["pins", "accept", "other"]).fails_with(8);
    world.run(&["pins", "accept", "files", "unseen"]).fails_with(8);
    assert!(!world.exists("project/started"));
}

/// Shows: E-6.
#[test]
fn what_an_agent_starts_may_not_accept_not_even_at_a_terminal() {
    let world = house();
    world.local("files", &having(&[&tool("a", "1")]));
    world.run(&["tools"]).ok();
    update(&world, &[&tool("a", "2")]);
    let _ends = Ends(&world);
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    let verb = ["toolgate", "pins", "accept", "files"];
    for verb in [&verb[..], &["script", "-qec", "toolgate pins accept files", "/dev/null"]] {
        let ran = agent.runs(verb).fails_with(6);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("a program that an agent started may not do this"), "{ran:?}");
        assert!(!said.contains("[y/N]"), "{ran:?}");
    }
    assert_eq!(states(&world), ["a changed first"]);
    // It may look.
    agent.runs(&["toolgate", "pins"]).ok();
    agent.runs(&["toolgate", "pins", "diff"]).ok();
}

#[test]
fn what_is_not_there_is_said_so() {
    let world = changed_world();
    let ran = world.run_at_terminal(&["pins", "accept", "nope"], "").fails_with(1);
    assert!(ran.stdout.contains("MCP server not found: nope"), "{ran:?}");
    let ran = world.run_at_terminal(&["pins", "accept", "files", "a", "x\u{1b}"], "").fails_with(1);
    assert!(ran.stdout.contains("the server `files` has no tool `x\\u{1b}`"), "{ran:?}");
    assert!(!ran.stdout.contains("[y/N]"), "{ran:?}");
    assert_eq!(states(&world), BEFORE);
}

/// Shows: E-6.
#[test]
fn what_was_shown_is_what_is_accepted_whatever_the_server_sends_meanwhile() {
    let world = world_with(&[&tool("a", "1")]);
    update(&world, &[&tool("a", "2")]);
    let mut terminal = world.at_terminal(&["pins", "accept", "files"]);
    terminal.until("accept files/a? [y/N]");
    update(&world, &[&tool("a", "3")]);
    assert_eq!(changed(&world)["changes"][0]["after"], "3");
    terminal.type_in("y\n");
    terminal.ended(&world).ok();
    assert!(world.run(&["pins", "diff", "--json"]).ok().stdout.contains(r#""changed": []"#));
    // The next list finds out that it is not that.
    world.run(&["call", "files", "a"]).fails_with(6);
    let change = changed(&world)["changes"][0].clone();
    assert_eq!((&change["before"], &change["after"]), (&"2".into(), &"3".into()));
}

/// A server of the person's own that was never listed: its first list is accepted, and that is all.
#[test]
fn one_that_was_never_listed_is_listed_first() {
    let world = World::new();
    world.local("files", &having(&[&tool("a", "1")]));
    let ran = world.run_at_terminal(&["pins", "accept", "files"], "").ok();
    assert!(ran.stdout.ends_with("nothing to accept here\n"), "{ran:?}");
    assert_eq!(states(&world), ["a accepted first"]);
    play(&world, &having(&[&tool("a", "1"), &tool("b", "1")]));
    world.run_at_terminal(&["pins", "accept", "files", "b"], "").ok();
    assert_eq!(
        states(&world),
        ["a accepted first", "b accepted new"],
        "so is a tool that is named"
    );
    world.server("gone", "command = \"no-such-command-anywhere\"");
    let ran = world.run_at_terminal(&["pins", "accept", "gone"], "").fails_with(4);
    assert!(ran.stdout.contains("gone: ") && ran.stdout.contains("toolgate test gone"), "{ran:?}");
    is_plain(&ran.stdout.replace(['\u{1b}', '\r'], ""));
}
