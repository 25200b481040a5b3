//! The person at the terminal: progress, questions and Ctrl-C go through the daemon and back.

use toolgate_testkit::{Act, Script, everything};

use crate::daemon::house::house as world;
use crate::keeper::Keeper;
use crate::support::{Ran, World, served};

const WIPED: &str = "\r\u{1b}[2K";

fn at_terminal() -> World {
    world().with("TERM", "xterm")
}

fn slow(acts: impl Into<Vec<Act>>) -> Script {
    Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", acts)
}

fn at(url: &str) -> Keeper {
    let world = at_terminal();
    world.server("s", &format!("transport = \"http\"\napproval = \"approve\"\nurl = {url:?}"));
    Keeper::start(world)
}

fn drawn(ran: &Ran) -> (&str, &str) {
    ran.stdout.rsplit_once(WIPED).expect("something was wiped")
}

#[test]
fn the_servers_words_are_shown_while_they_come() {
    let report =
        r#"{"progressToken":${token},"progress":3,"total":10,"message":"half \u001b[7mway"}"#;
    let (runtime, site) = served(slow([
        Act::notify("notifications/progress", report),
        Act::hold("seen"),
        Act::say("done"),
    ]));
    let keeper = at(&site.url("/mcp"));
    let mut terminal = keeper.at_terminal(&["call", "s", "t"]);
    runtime.block_on(site.visited(|visit| visit.posts("tools/call")));
    terminal.until("3/10 half");
    site.signal("seen");
    let ran = terminal.ended(&keeper).ok();
    let (spinner, left) = drawn(&ran);
    assert!(spinner.contains("] 3/10 half \\u{1b}[7mway"), "{ran:?}");
    assert_eq!(left, "done\n");
}

#[test]
fn ctrl_c_cancels_the_call_at_the_server_and_exits_130() {
    let (runtime, site) = served(slow([Act::hold("never")]));
    let keeper = at(&site.url("/mcp"));
    let mut terminal = keeper.at_terminal(&["call", "s", "t"]);
    runtime.block_on(site.visited(|visit| visit.posts("tools/call")));
    terminal.type_in("\u{3}");
    let ran = terminal.ended(&keeper).fails_with(130);
    assert!(drawn(&ran).1.contains("the call was cancelled (cancelled, ref "), "{ran:?}");
    runtime.block_on(site.visited(|visit| visit.posts("notifications/cancelled")));
}

#[test]
fn ctrl_c_ends_a_connection_that_does_not_come_up() {
    let world = at_terminal();
    world.server("s", "command = \"sh\"\nargs = [\"-c\", \"sleep 600\"]");
    let keeper = Keeper::start(world);
    for verb in [&["call", "s", "t"][..], &["tools"], &["prompts", "list"]] {
        let mut terminal = keeper.at_terminal(verb);
        terminal.until("connecting");
        terminal.type_in("\u{3}");
        let ran = terminal.ended(&keeper).fails_with(130);
        assert!(drawn(&ran).1.contains("interrupted"), "{ran:?}");
    }
}

#[test]
fn a_servers_question_is_answered_at_the_terminal_in_both_eras() {
    let world = at_terminal();
    world.local("s", &everything::legacy());
    world.local("m", &everything::modern());
    let keeper = Keeper::start(world);
    let call = ["call", "s", "test_elicitation", "message=which \u{202e}colour?"];
    let mut terminal = keeper.at_terminal(&call);
    terminal.until("s asks: which \\u{202e}colour?");
    terminal.until("response (the answer):");
    terminal.type_in("blue\n");
    terminal.until("send this to s? [y/N]");
    terminal.type_in("y\n");
    let ran = terminal.ended(&keeper).ok();
    assert!(ran.stdout.contains("action=accept") && ran.stdout.contains("blue"), "{ran:?}");
    let mut terminal = keeper.at_terminal(&["call", "m", "test_input_required_result_elicitation"]);
    terminal.until("m asks: ");
    terminal.until("name");
    terminal.type_in("Alice\n");
    terminal.until("send this to m? [y/N]");
    terminal.type_in("y\n");
    let ran = terminal.ended(&keeper).ok();
    assert_eq!(drawn(&ran).1, "state-ok\n");
}

#[test]
fn ctrl_c_at_a_question_ends_the_call_and_the_daemon_serves_the_next() {
    let world = at_terminal();
    world.local("s", &everything::legacy());
    let keeper = Keeper::start(world);
    let mut terminal = keeper.at_terminal(&["call", "s", "test_elicitation", "message=x"]);
    terminal.until("response");
    terminal.type_in("\u{3}");
    let ran = terminal.ended(&keeper).fails_with(130);
    assert!(ran.stdout.contains("the call was cancelled"), "{ran:?}");
    keeper.run(&["call", "s", "test_simple_text"]).ok();
}

#[test]
fn without_a_terminal_nobody_answers() {
    let world = at_terminal();
    world.local("s", &everything::legacy());
    let keeper = Keeper::start(world);
    let call = ["call", "s", "test_elicitation", "message=x"];
    assert!(keeper.run(&call).ok().stdout.contains("action=cancel"));
    let quiet = [&call[..], &["-q"]].concat();
    assert!(keeper.run_at_terminal(&quiet, "").ok().stdout.contains("action=cancel"));
}
