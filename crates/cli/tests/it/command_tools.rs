//! Command tools as agents and people use them: through a window, over the daemon, at a terminal.

#![allow(
    clippy::print_stderr,
    reason = "what cannot be shown here, and what was measured, is said"
)]

mod over_http;

use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};
use toolgate_testkit::peak_memory;

use crate::approvals::asking::{asked, asking_window, say};
use crate::daemon::house::{Daemon, Ends, Window, eventually, house};
use crate::keeper::Keeper;
use crate::stdio::client::Client;
use crate::support::{World, end_if_it_hangs};

/// With these tools in the person's own file, which run as they are.
fn world(tools: &str) -> World {
    let world = house().with("TERM", "xterm");
    let settings = "[approval]\nfastest_answer_ms = 0\n[limits]\nlist_wait_ms = 20000\n";
    world.write(World::GLOBAL, &format!("{settings}{tools}"));
    world
}

fn script(name: &str, script: &str, more: &str) -> String {
    let script = serde_json::to_string(script).unwrap();
    format!(
        "[tools.{name}]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script}, \"sh\", \"{{{{word}}}}\"]\n\
         sandbox_profile = \"none\"\ninput_schema = {{ type = \"object\", properties = {{ word = \
         {{ type = \"string\" }} }} }}\n{more}\n"
    )
}

/// Begins a call with progress, which the person behind the window allows.
fn begin(window: &mut Window, tool: &str, arguments: &Value) -> u64 {
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "t"}});
    let id = window.send("tools/call", params);
    let (question, _) = asked(window);
    let allowed = json!({"action": "accept", "content": {"decision": "once"}});
    say(window, &question, &allowed);
    id
}

/// Shows: S3-10, S3-40, S3-42.
#[test]
fn a_window_lists_it_is_asked_hears_it_and_gets_its_result() {
    let slow = "echo begun $1; while [ ! -e go ]; do sleep 0.05; done; echo no >&2; exit 3";
    let world = world(&script("slow", slow, "streaming = true\ndescription = \"Waits\""));
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    let tools = window.ask("tools/list", json!({}));
    let tool = &tools["result"]["tools"][0];
    assert_eq!(tool["name"], "local__slow", "{tools}");
    let said = &tool["_meta"]["toolgate/command"];
    assert_eq!(
        (&said["requires_approval"], &said["sandboxed"], &said["allows_streaming"]),
        (&json!(true), &json!(false), &json!(true))
    );
    let place = &tool["_meta"]["toolgate/session"];
    assert_eq!(place["cwd"], json!(world.project()), "{place}");
    assert_eq!(place["overrides_active"], false);

    let id = begin(&mut window, "local__slow", &json!({"word": "$(id)"}));
    let first = loop {
        let message = window.client.message();
        let is_ours = !message["params"]["_meta"]["toolgate/output"].is_null();
        if message["method"] == "notifications/progress" && is_ours {
            break message;
        }
    };
    assert_eq!(first["params"]["progressToken"], "t");
    assert_eq!(first["params"]["message"], "begun $(id)\n");
    assert_eq!(first["params"]["_meta"]["toolgate/output"], json!({"stream": "stdout"}));
    world.write("project/go", "");
    let mut marks = Vec::new();
    let answer = loop {
        let message = window.client.message();
        if message["id"] == id && message.get("method").is_none() {
            break message;
        }
        marks.push(message["params"]["_meta"]["toolgate/output"].clone());
    };
    assert_eq!(marks, [json!({"stream": "stderr"}), json!({"ended": "completed", "exit_code": 3})]);
    let result = &answer["result"];
    assert_eq!(
        (&result["isError"], &result["content"][0]["text"]),
        (&json!(true), &json!("begun $(id)\n"))
    );
    let mut row = Value::Null;
    eventually("its end is recorded", || {
        let rows = world.run(&["audit", "export"]).ok().stdout;
        let mut rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        row = rows.find(|row| row["kind"] == "end").unwrap_or_default();
        row.is_object()
    });
    assert_eq!((&row["server"], &row["outcome"]), (&json!("local"), &json!("tool_error")));
    assert_eq!(
        row["body"]["command"],
        json!({"exit_status": 3, "stdout_bytes": 12, "stderr_bytes": 3})
    );
}

#[test]
fn a_sessions_overrides_are_listed_applied_and_end_with_it() {
    let more = "cwd_override = true\nenv_overrides = [\"GREETING\"]";
    let world = world(&script("where", "pwd; echo $GREETING", more));
    let _ends = Ends(&world);
    world.write("project/sub/x", "");
    let opened = |meta: Value| {
        let mut window = Window { client: Client::start(&world), greeting: Value::Null, next: 0 };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"}, "_meta": meta});
        let answer = window.ask("initialize", params);
        (window, answer)
    };
    let session = json!({"cwd_override": "sub", "env_overrides": {"GREETING": "hello"}});
    let (mut window, _) = opened(json!({"toolgate/session": session}));
    let tools = window.ask("tools/list", json!({}));
    let place = &tools["result"]["tools"][0]["_meta"]["toolgate/session"];
    assert_eq!(place["cwd"], json!(world.project().join("sub")), "{tools}");
    assert_eq!(place["active_overrides"], json!({"cwd": true, "env": ["GREETING"]}));
    let id = window.send("tools/call", json!({"name": "local__where", "arguments": {}}));
    let (question, form) = asked(&mut window);
    let shown = form["message"].as_str().unwrap();
    assert!(
        shown.contains("Changed by the caller's session:") && shown.contains("GREETING=hello"),
        "{shown}"
    );
    say(&mut window, &question, &json!({"action": "accept", "content": {"decision": "once"}}));
    let text = window.answer(id)["result"]["content"][0]["text"].clone();
    assert_eq!(text, json!(format!("{}\nhello\n", world.project().join("sub").display())));
    // Another session knows nothing of it, and one that makes no sense is not opened.
    let (mut other, _) = opened(json!({}));
    let tools = other.ask("tools/list", json!({}));
    let place = &tools["result"]["tools"][0]["_meta"]["toolgate/session"];
    assert_eq!(
        (&place["cwd"], &place["overrides_active"]),
        (&json!(world.project()), &json!(false))
    );
    let (_, refused) = opened(json!({"toolgate/session": {"cwd_overide": "/"}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn call_runs_it_where_the_person_is_asked() {
    let more = "cwd_override = true\nenv_overrides = [\"GREETING\"]";
    let world = world(&script("say", "echo $1 $GREETING; pwd", more));
    let call = ["call", "local", "say", "word=hi", "--cwd", "sub", "--env", "GREETING=you"];
    world.write("project/sub/x", "");
    let mut terminal = world.at_terminal(&call);
    terminal.until("Runs, without a shell:");
    terminal.until("-- page 1 of 2");
    terminal.type_in("\n");
    terminal.until("allow this? [o]nce [d]eny:");
    terminal.type_in("once\n");
    let ran = terminal.ended(&world).ok();
    assert!(ran.stdout.ends_with("hi you\n<world>/project/sub\n"), "{ran:?}");
    let refused = world.run(&["call", "local", "say", "--env", "PATH=/x"]).fails_with(2);
    assert!(refused.stderr.contains("no call may set `PATH`"), "{refused:?}");
    let refused = world.run(&["call", "local", "nothing"]);
    assert_ne!(refused.code, 0, "{refused:?}");
    let shown = world.run(&["explain", "local", "say"]).ok().stdout;
    assert!(shown.contains("ask"), "{shown}");
}

/// As if it had been started without us: each stream on its own, byte for byte, as it comes; here and through
/// the daemon.
#[test]
fn call_passes_on_what_a_command_prints_while_it_runs() {
    if !crate::sandbox::has_walls() {
        return;
    }
    let waits = "printf 'begun\\377\\033[2J\\n'; echo oh >&2; while [ ! -e go ]; do sleep 0.05; done; printf over; exit $(cat go)";
    let entry = serde_json::to_string(waits).unwrap();
    let harmless = "requires_approval = false\nside_effects = [\"fs_read\"]\nstreaming = true\n";
    let world = world(&format!(
        "[tools.waits]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {entry}]\n{harmless}"
    ));
    let check = |world: &World| {
        for code in [0, 3] {
            let _ = std::fs::remove_file(world.project().join("go"));
            let mut command = world.command(&["call", "local", "waits"]);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let _watched = end_if_it_hangs(child.id());
            let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
            let mut first = [0; 11];
            out.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"begun\xff\x1b[2J\n", "it has not ended yet");
            let mut complaint = [0; 3];
            err.read_exact(&mut complaint).unwrap();
            assert_eq!(&complaint, b"oh\n");
            world.write("project/go", &code.to_string());
            let (mut rest, mut remarks) = (String::new(), String::new());
            out.read_to_string(&mut rest).unwrap();
            err.read_to_string(&mut remarks).unwrap();
            assert_eq!(rest, "over", "nothing is said twice");
            let ended = child.wait().unwrap();
            match code {
                0 => assert_eq!((ended.code(), remarks.as_str()), (Some(0), "")),
                _ => {
                    assert_ne!(ended.code(), Some(0));
                    assert!(remarks.contains("[the command exited with code 3]"), "{remarks}");
                    assert!(!remarks.contains("oh"), "{remarks}");
                }
            }
        }
        // Where a program wants a document it gets that alone.
        world.write("project/go", "0");
        let json = world.run(&["call", "local", "waits", "--json"]).ok().json();
        assert_eq!(json["result"]["content"][0]["text"], "begun\u{fffd}\u{1b}[2J\nover");
        // At a terminal nothing of it is hidden.
        let _ = std::fs::remove_file(world.project().join("go"));
        let mut terminal = world.at_terminal(&["call", "local", "waits"]);
        terminal.until("begun\u{fffd}\\u{1b}[2J");
        terminal.until("oh");
        world.write("project/go", "0");
        terminal.until("over");
        terminal.ended(world).ok();
    };
    check(&world);
    check(&Keeper::start(world));
}

/// Shows: S2-1.
#[test]
fn what_a_project_brings_waits_for_a_person_and_changes_with_its_file() {
    let world = world("");
    let _ends = Ends(&world);
    let tool = script("theirs", "echo theirs", "");
    world.write("project/toolgate.toml", &tool);
    let refused = world.run(&["call", "local", "theirs"]).fails_with(8);
    assert!(refused.stderr.contains("tool theirs is pending"), "{refused:?}");
    let mut window = Window::open(&world);
    assert!(
        !window.tools().iter().any(|name| name.starts_with("local")),
        "nothing of it is listed"
    );
    world.run_at_terminal(&["trust"], "y\n").ok();
    eventually("it is listed once it is accepted", || {
        window.tools().contains(&"local__theirs".to_owned())
    });
    world.write("project/toolgate.toml", &tool.replace("echo theirs", "echo others"));
    eventually("it is gone once it is another", || window.tools().is_empty());
}

/// One that waits is told apart from one that is not there, whatever else is accepted.
#[test]
fn one_pending_tool_among_accepted_ones_is_an_exit_code_of_its_own() {
    let world = world("");
    let off = script("off", "true", "enabled = false");
    let tools = [script("one", "echo one", ""), script("two", "echo two", ""), off];
    world.write("project/toolgate.toml", &tools.concat());
    world.run_at_terminal(&["trust", "one", "off"], "y\ny\n").ok();
    let refused = world.run(&["call", "local", "two"]).fails_with(8);
    assert!(refused.stderr.contains("tool two is pending: never accepted here"), "{refused:?}");
    assert!(refused.stderr.contains("toolgate trust"), "{refused:?}");
    let refused = world.run(&["call", "local", "off"]).fails_with(1);
    assert!(refused.stderr.contains("tool off is disabled"), "{refused:?}");
    let refused = world.run(&["call", "local", "three"]).fails_with(1);
    assert!(refused.stderr.contains("there is no `local/three`"), "{refused:?}");
    // The accepted one gets as far as the question, which nobody is here for.
    let asked = world.run(&["call", "local", "one"]).fails_with(6);
    assert!(asked.stderr.contains("nobody to ask"), "{asked:?}");
}

/// How much the test has a command print, in bytes: four times what the daemon may hold of it; more where
/// somebody runs it by hand and says so, in mebibytes.
fn very_much() -> u64 {
    let wanted = std::env::var("TOOLGATE_TEST_MUCH_MIB").ok();
    wanted.and_then(|mib| mib.parse().ok()).unwrap_or(64) << 20
}

/// Shows: S3-43.
#[test]
fn a_command_that_prints_very_much_to_who_reads_slowly_costs_little_memory() {
    let amount = very_much();
    let much =
        format!("yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c {amount}; echo $$ > over");
    let world = world(&script("much", &much, "streaming = true\ntimeout_ms = 600000"));
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    let daemon = Daemon::of(&world).pid;
    window.ask("tools/list", json!({}));
    let id = begin(&mut window, "local__much", &json!({}));
    let before = peak_memory(daemon);
    let (mut heard, mut count) = (0, 0);
    let end = loop {
        let line = window.client.line();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == id && message.get("method").is_none() {
            break message;
        }
        if let Some(text) = message["params"]["message"].as_str()
            && message["params"]["_meta"]["toolgate/output"]["stream"] == "stdout"
        {
            heard += text.len() as u64;
        }
        count += 1;
        if count == 50 {
            // It waits for its reader: of what it prints, next to nothing was read.
            assert!(!world.exists("project/over"), "it did not wait");
        }
    };
    assert_eq!(heard, amount, "nothing is lost");
    assert_eq!(end["result"]["isError"], false, "{}", end["result"]["_meta"]);
    let grown = peak_memory(daemon) - before;
    eprintln!("{amount} bytes: {grown} KiB more than before");
    assert!(grown < 16 << 10, "{grown} KiB more than before");
}
