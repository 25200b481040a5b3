//! `call` at a terminal: the person who typed it is asked there, in this process and through a daemon.

use super::asking::{decided, decisions, doer, person, reference, taken_at_once, waiting};
use crate::daemon::house::{Ends, house};
use crate::keeper::Keeper;
use crate::lineage::agent::Agent;
use crate::support::{Terminal, World};

fn world(settings: &str) -> World {
    let world = house().with("TERM", "xterm");
    world.write(World::GLOBAL, &taken_at_once(settings));
    world.local_with("s", &doer(), "");
    world
}

const CALL: [&str; 4] = ["call", "s", "do", "text=a\u{202e}b"];

const PROMPT: &str = "allow this? [o]nce [d]eny:";

/// Begins a call, up to the question.
fn asked(world: &World) -> Terminal {
    let mut terminal = world.at_terminal(&CALL);
    terminal.until(" wants to call s/do.");
    terminal.until("\"text\": \"a\\u{202e}b\"");
    // The server's words cannot be taken for ours.
    terminal.until("  | Effects: none");
    terminal.until(PROMPT);
    terminal
}

/// In this process, and through a daemon.
fn both(settings: &str, check: impl Fn(&World)) {
    let world = world(settings);
    check(&world);
    check(&Keeper::start(world));
}

/// Shows: S1-82, S3-54.
#[test]
fn the_person_is_asked_and_the_call_runs_once_they_allow_it() {
    both("", |world| {
        let before = decided(world).len();
        let mut terminal = asked(world);
        for typed in ["", "y", "allow", "on"] {
            terminal.type_in(&format!("{typed}\n"));
            terminal.until_again(PROMPT);
        }
        terminal.type_in("once\n");
        let ran = terminal.ended(world).ok();
        assert!(ran.stdout.ends_with("done\n"), "{ran:?}");
        let rows = decisions(world, before + 1);
        assert_eq!(rows[before]["body"]["approval"]["channel"], "terminal");
        assert_eq!(rows[before]["outcome"], "approved");
    });
}

#[test]
fn the_person_says_no() {
    both("", |world| {
        let mut terminal = asked(world);
        terminal.type_in("d\n");
        let ran = terminal.ended(world).fails_with(6);
        assert!(ran.stdout.contains("the user declined this (denied)"), "{ran:?}");
    });
}

#[test]
fn the_end_of_input_approves_nothing() {
    let alone = world("");
    let mut terminal = asked(&alone);
    terminal.type_in("\u{4}");
    terminal.ended(&alone).fails_with(6);
    // With a daemon others may still answer.
    let keeper = Keeper::start(alone);
    let mut terminal = asked(&keeper);
    terminal.type_in("\u{4}");
    let reference = reference(&keeper);
    person(&keeper, &["deny", &reference]).ok();
    terminal.ended(&keeper).fails_with(6);
}

#[test]
fn nobody_answers_in_time() {
    both("[approval]\ntimeout_ms = 1500\n", |world| {
        let ran = asked(world).ended(world).fails_with(6);
        assert!(ran.stdout.contains("the user did not answer in time (expired)"), "{ran:?}");
    });
}

#[test]
fn ctrl_c_at_the_question_ends_the_call() {
    both("", |world| {
        let mut terminal = asked(world);
        terminal.type_in("\u{3}");
        let ran = terminal.ended(world).fails_with(130);
        assert!(ran.stdout.contains("the call was cancelled"), "{ran:?}");
    });
}

#[test]
fn a_question_that_was_answered_elsewhere_is_taken_back() {
    let keeper = Keeper::start(world(""));
    let terminal = asked(&keeper);
    person(&keeper, &["approve", &reference(&keeper)]).ok();
    let ran = terminal.ended(&keeper).ok();
    let (_, after) = ran.stdout.rsplit_once(PROMPT).unwrap();
    // What shows progress may tick in between, and is wiped out each time.
    let lines = after.lines().map(|line| line.rsplit("\r\u{1b}[2K").next().unwrap().trim());
    let first = lines.into_iter().find(|line| !line.is_empty()).unwrap();
    assert_eq!(first, "answered elsewhere (queue): once", "{ran:?}");
    assert!(after.ends_with("done\n"), "{ran:?}");
}

#[test]
fn who_wants_only_data_or_does_not_wait_is_not_asked() {
    let alone = world("");
    for (more, code) in [("--json", 6), ("--quiet", 6), ("--no-wait", 7)] {
        let ran = alone.run_at_terminal(&[&CALL[..], &[more]].concat(), "").fails_with(code);
        assert!(!ran.stdout.contains("allow this?"), "{ran:?}");
    }
    let keeper = Keeper::start(alone);
    let no_wait = [&CALL[..], &["--no-wait"]].concat();
    let ran = keeper.run_at_terminal(&no_wait, "").fails_with(7);
    let reference = reference(&keeper);
    assert!(ran.stdout.contains(&format!("(ref {reference})")), "{ran:?}");
    assert!(!ran.stdout.contains("allow this?"), "{ran:?}");
}

/// What an agent runs in a terminal of its own is not asked there.
#[test]
fn a_terminal_that_an_agent_made_is_nobodys() {
    let world = world("");
    let agent = Agent::start(&world, &["toolgate", "stdio", "--standalone"]);
    let call = "toolgate call s do --standalone";
    let ran = agent.runs(&["script", "-qec", call, "/dev/null"]).fails_with(6);
    assert!(ran.stdout.contains("(no_channel)") && !ran.stdout.contains("allow this?"), "{ran:?}");
}

#[test]
fn nor_through_a_daemon() {
    let world = world("");
    let _ends = Ends(&world);
    let agent = Agent::start(&world, &["toolgate", "stdio"]);
    let call = ["script", "-qec", "toolgate call s do", "/dev/null"];
    std::thread::scope(|scope| {
        let ran = scope.spawn(|| agent.runs(&call));
        person(&world, &["deny", &reference(&world)]).ok();
        let ran = ran.join().unwrap().fails_with(6);
        assert!(!ran.stdout.contains("allow this?"), "{ran:?}");
    });
    waiting(&world, 0);
}
