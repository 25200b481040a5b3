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
    let ran = world.run(&["disable", "b"]).fails_with(1);
    assert!(ran.stderr.contains("pass --scope global"), "{ran:?}");
}

#[test]
fn switching_at_a_terminal_keeps_an_acceptance_and_otherwise_asks_again() {
    let world = World::new();
    world.run_at_terminal(&["add", "a", "--", "x"], "").ok();
    world.run_at_terminal(&["disable", "a"], "").ok();
    world.run_at_terminal(&["enable", "a"], "").ok();
    assert!(world.run(&["list"]).ok().stdout.contains("true     trusted"));
    world.run(&["disable", "a"]).ok();
    assert!(world.run(&["list"]).ok().stdout.contains("false    pending"));
}
