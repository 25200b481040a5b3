//! `call`: typed arguments in, content out, and an exit code for each way it can end.

use std::os::unix::fs::PermissionsExt as _;

use toolgate_testkit::{Act, Script, Site, everything};

use crate::support::{World, served, without_reference};

/// A server whose tool `echo` says what it was given.
fn echoing() -> Script {
    let schema = r#"{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"},"flag":{"type":"boolean"},"list":{"type":"array"},"maybe":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#;
    let tools =
        format!(r#"{{"tools":[{{"name":"echo","inputSchema":{schema}}},{{"name":"hidden"}}]}}"#);
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("echo", [Act::answer(r#"{"structuredContent":${arguments}}"#)])
}

fn remote(site: &Site) -> World {
    let world = World::new();
    world.server(
        "s",
        &format!("transport = \"http\"\napproval = \"approve\"\nurl = {:?}", site.url("/mcp")),
    );
    world
}

fn everything() -> World {
    let world = World::new();
    world.local("s", &everything::legacy());
    world
}

/// The arguments that reached the server, as they were sent.
fn sent(site: &Site) -> String {
    let calls = site.visits().into_iter().rev();
    let call = calls.into_iter().find(|visit| visit.posts("tools/call")).unwrap().body;
    let start = call.find(r#""arguments":"#).unwrap() + r#""arguments":"#.len();
    let mut values = serde_json::Deserializer::from_str(&call[start..])
        .into_iter::<Box<serde_json::value::RawValue>>();
    values.next().unwrap().unwrap().get().to_owned()
}

#[test]
fn pairs_become_what_the_tools_schema_says() {
    let (_runtime, site) = served(echoing());
    let world = remote(&site);
    let pairs =
        ["text=5", "n=1234", "flag=true", "list=[1, 2.50]", "maybe=7", "free=7", "word=a=b", "e="];
    let ran = world.run(&[&["call", "s", "echo"], &pairs[..]].concat()).ok();
    let arguments = r#"{"text":"5","n":1234,"flag":true,"list":[1, 2.50],"maybe":"7","free":7,"word":"a=b","e":""}"#;
    assert_eq!(sent(&site), arguments);
    // And what came back as structured content is laid out.
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "text": "5",
      "n": 1234,
      "flag": true,
      "list": [
        1,
        2.50
      ],
      "maybe": "7",
      "free": 7,
      "word": "a=b",
      "e": ""
    }
    "#);
    world.run(&["mcp", "call", "s", "echo"]).ok();
    assert_eq!(sent(&site), "{}");
}

/// Every name that agents may use for it, and no other way round.
#[test]
fn a_tool_is_called_by_the_name_that_tools_prints() {
    let (_runtime, site) = served(echoing());
    let world = remote(&site);
    world.server("gone", "command = \"touch\"\nargs = [\"started\"]");
    let json = world.run(&["tools", "--server", "s", "--json"]).ok().json();
    let name = json["tools"][0]["name"].as_str().unwrap();
    assert_eq!(name, "s__echo");
    for name in [name, "mcp__s__echo", "s.echo"] {
        world.run(&["call", name, "n=5", "text=7"]).ok();
        assert_eq!(sent(&site), r#"{"n":5,"text":"7"}"#, "{name}");
    }
    let ran = world.run(&["call", "s__echo", "--json"]).ok().json();
    assert_eq!((&ran["server"], &ran["tool"]), (&"s".into(), &"echo".into()));
    assert!(!world.exists("project/started"), "no other server is started for it");
    // What has no `=` is an argument that was mistyped, and no tool.
    let ran = world.run(&["call", "s__echo", "noequals"]).fails_with(2);
    assert!(ran.stderr.contains("KEY=VALUE") && !ran.stderr.contains("noequals"), "{ran:?}");
}

#[test]
fn a_name_that_means_two_things_is_refused_with_both() {
    let world = World::new();
    world.server("a", "command = \"touch\"\nargs = [\"started\"]");
    world.server("a__b", "command = \"touch\"\nargs = [\"started\"]");
    let ran = world.run(&["call", "a__b", "x=1"]).fails_with(2);
    let words = "`a__b` is a server, and may be the tool `b` of the server `a`";
    assert!(ran.stderr.contains(words) && ran.stderr.contains("`a b`, or `a__b TOOL`"), "{ran:?}");
    assert!(!world.exists("project/started"));
}

#[test]
fn an_object_comes_from_the_command_line_a_file_or_standard_input_as_it_is_written() {
    let (_runtime, site) = served(echoing());
    let world = remote(&site);
    let object = r#"{"n": 12,  "x":{"b":1.50,"a":1e3}}"#;
    world.run(&["call", "s", "echo", "--args", object]).ok();
    assert_eq!(sent(&site), object);
    world.write("project/arguments.json", &format!("\n{object}\n"));
    world.run(&["call", "s", "echo", "--args", "@arguments.json"]).ok();
    assert_eq!(sent(&site), object);
    world.run_with_input(&["call", "s", "echo", "--args", "-"], object).ok();
    assert_eq!(sent(&site), object);
    world.run(&["call", "s", "echo", "--args", object, "text=5"]).ok();
    assert_eq!(sent(&site), r#"{"n":12,"x":{"b":1.50,"a":1e3},"text":"5"}"#);
}

#[test]
fn an_object_over_many_lines_reaches_a_local_server_whole() {
    let world = World::new();
    world.local("s", &echoing());
    let ran = world.run_with_input(
        &["call", "s", "echo", "--args", "-", "--json"],
        "{\n  \"text\": \"a\",\n  \"n\": 1\n}\n",
    );
    assert_eq!(
        ran.ok().json()["result"]["structuredContent"],
        serde_json::json!({"text": "a", "n": 1})
    );
}

#[test]
fn wrong_arguments_are_usage_and_start_nothing() {
    let world = World::new();
    world.server("s", "command = \"touch\"\nargs = [\"started\"]");
    world.write("project/bad.json", "{\n  \"a\": 1,\n  \"a\": 2\n}");
    for (arguments, words) in [
        (&["noequals"][..], "KEY=VALUE"),
        (&["=x"], "KEY=VALUE"),
        (&["a=1", "a=2"], "the argument `a` is given twice"),
        (&["a=1", "--args", r#"{"a":2}"#], "the argument `a` is given twice"),
        (&["--args", r#"{"a":}"#], "expected value at line 1 column 6"),
        (&["--args", "[1]"], "expected an object at line 1"),
        (&["--args", "@bad.json"], "the key `a` stands twice at line 3 column"),
        (&["--args", "@nope.json"], "cannot read nope.json"),
        (&["--timeout-ms", "0"], "0 is not in 1.."),
    ] {
        let ran = world.run(&[&["call", "s", "t"], arguments].concat()).fails_with(2);
        assert!(ran.stderr.contains(words), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.contains("noequals"), "a value may be a secret: {ran:?}");
    }
    assert!(!world.exists("project/started"));
}

#[test]
fn a_value_that_does_not_fit_the_schema_is_named_and_not_sent() {
    let (_runtime, site) = served(echoing());
    let world = remote(&site);
    let ran = world.run(&["call", "s", "echo", "n=five"]).fails_with(1);
    assert!(ran.stderr.contains("the argument `n` is no integer: expected"), "{ran:?}");
    let ran = world.run(&["call", "s", "echo", "n=1.5"]).fails_with(1);
    assert!(ran.stderr.contains("(invalid_argument, ref "), "{ran:?}");
    assert!(!site.visits().iter().any(|visit| visit.posts("tools/call")));
}

#[test]
fn text_is_text_and_the_same_thing_is_not_said_twice() {
    let world = everything();
    let ran = world.run(&["call", "s", "test_simple_text"]).ok();
    assert_eq!(ran.stdout, "This is a simple text response for testing.\n");
    assert_eq!(ran.stderr, "");
    let twice =
        r#"{"content":[{"type":"text","text":"{ \"n\": 2 }"}],"structuredContent":{"n":2}}"#;
    let tools = r#"{"tools":[{"name":"twice"},{"name":"link"}]}"#;
    let link = r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"},{"type":"odd","n":1.50}]}"#;
    world.local(
        "t",
        &Script::legacy()
            .on("tools/list", [Act::answer(tools)])
            .on_call("twice", [Act::answer(twice)])
            .on_call("link", [Act::answer(link)]),
    );
    insta::assert_snapshot!(world.run(&["call", "t", "twice"]).ok().stdout, @r#"
    {
      "n": 2
    }
    "#);
    insta::assert_snapshot!(world.run(&["call", "t", "link"]).ok().stdout, @r#"
    file:///a
    {
      "type": "odd",
      "n": 1.50
    }
    "#);
}

#[test]
fn hidden_text_in_an_output_stays_for_a_program_and_is_seen_by_a_person() {
    let world = World::new();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", [Act::say("a\u{1b}[31mb\tc\u{202e}\nd\u{9b}")]);
    world.local("s", &script);
    let piped = world.run(&["call", "s", "t"]).ok();
    assert_eq!(piped.stdout, "a\u{1b}[31mb\tc\u{202e}\nd\u{9b}\n");
    let seen = world.run_at_terminal(&["-q", "call", "s", "t"], "").ok().stdout;
    // A terminal writes a tab as it likes.
    assert!(seen.contains("a\\u{1b}[31mb") && seen.contains("c\\u{202e}\nd\\u{9b}\n"), "{seen:?}");
    let json = world.run_at_terminal(&["call", "s", "t", "--json"], "").ok();
    assert!(!json.stdout.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{json:?}");
    assert_eq!(json.json()["result"]["content"][0]["text"], "a\u{1b}[31mb\tc\u{202e}\nd\u{9b}");
}

#[test]
fn an_image_goes_into_a_new_file_for_its_owner_alone() {
    let world = everything();
    let call = ["call", "s", "test_multiple_content_types", "--out", "pictures"];
    world.run(&call).fails_with(1);
    std::fs::create_dir(world.project().join("pictures")).unwrap();
    let ran = world.run(&call).ok();
    insta::assert_snapshot!(without_reference(&ran.stdout), @r#"
    Multiple content types test:
    wrote image/png (70 bytes) to pictures/toolgate-<ref>-1.png
    {"test":"data","value":123}
    "#);
    let file = world.project().join("pictures").read_dir().unwrap().next().unwrap().unwrap();
    assert!(std::fs::read(file.path()).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let temporary = world.project().display().to_string();
    let world = everything().with("TMPDIR", &temporary);
    let ran = world.run(&["call", "s", "test_audio_content"]).ok();
    let wrote = format!("wrote audio/wav (44 bytes) to {temporary}/toolgate-<ref>-1.wav\n");
    assert_eq!(without_reference(&ran.stdout), wrote);
}

#[test]
fn as_json_the_result_is_the_one_that_came() {
    let world = everything();
    let ran = world.run(&["call", "s", "test_image_content", "--json"]).ok();
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "schemaVersion": 1,
      "server": "s",
      "tool": "test_image_content",
      "isError": false,
      "result": {"content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}]}
    }
    "#);
}

#[test]
fn a_tool_that_says_it_failed_is_exit_5_with_its_words_on_standard_output() {
    let world = everything();
    let ran = world.run(&["call", "s", "test_error_handling"]).fails_with(5);
    assert_eq!(ran.stdout, "This tool intentionally returns an error for testing\n");
    assert_eq!(ran.stderr, "the tool says that it failed\n");
    let json = world.run(&["call", "s", "test_error_handling", "--json"]).fails_with(5);
    assert_eq!(json.json()["isError"], true);
}

#[test]
fn without_approval_a_call_is_refused_and_does_not_reach_the_server() {
    let (_runtime, site) = served(echoing());
    let world = World::new();
    world.server("s", &format!("url = {:?}", site.url("/mcp")));
    let ran = world.run(&["call", "s", "echo"]).fails_with(6);
    insta::assert_snapshot!(without_reference(&ran.stderr), @r#"
    error: this needs a person's approval, and there is nobody to ask (no_channel) (permission_denied, ref <ref>)
    set approval = "approve" on the server, or for one tool under [servers.s.tools.echo]; for the reason: toolgate explain s echo
    "#);
    let json = world.run(&["call", "s", "echo", "--json"]).fails_with(6);
    insta::assert_snapshot!(without_reference(&json.stdout), @r#"
    {
      "schemaVersion": 1,
      "error": {
        "code": "permission_denied",
        "message": "this needs a person's approval, and there is nobody to ask (no_channel)",
        "hint": "set approval = \"approve\" on the server, or for one tool under [servers.s.tools.echo]; for the reason: toolgate explain s echo",
        "exit": 6,
        "reason": "no_channel",
        "correlationId": "<ref>"
      }
    }
    "#);
    assert!(!site.visits().iter().any(|visit| visit.posts("tools/call")));
}

#[test]
fn one_tool_is_approved_alone_and_auto_takes_a_trusted_servers_word() {
    let tools = r#"{"tools":[{"name":"a.b"},{"name":"c"},{"name":"r","annotations":{"readOnlyHint":true,"openWorldHint":false}}]}"#;
    let mut script = Script::legacy().on("tools/list", [Act::answer(tools)]);
    for tool in ["a.b", "c", "r"] {
        script = script.on_call(tool, [Act::say("done")]);
    }
    let world = World::new();
    let one = "[servers.s.tools.\"a.b\"]\napproval = \"approve\"";
    world.local_with("s", &script, &format!("approval = \"auto\"\n{one}"));
    assert_eq!(world.run(&["call", "s", "a.b"]).ok().stdout, "done\n");
    assert_eq!(world.run(&["call", "s", "r"]).ok().stdout, "done\n");
    world.run(&["call", "s", "c"]).fails_with(6);
    world.local_with("t", &script, "");
    let ran = world.run(&["call", "t", "a.b"]).fails_with(6);
    assert!(ran.stderr.contains("under [servers.t.tools.\"a.b\"]"), "{ran:?}");
}

#[test]
fn a_pending_server_is_exit_8_and_not_started() {
    let world = World::new();
    world.write("project/toolgate.toml", "[servers.s]\ncommand = \"touch\"\nargs = [\"started\"]");
    for verb in
        [&["call", "s", "t"][..], &["resources", "read", "s", "x:"], &["prompts", "get", "s", "p"]]
    {
        let ran = world.run(verb).fails_with(8);
        assert!(ran.stderr.contains("toolgate trust"), "{ran:?}");
    }
    assert!(!world.exists("project/started"));
}

#[test]
fn a_tool_that_is_hidden_reads_as_one_that_is_not_there() {
    let world = World::new();
    world.local_with("s", &echoing(), "approval = \"approve\"\ndisabled_tools = [\"hid*\"]");
    let hidden = world.run(&["call", "s", "hidden"]).fails_with(1).stderr;
    let absent = world.run(&["call", "s", "absent", "a=1"]).fails_with(1).stderr;
    insta::assert_snapshot!(without_reference(&hidden), @"error: there is no `s/hidden` (not_found, ref <ref>)");
    assert_eq!(without_reference(&absent), without_reference(&hidden).replace("hidden", "absent"));
    let unknown = world.run(&["call", "nope", "x"]).fails_with(1).stderr;
    assert!(unknown.contains("MCP server not found: nope"), "{unknown}");
}

#[test]
fn a_server_that_cannot_be_reached_or_wants_a_login_has_its_exit_code() {
    let (_runtime, site) = served(echoing());
    site.let_in_only("nobody-has-this");
    let world = remote(&site);
    world.server("gone", "command = \"sh\"\nargs = [\"-c\", \"echo oh no >&2; exit 3\"]");
    let ran = world.run(&["call", "s", "echo", "--json"]).fails_with(3);
    insta::assert_snapshot!(without_reference(&ran.stdout), @r#"
    {
      "schemaVersion": 1,
      "error": {
        "code": "unauthenticated",
        "message": "s: the server wants a login (HTTP 401): there is no token for it",
        "hint": "log in with: toolgate login s",
        "exit": 3,
        "correlationId": "<ref>"
      }
    }
    "#);
    let ran = world.run(&["call", "gone", "echo", "a=1"]).fails_with(4);
    assert!(ran.stderr.contains("oh no"), "{ran:?}");
}

#[test]
fn a_server_that_ends_or_is_silent_in_the_middle_is_exit_4() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"die"},{"name":"sleep"}]}"#)])
        .on_call("die", [Act::complain("last words"), Act::Exit(7)])
        .on_call("sleep", [Act::hold("never")]);
    let world = World::new();
    world.local("s", &script);
    let ran = world.run(&["call", "s", "die"]).fails_with(4);
    assert!(ran.stderr.contains("is not available (unavailable, ref "), "{ran:?}");
    let ran = world.run(&["-v", "call", "s", "die"]).fails_with(4);
    assert!(ran.stderr.contains("last words"), "{ran:?}");
    let ran = world.run(&["call", "s", "sleep", "--timeout-ms", "300"]).fails_with(4);
    assert!(ran.stderr.contains("no answer within 300 ms (deadline_exceeded, ref "), "{ran:?}");
}

#[test]
fn a_question_that_nobody_answers_is_exit_6() {
    let (_runtime, site) = served(everything::modern());
    let world = remote(&site);
    let tool = "test_input_required_result_list_roots";
    let ran = world.run(&["call", "s", tool, "--json"]).fails_with(6);
    assert!(ran.stderr.contains("nobody here can answer"), "{ran:?}");
    assert_eq!(ran.json()["error"]["code"], "permission_denied");
}

#[test]
fn nothing_stays_behind() {
    let script = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"pid"}]}"#)])
        .on_call("pid", [Act::say("${pid}")])
        .ignoring_end();
    let world = World::new();
    world.local("s", &script);
    let pid = world.run(&["call", "s", "pid"]).ok().stdout;
    assert!(pid.trim().parse::<u32>().is_ok(), "{pid}");
    let alive = std::path::Path::new("/proc").join(pid.trim());
    assert!(!alive.exists(), "the server is gone with the command");
}

#[test]
fn progress_and_log_lines_come_with_v_and_only_then() {
    let world = everything();
    let loud = world.run(&["-v", "call", "s", "test_tool_with_progress"]).ok();
    insta::assert_snapshot!(loud.stderr, @"
    progress: 0/100 0
    progress: 50/100 50
    progress: 100/100 100
    ");
    let quiet = world.run(&["call", "s", "test_tool_with_progress"]).ok();
    assert_eq!(quiet.stderr, "");
    let logged = world.run(&["-v", "call", "s", "test_tool_with_logging"]).ok();
    insta::assert_snapshot!(logged.stderr, @"
    s: info: Tool execution started
    s: info: Tool processing data
    s: info: Tool execution completed
    ");
    assert_eq!(world.run(&["call", "s", "test_tool_with_logging"]).ok().stderr, "");
}
