//! `remove`: one scope only, and nothing silent.

use crate::support::World;

/// Shows: S1-39, S1-48.
#[test]
fn removing_in_the_project_leaves_the_global_definition_in_effect() {
    let world = World::new();
    world.run(&["add", "docs", "https://global.example/mcp", "--scope", "global"]).ok();
    world.run(&["add", "docs", "https://project.example/mcp"]).ok();
    let ran = world.run(&["mcp", "remove", "docs"]).ok();
    insta::assert_snapshot!(ran.stderr, @r#"
    removed server docs from toolgate.toml (project scope)
    undo with: toolgate add-json docs '{"url":"https://project.example/mcp"}' --scope project
    the one of global scope is in effect now
    "#);
    let shown = world.run(&["get", "docs"]).ok().stdout;
    assert!(shown.contains("https://global.example/mcp"), "{shown}");
}

#[test]
fn a_missing_server_is_an_error_that_says_where_it_is() {
    let world = World::new();
    world.run(&["add", "docs", "https://global.example/mcp", "--scope", "global"]).ok();
    let ran = world.run(&["remove", "docs"]).fails_with(1);
    insta::assert_snapshot!(ran.stderr, @"
    error: no server in project scope: docs
    it is defined in global scope: pass --scope global
    ");
    let ran = world.run(&["remove", "nope", "--scope", "global"]).fails_with(1);
    insta::assert_snapshot!(ran.stderr, @"
    error: no server in global scope: nope
    see `toolgate list`
    ");
}

#[test]
fn an_entry_that_may_hold_secrets_is_not_repeated() {
    let world = World::new();
    world.run(&["add", "a", "--env", "TOKEN=canary", "--", "x"]).ok();
    let ran = world.run(&["remove", "a"]).ok();
    assert!(!ran.stderr.contains("canary"), "{ran:?}");
}
