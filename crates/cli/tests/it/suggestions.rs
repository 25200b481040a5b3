//! What was mistyped gets the nearest thing that there is, and nothing where none is near.

use toolgate_testkit::{Act, Script};

use crate::daemon::house::{Ends, house};
use crate::support::World;

fn script() -> Script {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["read_file", "write_file"].map(tool).join(",");
    Script::legacy().on("tools/list", [Act::answer(format!(r#"{{"tools":[{tools}]}}"#))])
}

fn world() -> World {
    let world = house();
    world.local("files", &script());
    world.local("other", &script());
    let roles = "[bundles.all]\nserver = \"files\"\n[roles.reviewer]\nbundles = [\"all\"]\n";
    let before = world.read(World::GLOBAL);
    world.write(World::GLOBAL, &format!("{before}{roles}"));
    world
}

#[test]
fn a_tool_is_suggested_by_the_name_that_was_nearly_typed() {
    let world = world();
    for (arguments, meant) in [
        (&["call", "files", "raed_file"][..], "did you mean `read_file`?"),
        (&["call", "files__raed_file"], "did you mean `files__read_file`?"),
        (&["call", "raed_file"], "see `toolgate tools`"),
        // Two servers have it.
        (&["call", "read_file"], "did you mean `files__read_file` or `other__read_file`?"),
        (&["call", "files__frobnicate"], "see `toolgate tools --server files`"),
        (&["tools", "show", "files", "raed_file"], "did you mean `read_file`?"),
        (&["tools", "show", "flies__read_file"], "did you mean `files__read_file`?"),
        (&["explain", "files__raed_file"], "did you mean `files__read_file`?"),
    ] {
        let ran = world.run(arguments).fails_with(1);
        assert!(ran.stderr.contains(meant), "{arguments:?}: {ran:?}");
    }
    let ran = world.run(&["explain", "files", "raed_file"]).ok();
    assert!(ran.stderr.contains("no such tool; did you mean `read_file`?"), "{ran:?}");
}

#[test]
fn what_is_hidden_is_not_suggested() {
    let world = World::new();
    world.local_with("files", &script(), "approval = \"approve\"\ndisabled_tools = [\"read*\"]");
    let ran = world.run(&["call", "files", "raed_file"]).fails_with(1);
    assert!(!ran.stderr.contains("did you mean"), "{ran:?}");
}

#[test]
fn so_are_roles_entries_tokens_and_outcomes() {
    let world = world();
    let _ends = Ends(&world);
    world.write("project/toolgate.toml", "[servers.notes]\ncommand = \"x\"\n");
    world.run(&["token", "create", "laptop"]).ok();
    for (arguments, exit, meant) in [
        (&["tools", "--role", "reviewr"][..], 1, "did you mean `reviewer`?"),
        (&["token", "create", "ci", "--role", "reviewr"], 1, "did you mean `reviewer`?"),
        (&["token", "revoke", "labtop"], 1, "did you mean `laptop`?"),
        (&["trust", "ntoes"], 1, "did you mean `notes`?"),
        (&["audit", "--outcome", "don"], 2, "a similar value exists: 'done'"),
        (&["lits"], 2, "'list'"),
    ] {
        let ran = world.run(arguments).fails_with(exit);
        assert!(ran.stderr.contains(meant), "{arguments:?}: {ran:?}");
    }
    let ran = world.run(&["stdio", "--role", "reviewr"]).fails_with(1);
    assert!(ran.stderr.contains("did you mean `reviewer`?"), "{ran:?}");
    let ran = world.run(&["audit", "--server", "flies"]).ok();
    assert_eq!(ran.stderr, "did you mean `files`?\n");
    world.run(&["token", "create", "ci", "--role", "reviewer"]).ok();
}

#[test]
fn and_what_bundles_and_roles_name() {
    let world = World::new();
    let text = "[servers.files]\ncommand = \"x\"\n[bundles.reading]\nserver = \"flies\"\n\
                allow_tools = []\n[bundles.all]\nserver = \"files\"\n[roles.r]\nbundles = [\"al\"]\n";
    world.write(World::GLOBAL, text);
    let ran = world.run(&["config", "check"]).fails_with(1);
    // Wrong in two ways, and told of both.
    assert!(ran.stdout.contains("an allow list cannot be empty"), "{ran:?}");
    assert!(ran.stdout.contains("Unknown serverId 'flies' referenced by bundle 'reading'"));
    assert!(ran.stdout.contains("help: did you mean `files`?"), "{ran:?}");
    assert!(ran.stdout.contains("help: did you mean `all`?"), "{ran:?}");
}
