//! Walls as a person meets them: a project's server that starts, `sandbox run`, `sandbox explain`,
//! `doctor`, and a machine without any.

#![allow(clippy::print_stderr, reason = "what cannot be shown here is said")]

use std::process::Command;

use serde_json::json;
use toolgate_testkit::{Act, Script};

use crate::approvals::asking::{asked, asking_window, say};
use crate::daemon::house::{Ends, house, servers};
use crate::serve::surface::codex;
use crate::support::{World, peer_path};

/// Whether walls can be built here; where they cannot, nothing below can be shown, and it is said.
pub(crate) fn has_walls() -> bool {
    let ran = World::new().run(&["sandbox", "run", "--", "true"]);
    if ran.code == 0 {
        return true;
    }
    assert!(ran.stderr.contains("does not let walls be built"), "{ran:?}");
    eprintln!("SKIPPED: {}", ran.stderr);
    false
}

/// A world whose project has one local server, `s`, that nothing was said about but its command.
fn with_project_server() -> World {
    let world = World::new();
    let script = Script::legacy().on(
        "tools/list",
        [Act::answer(r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}"#)],
    );
    let script = world.write("project/script.json", &script.to_argument());
    let entry = format!("[servers.s]\ncommand = {:?}\nargs = [{script:?}]\n", peer_path());
    world.write("project/toolgate.toml", &entry);
    world
}

/// Shows: S3-52.
#[test]
fn a_local_server_of_a_project_starts_behind_walls() {
    if !has_walls() {
        return;
    }
    let world = with_project_server();
    world.run(&["test", "s"]).fails_with(8);
    world.run_at_terminal(&["trust", "s", "--trusted"], "y\n").ok();
    let ran = world.run(&["test", "s"]).ok();
    assert!(ran.stdout.contains("offers 1 tool"), "{ran:?}");
    let shown = world.run(&["sandbox", "explain", "s"]).ok().stdout;
    let shown = world.steady(&shown);
    assert!(shown.starts_with("writes\n  <world>/project\n"), "{shown}");
    assert!(shown.contains("reaches\n  nothing\n"), "{shown}");
    assert!(shown.contains("  <world>/project/toolgate.toml\n"), "{shown}");
    // More is a word in the file.
    let entry = world.read("project/toolgate.toml");
    world.write("project/toolgate.toml", &format!("{entry}allow_network = true\n"));
    let shown = world.run(&["sandbox", "explain", "s"]).ok().stdout;
    assert!(shown.contains("reaches\n  the whole network\n"), "{shown}");
    world.write("project/toolgate.toml", &format!("{entry}sandbox_profile = \"none\"\n"));
    let shown = world.run(&["sandbox", "explain", "s"]).ok().stdout;
    assert!(shown.starts_with("s runs as you do: without walls"), "{shown}");
}

/// The real one is played by `scripts/codex-behind-walls.sh`; here are its tools, in a project that says
/// nothing of approval or sandbox.
///
/// Shows: S3-58.
#[test]
fn codex_and_its_reply_keep_their_names_and_arguments_behind_approval_and_walls() {
    if !has_walls() {
        return;
    }
    let world = house().with("TERM", "xterm");
    let settings = "[approval]\nfastest_answer_ms = 0\n[limits]\nlist_wait_ms = 20000\n[gateway]\nnaming = \"bare\"\n";
    world.write(World::GLOBAL, settings);
    let script = world.write("project/script.json", &codex().to_argument());
    let entry = format!("[servers.codex]\ncommand = {:?}\nargs = [{script:?}]\n", peer_path());
    world.write("project/toolgate.toml", &entry);
    world.run_at_terminal(&["trust", "codex", "--trusted"], "y\n").ok();
    let shown = world.run(&["sandbox", "explain", "codex"]).ok().stdout;
    assert!(shown.contains("reaches\n  nothing\n"), "{shown}");
    let _ends = Ends(&world);
    let mut window = asking_window(&world);
    let tools = window.ask("tools/list", json!({}))["result"]["tools"].take();
    let names = [&tools[0]["name"], &tools[1]["name"]];
    assert_eq!(names, [&json!("codex"), &json!("codex-reply")], "{tools}");
    assert_eq!(tools[1]["x-own"].to_string(), "1.0", "as it was written");
    let allowed = json!({"action": "accept", "content": {"decision": "once"}});
    let arguments = json!({"prompt": "go", "approval-policy": "never", "config": {"a": [1, null]}});
    let mut call = |tool: &str| {
        let id = window.send("tools/call", json!({"name": tool, "arguments": arguments}));
        let (question, form) = asked(&mut window);
        let text = form["message"].as_str().unwrap().to_owned();
        say(&mut window, &question, &allowed);
        (text, window.answer(id))
    };
    let (text, answer) = call("codex");
    assert!(
        text.contains("codex/codex") && text.contains("\"approval-policy\": \"never\""),
        "{text}"
    );
    let content = &answer["result"]["structuredContent"];
    assert_eq!(*content, json!({"threadId": "t", "content": arguments}), "{answer}");
    let (text, answer) = call("codex-reply");
    assert!(text.contains("codex/codex-reply"), "{text}");
    assert_eq!(answer["error"]["code"], -32001, "its own word: {answer}");
    // And what runs is behind walls: in no namespace of ours.
    let own = std::fs::read_link("/proc/self/ns/mnt").unwrap();
    let running = servers(&world);
    assert!(!running.is_empty());
    for pid in running {
        let theirs = std::fs::read_link(format!("/proc/{pid}/ns/mnt")).unwrap();
        assert_ne!(theirs, own, "{pid}");
    }
}

#[test]
fn what_a_command_tool_may_do_is_shown_too() {
    let world = World::new();
    let entry = "[tools.show]\ncommand = \"cat\"\nargs = [\"{{file}}\"]\nreadable = [\"~/shared\"]\n\
                 allow_network = [\"example.com\"]\n\
                 input_schema = { type = \"object\", properties = { file = { type = \"string\" } } }\n";
    world.write(World::GLOBAL, entry);
    world.write("home/shared/file", "");
    let shown = world.run(&["sandbox", "explain", "local", "show"]).ok().stdout;
    let shown = world.steady(&shown);
    assert!(shown.starts_with("writes\n  <world>/project\n"), "{shown}");
    assert!(shown.contains("  <world>/home/shared\n"), "{shown}");
    assert!(shown.contains("reaches\n  example.com:443\n"), "{shown}");
    let shown = world.run(&["sandbox", "explain", "local", "show", "--json"]).ok().json();
    assert_eq!(shown["network"], serde_json::json!(["example.com:443"]));
    world.run(&["sandbox", "explain", "local", "other"]).fails_with(1);
    world.run(&["sandbox", "explain", "local"]).fails_with(2);
}

#[test]
fn a_command_runs_behind_walls_around_this_folder() {
    if !has_walls() {
        return;
    }
    let world = World::new();
    world.write("home/.ssh/id_test", "canary");
    let words = "cat; echo mine > made; echo no > ../beside; cat ~/.ssh/id_test; exit 7";
    let ran = world.run_with_input(&["sandbox", "run", "--", "sh", "-c", words], "typed\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (7, "typed\n"), "{ran:?}");
    assert_eq!(world.read("project/made"), "mine\n");
    assert!(!world.exists("beside") && !ran.stdout.contains("canary"), "{ran:?}");
    let ran = world.run(&["sandbox", "run", "--readable", "~/.ssh", "--", "cat", &{
        world.home().join(".ssh/id_test").display().to_string()
    }]);
    assert_eq!(ran.ok().stdout, "canary");
}

/// What is learned from a run lets the same command run behind walls.
#[test]
fn what_learning_prints_is_what_a_run_needs() {
    if !has_walls() {
        return;
    }
    let world = World::new();
    world.write("home/.ssh/id_test", "canary");
    for name in ["a", "b", "c"] {
        world.write(&format!("home/shared/{name}/file"), "shared\n");
    }
    let words = "set -e; cat ~/shared/a/file ~/shared/b/file ~/shared/c/file; echo mine > made; \
                 cat ~/.ssh/id_test || true";
    let command = ["--", "sh", "-c", words];
    world.run(&[["sandbox", "run"].as_slice(), &command].concat()).fails_with(1);
    let learned = world.run(&[["sandbox", "learn"].as_slice(), &command].concat()).ok();
    assert_eq!(learned.stdout, "readable = [\"~/shared\"]\nwritable = []\nallow_network = false\n");
    assert!(learned.stderr.starts_with("shared\nshared\nshared\n"), "{learned:?}");
    assert!(!learned.stderr.contains("canary"), "{learned:?}");
    // As an entry has it.
    let entry = format!("[tools.t]\ncommand = \"sh\"\n{}", learned.stdout);
    world.write(World::GLOBAL, &entry);
    world.run(&["config", "check"]).ok();
    let line = [["sandbox", "run", "--readable", "~/shared"].as_slice(), &command].concat();
    assert_eq!(world.run(&line).ok().stdout, "shared\nshared\nshared\n");
    let learned =
        world.run(&["sandbox", "learn", "--json", "--", "sh", "-c", "exit 7"]).fails_with(7);
    assert_eq!(learned.json()["readable"], serde_json::json!([]), "{learned:?}");
    assert!(learned.stderr.contains("what it would have needed after that is not known"));
}

/// Where a person wants it, `bwrap` builds the outer wall; where it is missing, nothing runs and it is said
/// what to do.
#[test]
fn bubblewrap_builds_the_walls_where_it_is_asked_for() {
    let world = World::new();
    world.write(World::GLOBAL, "[sandbox]\nouter = \"bwrap\"\n");
    let without = World::new().with("PATH", "/nowhere");
    without.write(World::GLOBAL, "[sandbox]\nouter = \"bwrap\"\n");
    let ran = without.run(&["sandbox", "run", "--", "/bin/true"]).fails_with(1);
    assert!(ran.stderr.contains("`bwrap` is to build them and is in no folder of PATH"), "{ran:?}");
    let doctor = without.run(&["doctor"]);
    assert!(doctor.stdout.contains("sandbox: no walls"), "{doctor:?}");
    assert!(doctor.stdout.contains("Install bubblewrap (0.8 or newer)"), "{doctor:?}");
    if !has_walls() || !std::path::Path::new("/usr/bin/bwrap").exists() {
        return eprintln!("SKIPPED: there is no bwrap here (package bubblewrap)");
    }
    let words = "echo mine > made; cat /proc/1/comm; hostname";
    let ran = world.run(&["sandbox", "run", "--", "sh", "-c", words]).ok();
    assert_eq!(ran.stdout, "gate-reap\nsandbox\n", "{ran:?}");
    assert_eq!(world.read("project/made"), "mine\n");
    let doctor = world.run(&["doctor"]);
    assert!(doctor.stdout.contains("walls are built by bwrap"), "{doctor:?}");
}

/// Shows: C23.
#[test]
fn without_any_mechanism_nothing_starts_and_it_is_said_why() {
    let world = with_project_server();
    world.run_at_terminal(&["trust", "s", "--trusted"], "y\n").ok();
    // A machine that lets nobody have namespaces: every one below this one has none left.
    let line = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let bare = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", line, "sh"]);
        command.arg(assert_cmd::cargo::cargo_bin!("toolgate")).args(arguments);
        command.current_dir(world.project()).env_clear().envs(world.environment());
        world.ran(command.output().unwrap())
    };
    let may = Command::new("unshare").args(["--user", "--map-root-user", "true"]).status();
    if !may.is_ok_and(|status| status.success()) {
        return eprintln!("SKIPPED: `unshare` does not work here");
    }
    let ran = bare(&["test", "s"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("does not let walls be built"), "{ran:?}");
    let tools = bare(&["tools", "--standalone"]);
    assert!(!tools.stdout.contains("s__a"), "{tools:?}");
    assert!(tools.stderr.contains("does not let walls be built"), "{tools:?}");
    let doctor = bare(&["doctor"]);
    assert!(doctor.stdout.contains("wrong  sandbox: no walls"), "{doctor:?}");
    assert!(doctor.stdout.contains("user.max_user_namespaces"), "{doctor:?}");
    // Elsewhere a profile that this system does not have is a mistake in the file.
    world.write(
        "project/toolgate.toml",
        "[servers.s]\ncommand = \"x\"\nsandbox_profile = \"seatbelt\"\n",
    );
    let ran = world.run(&["config", "check"]).fails_with(1);
    assert!(ran.stdout.contains("seatbelt-elsewhere"), "{ran:?}");
}
