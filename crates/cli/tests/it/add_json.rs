//! `add-json`: entries as other tools hand them around, read as strictly as a file.

use crate::support::World;

#[test]
fn a_json_entry_is_written_in_the_files_own_format() {
    let world = World::new();
    world
        .run(&[
            "add-json",
            "docs",
            r#"{"type":"http","url":"https://e.com/mcp","headers":{"X-A":"b"}}"#,
        ])
        .ok();
    insta::assert_snapshot!(world.read("project/toolgate.toml"), @r#"
    version = 1

    [servers.docs]
    transport = "http"
    url = "https://e.com/mcp"
    headers = { X-A = "b" }
    "#);
    world.run(&["add-json", "docs", "{\"command\":\"x\"}"]).fails_with(1);
    world.run(&["add-json", "docs", "{\"command\":\"x\"}", "--replace"]).ok();
    assert!(world.read("project/toolgate.toml").contains("command = \"x\""));
}

#[test]
fn what_is_no_entry_is_refused_and_nothing_is_written() {
    let world = World::new();
    for bad in ["", "[]", "5", "{\"command\":", "{\"command\":\"a\",\"command\":\"b\"}"] {
        world.run(&["add-json", "x", bad]).fails_with(2);
    }
    let ran = world.run(&["add-json", "x", "{\"comand\":\"a\"}"]).fails_with(1);
    assert!(ran.stderr.contains("did you mean `command`?"), "{ran:?}");
    assert!(!world.exists("project/toolgate.toml"));
}
