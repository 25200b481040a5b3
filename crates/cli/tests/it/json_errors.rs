//! With `--json` every failure is an object, and the same failure ends in the same way whatever the verb.

use serde_json::Value;
use toolgate_testkit::{Act, Script};

use crate::support::{World, served};

/// The one document of a run that fails so.
#[track_caller]
fn error(world: &World, arguments: &[&str], exit: i32) -> Value {
    let ran = world.run(&[&["--json"], arguments].concat()).fails_with(exit);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    assert!(json.is_object(), "{arguments:?}: not one document: {ran:?}");
    assert_eq!(json["schemaVersion"], 1, "{arguments:?}");
    let error = json["error"].clone();
    assert_eq!(error["exit"], exit, "{arguments:?}: {json}");
    assert!(!error["message"].as_str().unwrap_or_default().is_empty(), "{arguments:?}: {json}");
    assert!(!error["code"].as_str().unwrap_or_default().is_empty(), "{arguments:?}: {json}");
    error
}

#[test]
fn a_server_that_is_not_configured_is_the_same_error_for_every_verb() {
    let world = World::new();
    world.server("files", "command = \"true\"");
    for arguments in [
        &["get", "flies"][..],
        &["test", "flies"],
        &["tools", "--server", "flies"],
        &["tools", "show", "flies", "x"],
        &["call", "flies", "x"],
        &["explain", "flies", "x"],
        &["resources", "read", "flies", "x"],
        &["resources", "list", "--server", "flies"],
        &["prompts", "get", "flies", "x"],
        &["pins", "diff", "flies"],
        &["pins", "accept", "flies"],
        &["enable", "flies"],
        &["disable", "flies"],
        &["remove", "flies"],
    ] {
        let error = error(&world, arguments, 1);
        assert_eq!(error["code"], "not_found", "{arguments:?}: {error}");
        assert_eq!(error["hint"], "did you mean `files`?", "{arguments:?}: {error}");
    }
}

#[test]
fn so_are_one_that_is_pending_disabled_unreachable_or_wants_a_login() {
    let (_runtime, site) = served(Script::legacy());
    site.let_in_only("somebody-else");
    let world = World::new();
    world.write("project/toolgate.toml", "[servers.new]\ncommand = \"x\"\n");
    world.server("off", "command = \"x\"\nenabled = false");
    world.server("gone", "command = \"/no/such/command\"");
    world.server("login", &format!("transport = \"http\"\nurl = {:?}", site.url("/mcp")));
    for (id, exit) in [("new", 8), ("off", 1), ("gone", 4), ("login", 3)] {
        for arguments in [
            &["tools", "--server", id][..],
            &["tools", "show", id, "x"],
            &["call", id, "x"],
            &["call", &format!("{id}__x")],
            &["resources", "read", id, "x"],
            &["prompts", "list", "--server", id],
            &["test", id],
        ] {
            // One that is switched off can be tried.
            if (arguments[0], id) == ("test", "off") {
                continue;
            }
            let error = error(&world, arguments, exit);
            if id == "login" {
                let hint = error["hint"].as_str().unwrap();
                assert!(hint.contains("toolgate login login"), "{arguments:?}: {error}");
            }
        }
    }
}

#[test]
fn arguments_that_make_no_sense_are_one_too() {
    let world = World::new();
    world.server("files", "command = \"true\"");
    for (arguments, words, hint) in [
        (&["lis"][..], "unrecognized subcommand", "list"),
        (&["list", "--scop", "global"], "unexpected argument", "--scope"),
        (&["audit", "--outcome", "faild"], "invalid value 'faild'", "'failed'"),
        (&["get"], "required arguments were not provided", ""),
        (&["call", "files"], "which of its tools?", "toolgate tools --server files"),
        (&["connect", "codx"], "no client is called `codx`", "did you mean `codex`?"),
        (&["import", "codx"], "is no client and no file", "did you mean `codex`?"),
        (&[], "a command is missing", ""),
    ] {
        let error = error(&world, arguments, 2);
        assert_eq!(error["code"], "invalid_argument", "{arguments:?}");
        assert!(error["message"].as_str().unwrap().contains(words), "{arguments:?}: {error}");
        assert!(error["hint"].as_str().unwrap_or_default().contains(hint), "{error}");
    }
    // What stands after `--` is for somebody else.
    let ran = world.run(&["frobnicate", "--", "--json"]).fails_with(2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn other_verbs_have_one_as_well() {
    let world = World::new();
    world.write("project/toolgate.toml", "[servers.new]\ncommand = \"x\"\n");
    for (arguments, exit) in [
        (&["status"][..], 4),
        (&["approvals"], 4),
        (&["approve", "k3x9f2a"], 4),
        (&["trust"], 8),
        (&["trust", "nwe"], 1),
        (&["add", "new", "--", "x"], 1),
        (&["add-json", "x", "[]"], 2),
        (&["audit", "show", "nope"], 1),
        (&["disconnect", "codex"], 1),
        (&["token", "revoke", "nope"], 1),
        (&["token", "create", "ci", "--role", "nope"], 1),
        (&["tools", "--role", "nope"], 1),
        (&["stop", "new"], 4),
        (&["restart", "new"], 4),
        (&["--config", "nowhere.toml", "list"], 1),
        (&["--config", "nowhere.toml", "tools"], 1),
    ] {
        error(&world, arguments, exit);
    }
}

#[test]
fn what_a_server_said_over_several_lines_is_printed_so() {
    let world = World::new();
    let words = "first line\nsecond line";
    let script = Script::legacy().at_start([Act::complain(words), Act::Exit(3)]);
    world.local("s", &script);
    for arguments in
        [&["tools"][..], &["tools", "--server", "s"], &["call", "s", "x"], &["test", "s"]]
    {
        let ran = world.run(arguments).fails_with(4);
        // And not so that it could be taken for a line of ours.
        assert!(ran.stderr.contains("first line\n  second line\n"), "{arguments:?}: {ran:?}");
    }
}
