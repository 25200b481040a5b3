//! `--log-level debug`: the log of a server that fails says why, step by step, and holds no secret.

use serde_json::Value;
use toolgate_testkit::{Act, Script};

use crate::support::World;

const FILE: &str = "home/.local/state/toolgate/logs/toolgate.log";

const SECRET: &str = "canary-5d20a7c4-in-clear";

/// A command that says something and ends at once.
fn failing() -> World {
    let world = World::new();
    let script = format!("echo no licence for {SECRET} >&2; exit 3");
    let keys = format!(
        "command = \"sh\"\nargs = [\"-c\", {script:?}]\napproval = \"approve\"\n\
         env = {{ LICENCE_TOKEN = {SECRET:?} }}"
    );
    world.server("broken", &keys);
    world
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The first line with this message, which says this of a server.
fn first<'a>(lines: &'a [Value], message: &str, server: &str) -> &'a Value {
    let found = lines.iter().find(|line| line["message"] == message && line["server"] == server);
    assert!(found.is_some(), "nothing says `{message}` of `{server}`: {lines:#?}");
    found.unwrap()
}

#[test]
fn at_debug_the_log_of_a_failing_server_says_why_it_is_not_there() {
    let world = failing();
    let ran = world.run(&["call", "broken", "anything", "--log-level", "debug"]);
    assert_ne!(ran.code, 0);
    let logged = lines(&world.read(FILE));
    let ended = first(&logged, "process ended", "broken");
    assert_eq!(ended["exit"], "exited with code 3");
    let asked = "it ended when it was spoken to: started again, and spoken to in the other way";
    first(&logged, asked, "broken");
    assert_eq!(first(&logged, "era not found", "broken")["why"], "it ended");
    assert_eq!(first(&logged, "connection not opened", "broken")["why"], "it ended");
    let back_off = first(&logged, "back-off", "broken");
    assert_eq!((&back_off["failures"], &back_off["level"]), (&1.into(), &"DEBUG".into()));
    assert!(back_off["retry_in"].as_str().unwrap().ends_with('s'), "{back_off}");
    let state = first(&logged, "server state", "broken");
    assert!(state["pid"].is_u64() && back_off["pid"] == state["pid"], "{state} {back_off}");
    // The same on standard error, for who asked there, as text.
    for word in ["back-off", "exited with code 3", "era not found", "server=\"broken\""] {
        assert!(ran.stderr.contains(word), "{word}: {ran:?}");
    }
}

#[test]
fn no_decision_is_logged_at_the_usual_level() {
    let world = failing();
    world.run(&["call", "broken", "anything"]);
    let text = world.read(FILE);
    assert!(text.contains("\"server state\""), "{text}");
    for word in ["back-off", "era not found", "process started"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

#[test]
fn what_a_failing_server_writes_is_as_masked_at_trace_as_at_any_level() {
    let world = failing();
    for format in ["text", "json"] {
        let flags = ["call", "broken", "x", "--log-level", "trace", "--log-format", format];
        let ran = world.run(&flags);
        assert!(ran.stderr.contains("no licence for ***"), "{ran:?}");
        assert!(!ran.stderr.contains("canary"), "{ran:?}");
    }
    let text = world.read(FILE);
    assert!(text.contains("no licence for ***") && !text.contains("canary"), "{text}");
}

#[test]
fn a_call_that_is_hidden_says_to_the_log_alone_by_which_rule_and_under_its_own_reference() {
    let world = World::new();
    let tools = r#"{"tools":[{"name":"seen"},{"name":"unseen"}]}"#;
    let script =
        Script::legacy().on("tools/list", [Act::answer(tools)]).on_call("seen", [Act::say("done")]);
    world.local_with("s", &script, "approval = \"approve\"\ndeny_tools = [\"unseen\"]");
    let arguments = "word=argument-of-a-caller";
    let flags = ["--log-level", "debug"];
    let hidden = world.run(&[&["call", "s", "unseen", arguments], &flags[..]].concat());
    assert_ne!(hidden.code, 0);
    world.run(&[&["call", "s", "seen", arguments], &flags[..]].concat()).ok();
    let text = world.read(FILE);
    let logged = lines(&text);
    let why = first(&logged, "what was called is hidden", "s");
    assert!(why["why"].as_str().unwrap().starts_with("denied by"), "{why}");
    let call = why["call"].as_str().unwrap();
    let told = hidden.stderr.rsplit("error:").next().unwrap();
    assert!(told.contains(call) && !told.contains("denied by"), "{hidden:?}");
    let decided = first(&logged, "call decided", "s");
    assert_eq!(decided["ruling"], "allow");
    assert!(decided["call"].is_string(), "{decided}");
    assert!(!text.contains("argument-of-a-caller"), "{text}");
}
