//! `enable` and `disable`.

use crate::support::World;

/// Shows: S1-40, S1-41.
#[test]
fn disable_and_enable_change_one_key_in_the_scope_asked_for() {
    let world = World::new();
    world.write("project/toolgate.toml", "# ours\n[servers.a]\ncommand = \"x\" # keep\n");
    world.write(World::GLOBAL, "[servers.b]\ncommand = \"x\"\n");
    let ran = world.run(&["mcp", "disable", "a"]).ok();
    insta::assert_snapshot!(ran.stderr, @"
    disabled server a in toolgate.toml (project scope)
    undo with: toolgate enable a --scope project
    ");
    insta::assert_snapshot!(world.read("project/toolgate.toml"), @r#"
    # ours
    [servers.a]
    command = "x" # keep
    enabled = false
    "#);
    world.run(&["disable", "b", "--scope", "global"]).ok();
    insta::assert_snapshot!(world.run(&["list"]).ok().stdout, @"
    id  transport  source   enabled  trust
    b   stdio      global   false    trusted
    a   stdio      project  false    pending
    ");
    world.run(&["mcp", "enable", "a"]).ok();
    assert!(world.read("project/toolgate.toml").contains("enabled = true"));
    let ran = world.run(&["disable", "b", "--scope", "project"]).fails_with(1);
    assert!(ran.stderr.contains("pass --scope global"), "{ran:?}");
}

#[test]
fn a_server_that_one_scope_has_is_switched_there_and_one_that_both_have_in_the_project() {
    let world = World::new();
    let entry = |id: &str| format!("[servers.{id}]\ncommand = \"x\"\n");
    world.write("project/toolgate.toml", &entry("both"));
    world.write(World::GLOBAL, &[entry("both"), entry("mine")].concat());
    let ran = world.run(&["disable", "mine"]).ok();
    assert!(ran.stderr.contains("(global scope)"), "{ran:?}");
    let ran = world.run(&["enable", "mine"]).ok();
    assert!(ran.stderr.contains("(global scope)"), "{ran:?}");
    let ran = world.run(&["disable", "both"]).ok();
    assert!(ran.stderr.contains("(project scope)"), "{ran:?}");
    let ran = world.run(&["disable", "nobodys"]).fails_with(1);
    assert!(ran.stderr.contains("no server in project scope: nobodys"), "{ran:?}");
}

#[test]
fn short_forms_mean_what_the_long_ones_mean() {
    let world = World::new();
    world.run(&["add", "a", "-s", "global", "-e", "K=v", "--", "x"]).ok();
    let remote = ["add", "b", "-s", "global", "-t", "http", "-H", "X-Team: core"];
    world.run(&[&remote[..], &["--url", "https://example.com/mcp"]].concat()).ok();
    let file = world.read(World::GLOBAL);
    for written in ["K = \"v\"", "X-Team", "core", "https://example.com/mcp"] {
        assert!(file.contains(written), "{written}: {file}");
    }
    let listed = world.run(&["ls", "-s", "global"]).ok().stdout;
    assert_eq!(listed, world.run(&["list", "--scope", "global"]).ok().stdout);
    world.run(&["rm", "a", "-s", "global"]).ok();
    assert!(!world.run(&["ls"]).ok().stdout.contains("stdio"));
}

#[test]
fn switching_at_a_terminal_keeps_an_acceptance_and_otherwise_asks_again() {
    let world = World::new();
    world.run_at_terminal(&["add", "a", "--", "x"], "n\n").ok();
    world.run_at_terminal(&["disable", "a"], "").ok();
    world.run_at_terminal(&["enable", "a"], "").ok();
    assert!(world.run(&["list"]).ok().stdout.contains("true     trusted"));
    world.run(&["disable", "a"]).ok();
    assert!(world.run(&["list"]).ok().stdout.contains("false    pending"));
}
