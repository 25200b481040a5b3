//! `tools`, `call`, `resources` and `prompts` where a daemon runs: its servers are used, and what is
//! printed is the same as without it.

mod at_terminal;
mod changes;
mod contexts;

use std::process::Stdio;

use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, everything};

use crate::daemon::house::house as world;
use crate::daemon::house::{eventually, servers, teller};
use crate::keeper::Keeper;
use crate::support::{Ran, World, end_if_it_hangs, served, without_reference};

/// What a run left, without what differs from run to run: what a server says while it works is
/// told as it comes, which is in no order.
fn left(ran: &Ran) -> (i32, String, Vec<String>) {
    let stderr = without_reference(&ran.stderr);
    let mut said: Vec<_> = stderr.lines().map(str::to_owned).collect();
    said.sort();
    (ran.code, without_reference(&ran.stdout), said)
}

/// A server whose answers have several lines.
fn spread_out() -> Script {
    let tools = "{\"tools\": [\n  {\"name\": \"lines\",\n   \"x\": 1.50}\n]}";
    let result = "{\n  \"content\": [\n    {\"type\": \"text\", \"text\": \"spread\"}\n  ],\n  \"n\": 1e2\n}";
    Script::legacy().on("tools/list", [Act::answer(tools)]).on_call("lines", [Act::answer(result)])
}

/// One that says something on its way.
fn talkative() -> Script {
    let report = r#"{"progressToken":${token},"progress":1,"total":2,"message":"half"}"#;
    Script::legacy()
        .offering(r#"{"tools":{},"logging":{}}"#)
        .on("logging/setLevel", [Act::answer("{}")])
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call(
            "t",
            [
                Act::notify("notifications/progress", report),
                Act::notify("notifications/message", r#"{"level":"info","data":"so far"}"#),
                Act::say("done"),
            ],
        )
}

const COMMANDS: &[&[&str]] = &[
    &["tools"],
    &["tools", "--json"],
    &["tools", "--server", "s"],
    &["tools", "--server", "web", "--json"],
    &["tools", "--server", "gone"],
    &["tools", "--server", "nope"],
    &["tools", "--role", "reader"],
    &["tools", "--role", "nobody"],
    &["tools", "--cached"],
    &["call", "s", "test_simple_text"],
    &["call", "s", "test_simple_text", "--json"],
    &["call", "s", "test_multiple_content_types", "--json"],
    &["call", "s", "test_error_handling"],
    &["call", "s", "test_error_handling", "--json"],
    &["call", "s", "no_such_tool"],
    &["call", "s", "no_such_tool", "--json"],
    &["call", "m", "test_simple_text"],
    &["call", "m", "test_error_handling", "--json"],
    &["call", "web", "lines"],
    &["call", "web", "lines", "--json"],
    &["call", "gone", "x"],
    &["call", "gone", "x", "--json"],
    &["call", "off", "who"],
    &["call", "waits", "wait", "--timeout-ms", "300"],
    &["-v", "call", "talks", "t"],
    &["call", "talks", "t"],
    &["-v", "call", "m", "test_tool_with_logging"],
    &["resources", "list"],
    &["resources", "list", "--json"],
    &["resources", "list", "--templates", "--server", "s"],
    &["resources", "list", "--server", "gone"],
    &["resources", "read", "s", "test://static-text"],
    &["resources", "read", "m", "test://static-text", "--json"],
    &["resources", "read", "s", "test://none"],
    &["prompts", "list"],
    &["prompts", "list", "--json"],
    &["prompts", "get", "s", "test_prompt_with_arguments", "arg1=a", "arg2=b"],
    &["prompts", "get", "m", "test_simple_prompt", "--json"],
    &["prompts", "get", "s", "none"],
];

#[test]
fn what_is_printed_is_the_same_byte_for_byte() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let manners = WebManners { streams: false, ..WebManners::default() };
    let site = runtime.block_on(spread_out().over_http(manners));
    let world = world();
    world.write(
        World::GLOBAL,
        "[bundles.b]\nserver = \"s\"\nmode = \"direct\"\nallow_tools = [\"test_simple*\"]\n\
         [roles.reader]\nbundles = [\"b\"]\n",
    );
    world.local("s", &everything::legacy());
    world.local("m", &everything::modern());
    let url = format!("url = {:?}", site.url("/mcp"));
    world.server("web", &format!("{url}\napproval = \"approve\""));
    world.server("gone", "command = \"no-such-command-anywhere\"");
    world.local("waits", &teller());
    world.local("talks", &talkative());
    world.local_with("off", &teller(), "enabled = false");
    // Before there is a daemon.
    let alone: Vec<_> = COMMANDS.iter().map(|command| left(&world.run(command))).collect();
    let keeper = Keeper::start(world);
    for (command, alone) in COMMANDS.iter().zip(&alone) {
        assert_eq!(left(&keeper.run(command)), *alone, "{command:?}");
    }
    // It was the daemon who did all that.
    let calls = |id: &str| keeper.row(id)["calls"].as_u64().unwrap();
    assert!(calls("s") >= 8, "{}", keeper.row("s"));
    assert!(calls("m") >= 4, "{}", keeper.row("m"));
    assert_eq!(calls("web"), 2);
    assert_eq!(keeper.row("gone")["state"], "error");
}

#[test]
fn data_goes_into_a_file_of_the_person() {
    let world = world();
    world.local("s", &everything::legacy());
    let keeper = Keeper::start(world);
    keeper.write("project/out/x", "");
    let ran = keeper.run(&["call", "s", "test_image_content", "--out", "out"]).ok();
    let file = ran.stdout.split_whitespace().find(|word| word.contains(".png")).unwrap();
    let file = file.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    assert!(keeper.exists(&format!("project/{file}")), "{ran:?}");
}

#[test]
fn a_server_runs_on_for_the_next_and_standalone_has_its_own() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let who = |more: &[&str]| keeper.run(&[&["call", "s", "who"], more].concat()).ok().stdout;
    let first = who(&[]);
    assert_eq!(who(&[]), first);
    assert_ne!(who(&["--standalone"]), first);
    // Whoever wants to see the log of a run has it run here.
    assert_ne!(who(&["--log-level", "warn"]), first);
    assert_eq!(who(&[]), first);
    assert_eq!(servers(&keeper).len(), 1);
    let row = keeper.row("s");
    assert_eq!((row["state"].as_str(), row["calls"].as_u64()), (Some("ready"), Some(3)), "{row}");
    assert_eq!(row["pid"].to_string(), first.trim());
    // What was called is recorded before the answer is printed.
    let audit = keeper.run(&["audit", "--json"]).ok().stdout;
    assert_eq!(audit.matches(r#""tool": "who""#).count(), 5, "{audit}");
}

#[test]
fn a_call_that_nobody_waits_for_any_more_is_cancelled() {
    let held = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", [Act::hold("never")]);
    let (runtime, site) = served(held);
    let world = world();
    let url = site.url("/mcp");
    world.server("s", &format!("transport = \"http\"\napproval = \"approve\"\nurl = {url:?}"));
    let keeper = Keeper::start(world);
    let mut child = keeper.command(&["call", "s", "t"]).stdout(Stdio::piped()).spawn().unwrap();
    let _watched = end_if_it_hangs(child.id());
    runtime.block_on(site.visited(|visit| visit.posts("tools/call")));
    child.kill().unwrap();
    child.wait().unwrap();
    runtime.block_on(site.visited(|visit| visit.posts("notifications/cancelled")));
    let audit = || keeper.run(&["audit", "--json"]).ok().stdout;
    eventually("it is recorded", || audit().contains("cancelled"));
}

#[test]
fn a_daemon_that_is_stopped_lets_a_call_end_first() {
    let held = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", [Act::hold("stopping"), Act::say("done")]);
    let (runtime, site) = served(held);
    let world = world();
    let url = site.url("/mcp");
    world.server("s", &format!("transport = \"http\"\napproval = \"approve\"\nurl = {url:?}"));
    let keeper = Keeper::start(world);
    let call = keeper.command(&["call", "s", "t"]).stdout(Stdio::piped()).spawn().unwrap();
    let _watched = end_if_it_hangs(call.id());
    runtime.block_on(site.visited(|visit| visit.posts("tools/call")));
    let stop = keeper.command(&["stop"]).stderr(Stdio::piped()).spawn().unwrap();
    eventually("nobody is let in any more", || keeper.run(&["status"]).code == 4);
    site.signal("stopping");
    let called = call.wait_with_output().unwrap();
    assert_eq!((called.status.code(), called.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    assert_eq!(stop.wait_with_output().unwrap().status.code(), Some(0));
}
