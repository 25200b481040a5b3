//! `policy suggest`: what was approved again and again is proposed, and written only after a yes.

use serde_json::json;
use toolgate_testkit::{Act, Script};

use crate::daemon::house::{Ends, Window, eventually, house};
use crate::support::World;

/// A tool that only reads, one that does not, and one that is denied once.
fn files() -> Script {
    let tool = |name: &str, hints: &str| {
        format!(
            r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"annotations":{{{hints}}}}}"#
        )
    };
    let reads = r#""readOnlyHint":true"#;
    let tools = [tool("read", reads), tool("list", reads), tool("write", "")].join(",");
    let tools = format!(r#"{{"tools":[{tools}]}}"#);
    Script::legacy().on("tools/list", [Act::answer(tools)]).on("tools/call", [Act::say("done")])
}

fn world() -> World {
    let world = house();
    world.write(World::GLOBAL, "[approval]\nfastest_answer_ms = 0\n");
    world.local_with("files", &files(), "");
    world
}

fn answered(world: &World, window: &mut Window, tool: &str, arguments: &[&str]) {
    let call = json!({"name": format!("files__{tool}"), "arguments": {}});
    let id = window.send("tools/call", call);
    let mut reference = String::new();
    eventually("it waits", || {
        let waiting = world.run(&["approvals", "--json"]).ok().json();
        let first = &waiting["approvals"][0]["ref"];
        first.as_str().is_some_and(|text| {
            reference = text.to_owned();
            true
        })
    });
    let words = [&[arguments[0], &reference][..], &arguments[1..]].concat();
    world.run_at_terminal(&words, "y\n");
    window.answer(id);
}

#[test]
fn what_only_reads_and_was_approved_often_becomes_a_rule_after_a_yes() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    for _ in 0..3 {
        answered(&world, &mut window, "read", &["approve"]);
        answered(&world, &mut window, "write", &["approve"]);
    }
    answered(&world, &mut window, "list", &["approve"]);
    answered(&world, &mut window, "list", &["deny"]);
    let suggest = ["policy", "suggest", "--at-least", "3"];
    let none = world.run(&["policy", "suggest"]).ok();
    assert!(none.stderr.contains("nothing to suggest"), "{none:?}");
    let mut shown = String::new();
    eventually("all is recorded", || {
        shown = world.run(&suggest).ok().stdout;
        shown.contains("approved 3 times")
    });
    assert!(shown.contains("`files:read` was approved 3 times, never denied"), "{shown}");
    assert!(!shown.contains("write") && !shown.contains("list"), "{shown}");
    let before = world.read(World::GLOBAL);
    world.run_at_terminal(&suggest, "n\n").ok();
    assert_eq!(world.read(World::GLOBAL), before, "a no changes nothing");
    let said = world.run_at_terminal(&suggest, "y\n").ok();
    assert!(said.stdout.contains("wrote 1 rule into"), "{said:?}");
    let after = world.read(World::GLOBAL);
    assert!(after.starts_with(&before) && after.contains("definition = \"sha256:"), "{after}");
    world.run(&["config", "check"]).ok();
    assert_eq!(window.call("files__read"), "done", "it is not asked for any more");
    let explained = world.run(&["explain", "files", "read"]).ok().stdout;
    assert!(explained.contains("allow: a rule of the policy"), "{explained}");
    let again = world.run(&suggest).ok();
    assert!(again.stderr.contains("nothing to suggest"), "{again:?}");
}

#[test]
fn what_was_approved_for_a_session_counts_for_nothing() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    answered(&world, &mut window, "read", &["approve", "--session"]);
    let mut rows = 0;
    eventually("it is recorded", || {
        let exported = world.run(&["audit", "export"]).ok().stdout;
        rows = exported.lines().filter(|line| line.contains("\"decision\"")).count();
        rows > 0
    });
    let none = world.run(&["policy", "suggest", "--at-least", "1"]).ok();
    assert!(none.stderr.contains("nothing to suggest"), "{none:?}");
}
