//! The logs of a run: what is in the file and on standard error, and what never is.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::Value;
use toolgate_testkit::{Act, Script};

use crate::support::{World, served};

const FOLDER: &str = "home/.local/state/toolgate/logs";
const FILE: &str = "home/.local/state/toolgate/logs/toolgate.log";

/// Five megabytes, where a file is full.
const FULL: usize = 5 * 1024 * 1024;

const SECRET: &str = "canary-7f3e9d21-in-clear";

/// A server whose tools talk beside the point.
fn talkative() -> Script {
    let said = |level: &str, data: &str| {
        let params = format!(r#"{{"level":"{level}","logger":"inner","data":{data}}}"#);
        Act::notify("notifications/message", &params)
    };
    let tools = r#"{"tools":[{"name":"talk"},{"name":"leak"},{"name":"fail"}]}"#;
    Script::legacy()
        .offering(r#"{"tools":{},"logging":{}}"#)
        .on("logging/setLevel", [Act::answer("{}")])
        .on("tools/list", [Act::answer(tools)])
        .on_call(
            "talk",
            [Act::complain("plain \u{202e}words"), said("debug", r#""small""#), Act::say("done")],
        )
        .on_call(
            "leak",
            [
                Act::complain(&format!("using token {SECRET} now")),
                // Cut where a line is cut, half of it would still be a secret.
                Act::complain(&format!("{} {SECRET}", "x".repeat(4086))),
                said("warning", &format!(r#""the token is {SECRET}""#)),
                said("error", &format!(r#"{{"headers":["x {SECRET}"],"password":"tiny"}}"#)),
                Act::say("done"),
            ],
        )
        .on_call("fail", [Act::refuse(-32000, "no such luck")])
}

fn world() -> World {
    let world = World::new();
    let keys = format!("approval = \"approve\"\nenv = {{ TOKEN = {SECRET:?} }}");
    world.local_with("s", &talkative(), &keys);
    world
}

fn parsed(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The lines with this message.
fn with_message<'a>(lines: &'a [Value], message: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["message"] == message).collect()
}

/// Shows: S3-45.
#[test]
fn a_call_leaves_lines_with_the_reference_that_its_error_names() {
    let world = world().with("TOOLGATE_LOG", "debug");
    let ran = world.run(&["call", "s", "fail"]);
    assert_ne!(ran.code, 0);
    let lines = parsed(&world.read(FILE));
    let (began, ended) =
        (with_message(&lines, "call began")[0], with_message(&lines, "call ended")[0]);
    let reference = ended["call"].as_str().unwrap();
    assert!(ran.stderr.contains(reference), "{reference}: {ran:?}");
    assert_eq!(began["call"], reference);
    assert_eq!((&ended["server"], &ended["name"]), (&"s".into(), &"fail".into()));
    assert_eq!((&ended["operation"], &ended["ending"]), (&"call".into(), &"failed".into()));
    assert_eq!(ended["code"], "internal");
    assert!(ended["duration_us"].is_u64(), "{ended}");
    assert!(ended["timestamp"].is_string() && ended["pid"].is_u64(), "{ended}");
    assert_eq!((&began["level"], &ended["level"]), (&"DEBUG".into(), &"ERROR".into()));
    let states = with_message(&lines, "server state");
    assert!(states.iter().any(|line| line["state"] == "ready"), "{lines:#?}");
    assert_eq!(with_message(&lines, "run began").len(), 1);
    assert_eq!(lines.last().unwrap()["message"], "run ended");
}

/// Shows: S4-27.
#[test]
fn what_a_server_writes_to_standard_error_and_says_is_in_the_file_and_nowhere_else() {
    let world = world();
    let ran = world.run(&["call", "s", "talk"]).ok();
    assert_eq!(ran.stderr, "");
    let text = world.read(FILE);
    assert!(text.contains("plain \\u202ewords"), "{text}");
    let lines = parsed(&text);
    let complaint = with_message(&lines, "server stderr")[0];
    assert_eq!((&complaint["server"], &complaint["level"]), (&"s".into(), &"INFO".into()));
    // What a server says at `debug` is not for the usual level.
    assert_eq!(with_message(&lines, "server says").len(), 0);
    world.run(&["call", "s", "talk", "--log-level", "debug"]).ok();
    let lines = parsed(&world.read(FILE));
    let said = with_message(&lines, "server says")[0];
    assert_eq!((&said["data"], &said["logger"]), (&"small".into(), &"inner".into()));
}

#[test]
fn a_flag_brings_the_lines_to_standard_error_as_text_or_json() {
    let world = world();
    let text = world.run(&["call", "s", "talk", "--log-level", "info"]).ok();
    assert_eq!(text.stdout, "done\n");
    let line = text.stderr.lines().find(|line| line.contains("server stderr")).unwrap();
    assert!(line.contains(" INFO server stderr "), "{line}");
    assert!(line.ends_with(r#"server="s" line="plain \u{202e}words""#), "{line}");
    assert!(text.stderr.lines().any(|line| line.contains("run ended")), "{text:?}");
    assert!(!text.stderr.contains("call ended"), "what went well has its record: {text:?}");
    let json =
        world.run(&["--log-format", "json", "--log-level", "debug", "call", "s", "talk"]).ok();
    let lines = parsed(&json.stderr);
    assert_eq!(with_message(&lines, "call ended")[0]["ending"], "done");
    let few = world.run(&["--log-format", "json", "--log-level", "warn", "call", "s", "fail"]);
    let (logged, _error) = few.stderr.split_once("error:").unwrap();
    let messages: Vec<Value> =
        parsed(logged).into_iter().map(|line| line["message"].clone()).collect();
    assert_eq!(messages, ["call ended"]);
}

/// Shows: S1-85, S3-31, S3-35.
#[test]
fn a_secret_that_a_server_repeats_is_in_clear_neither_in_the_file_nor_on_standard_error() {
    let world = world();
    for flags in [&["-v"][..], &["--log-level", "trace"], &["-v", "--log-format", "json"]] {
        let ran = world.run(&[&["call", "s", "leak"], flags].concat()).ok();
        assert!(!ran.stderr.contains("canary"), "{ran:?}");
        assert!(!ran.stderr.contains("tiny"), "{ran:?}");
        assert!(ran.stderr.contains("the token is ***"), "{ran:?}");
    }
    let text = world.read(FILE);
    assert!(!text.contains("canary") && !text.contains("tiny"), "{text}");
    let lines = parsed(&text);
    assert_eq!(with_message(&lines, "server stderr")[0]["line"], "using token *** now");
    let said = with_message(&lines, "server says");
    assert_eq!((&said[0]["data"], &said[0]["level"]), (&"the token is ***".into(), &"WARN".into()));
    assert_eq!(said[1]["data"], r#"{"headers":["x ***"],"password":"***"}"#);
}

#[test]
fn two_runs_that_rotate_at_once_lose_no_line_and_keep_the_bound() {
    let world = world();
    let old = |number: usize| format!("{{\"message\":\"old\",\"number\":{number:080}}}\n");
    let old: String = (0..FULL / old(0).len()).map(old).collect();
    world.write(FILE, &old);
    world.write(&format!("{FILE}.4"), "the oldest\n");
    world.write(&format!("{FILE}.3"), "not so old\n");
    let begin = |_| {
        let mut command = world.command(&["call", "s", "talk"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..2).map(begin).collect();
    let pids: BTreeSet<u64> = runs.iter().map(|run| u64::from(run.id())).collect();
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    let (current, aside) = (world.read(FILE), world.read(&format!("{FILE}.1")));
    assert!(aside.starts_with(&old), "what was there is there");
    assert!(current.len() < FULL && aside.len() < FULL + 4096);
    let lines = parsed(&format!("{}{current}", &aside[old.len()..]));
    for message in ["run began", "server stderr", "run ended"] {
        let lines = with_message(&lines, message);
        let writers: BTreeSet<u64> =
            lines.iter().map(|line| line["pid"].as_u64().unwrap()).collect();
        assert_eq!((lines.len(), &writers), (2, &pids), "{message}");
    }
    assert_eq!(world.read(&format!("{FILE}.4")), "not so old\n");
    assert!(!world.exists(&format!("{FILE}.5")) && !world.exists(&format!("{FILE}.3")));
}

#[test]
fn a_folder_that_cannot_be_written_costs_one_warning_and_nothing_else() {
    let world = world();
    world.write(FOLDER, "in the way");
    let ran = world.run(&["call", "s", "talk"]).ok();
    assert_eq!(ran.stdout, "done\n");
    assert!(ran.stderr.starts_with("warning: no log is written: "), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert_eq!(world.run(&["-q", "call", "s", "talk"]).ok().stderr, "");
    // Who asked for lines on standard error still gets them.
    let ran = world.run(&["call", "s", "talk", "--log-level", "info"]).ok();
    assert!(ran.stderr.contains("run ended"), "{ran:?}");
}

#[test]
fn the_log_is_for_its_owner_only() {
    let world = world();
    world.run(&["call", "s", "talk"]).ok();
    let folder = world.home().join(".local/state/toolgate/logs");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("toolgate.log")), 0o600);
}

#[test]
fn a_variable_says_how_much_is_logged_and_a_flag_overrides_it() {
    let off = world().with("TOOLGATE_LOG", "off");
    assert_eq!(off.run(&["call", "s", "talk"]).ok().stderr, "");
    assert!(!off.exists(FOLDER));
    off.run(&["call", "s", "talk", "--log-level", "info"]).ok();
    assert!(off.read(FILE).contains("run ended"));
    let error = world().with("TOOLGATE_LOG", "ERROR");
    error.run(&["call", "s", "leak"]).ok();
    let lines = parsed(&error.read(FILE));
    assert_eq!(lines.len(), with_message(&lines, "server says").len());
    let odd = world().with("TOOLGATE_LOG", "loud");
    let ran = odd.run(&["call", "s", "talk"]).ok();
    assert!(ran.stderr.starts_with("warning: TOOLGATE_LOG is none of off, error"), "{ran:?}");
    assert!(odd.read(FILE).contains("run ended"));
    odd.run(&["list", "--log-level", "loud"]).fails_with(2);
}

#[test]
fn what_other_peoples_libraries_say_to_themselves_is_left_out() {
    let (_runtime, site) = served(talkative());
    let world = World::new();
    let url = site.url("/mcp");
    world.server("s", &format!("transport = \"http\"\napproval = \"approve\"\nurl = {url:?}"));
    world.run(&["call", "s", "fail", "--log-level", "trace"]).fails_with(1);
    let lines = parsed(&world.read(FILE));
    let is_ours = |line: &Value| {
        let target = line["target"].as_str().unwrap();
        target == "toolgate" || target.starts_with("toolgate_")
    };
    assert!(lines.len() > 3 && lines.iter().all(is_ours), "{lines:#?}");
}

#[test]
fn verbs_that_start_no_server_write_no_log() {
    let world = world();
    world.run(&["list", "--log-level", "debug"]).ok();
    assert!(!world.exists(FOLDER));
}
