//! `call` as a person sees it: a spinner that goes away, questions, and Ctrl-C.

use toolgate_testkit::{Act, Script, everything};

use crate::support::{Ran, World, served};

/// What a terminal takes for "back to the start of the line, and away with it".
const WIPED: &str = "\r\u{1b}[2K";

fn slow(acts: impl Into<Vec<Act>>) -> Script {
    Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", acts)
}

fn at(url: &str) -> World {
    let world = World::new().with("TERM", "xterm");
    world.server("s", &format!("transport = \"http\"\napproval = \"approve\"\nurl = {url:?}"));
    world
}

/// What was drawn, and what stays on the screen.
fn drawn(ran: &Ran) -> (&str, &str) {
    ran.stdout.rsplit_once(WIPED).expect("something was wiped")
}

#[test]
fn a_spinner_shows_the_servers_words_and_leaves_a_clean_screen() {
    let report =
        r#"{"progressToken":${token},"progress":3,"total":10,"message":"half \u001b[7mway"}"#;
    let (runtime, site) = served(slow([
        Act::notify("notifications/progress", report),
        Act::hold("seen"),
        Act::say("done"),
    ]));
    let world = at(&site.url("/mcp"));
    let mut terminal = world.at_terminal(&["call", "s", "t"]);
    runtime.block_on(site.visited(|visit| visit.posts("tools/call")));
    terminal.until("3/10 half");
    site.signal("seen");
    let ran = terminal.ended(&world).ok();
    let (spinner, left) = drawn(&ran);
    assert!(spinner.contains("connecting") && spinner.contains("waiting for s"), "{ran:?}");
    assert!(spinner.contains("] 3/10 half \\u{1b}[7mway"), "{ran:?}");
    assert_eq!(left, "done\n");
    assert!(!spinner.contains('\n'), "it stays in its line: {ran:?}");
}

#[test]
fn quiet_and_json_have_no_spinner() {
    let (_runtime, site) = served(slow([Act::say("done")]));
    let world = at(&site.url("/mcp"));
    let ran = world.run_at_terminal(&["-q", "call", "s", "t"], "").ok();
    assert_eq!(ran.stdout, "done\n");
    let ran = world.run_at_terminal(&["call", "s", "t", "--json"], "").ok();
    assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn ctrl_c_cancels_the_call_at_the_server_and_exits_130() {
    let (runtime, site) = served(slow([Act::hold("never")]));
    let world = at(&site.url("/mcp"));
    let mut terminal = world.at_terminal(&["call", "s", "t"]);
    runtime.block_on(site.visited(|visit| visit.posts("tools/call")));
    terminal.type_in("\u{3}");
    let ran = terminal.ended(&world).fails_with(130);
    assert!(drawn(&ran).1.contains("the call was cancelled (cancelled, ref "), "{ran:?}");
    runtime.block_on(site.visited(|visit| visit.posts("notifications/cancelled")));
}

#[test]
fn ctrl_c_reaches_a_local_server_as_a_cancellation_and_not_as_a_signal() {
    let tell = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on(
            "notifications/cancelled",
            [Act::complain("cancelled, and alive"), Act::release("told")],
        )
        .on_call("t", [Act::complain("called"), Act::hold("told")])
        .ignoring_end();
    let world = World::new().with("TERM", "xterm");
    world.local_with("s", &tell, "approval = \"approve\"\nstderr = \"inherit\"");
    let mut terminal = world.at_terminal(&["call", "s", "t"]);
    terminal.until("called");
    terminal.type_in("\u{3}");
    let ran = terminal.ended(&world).fails_with(130);
    assert!(ran.stdout.contains("cancelled, and alive"), "{ran:?}");
}

#[test]
fn ctrl_c_ends_a_connection_that_does_not_come_up() {
    let world = World::new().with("TERM", "xterm");
    // It says when it is up: before, Ctrl-C may hit the helper that is about to start it.
    let silent = "command = \"sh\"\nargs = [\"-c\", \"echo up >&2; sleep 600\"]";
    world.server("s", &format!("{silent}\nstderr = \"inherit\""));
    for verb in [&["call", "s", "t"][..], &["tools"], &["prompts", "list"]] {
        let mut terminal = world.at_terminal(verb);
        terminal.until("up");
        terminal.type_in("\u{3}");
        let ran = terminal.ended(&world).fails_with(130);
        assert!(drawn(&ran).1.contains("interrupted"), "{ran:?}");
    }
}

fn asking() -> World {
    let world = World::new().with("TERM", "xterm");
    world.local("s", &everything::legacy());
    world
}

#[test]
fn a_servers_question_is_answered_at_the_terminal() {
    let world = asking();
    let call = ["call", "s", "test_elicitation", "message=which \u{202e}colour?"];
    let mut terminal = world.at_terminal(&call);
    terminal.until("s asks: which \\u{202e}colour?");
    terminal.until("response (the answer):");
    terminal.type_in("\n");
    terminal.until("it is needed");
    terminal.type_in("blue\n");
    terminal.until("send this to s? [y/N]");
    terminal.type_in("y\n");
    let ran = terminal.ended(&world).ok();
    assert!(ran.stdout.contains("action=accept") && ran.stdout.contains("blue"), "{ran:?}");
    assert!(drawn(&ran).1.starts_with("User response: "), "{ran:?}");
}

#[test]
fn fields_have_types_choices_and_defaults_and_nothing_is_sent_without_a_yes() {
    let world = asking();
    let mut terminal = world.at_terminal(&["call", "s", "test_elicitation_sep1034_defaults"]);
    for (field, typed) in [
        ("name [", ""),
        ("age [", "old"),
        ("it is not of the right type", "31"),
        ("score [", "1.5"),
        ("status {active, inactive, pending} [", "gone"),
        ("it is none of those", "inactive"),
        ("verified [", "no"),
        ("send this to s?", "y"),
    ] {
        terminal.until(field);
        terminal.type_in(&format!("{typed}\n"));
    }
    let ran = terminal.ended(&world).ok();
    let sent = r#"{"name":"John Doe","age":31,"score":1.5,"status":"inactive","verified":false}"#;
    assert!(
        drawn(&ran).1.contains(&sent.replace('"', "")) || drawn(&ran).1.contains(sent),
        "{ran:?}"
    );
    let mut terminal = world.at_terminal(&["call", "s", "test_elicitation", "message=x"]);
    terminal.until("response");
    terminal.type_in("secret\n");
    terminal.until("send this to s?");
    terminal.type_in("\n");
    let ran = terminal.ended(&world).ok();
    assert!(
        drawn(&ran).1.contains("action=decline") && !drawn(&ran).1.contains("secret"),
        "{ran:?}"
    );
}

#[test]
fn ctrl_c_at_a_question_ends_the_call() {
    let world = asking();
    let mut terminal = world.at_terminal(&["call", "s", "test_elicitation", "message=x"]);
    terminal.until("response");
    terminal.type_in("\u{3}");
    let ran = terminal.ended(&world).fails_with(130);
    assert!(ran.stdout.contains("the call was cancelled"), "{ran:?}");
}

#[test]
fn without_a_terminal_or_when_only_data_is_wanted_nobody_answers() {
    let world = asking();
    let call = ["call", "s", "test_elicitation", "message=x"];
    assert!(world.run(&call).ok().stdout.contains("action=cancel"));
    let quiet = [&call[..], &["-q"]].concat();
    assert!(world.run_at_terminal(&quiet, "").ok().stdout.contains("action=cancel"));
}
