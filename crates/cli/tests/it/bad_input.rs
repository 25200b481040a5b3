//! Bad input at the command line: one clear sentence, exit 1, nothing written, no panic.

use crate::support::World;

#[test]
fn every_verb_that_edits_leaves_a_broken_file_as_it_is() {
    let samples: [(&str, &[u8]); 5] = [
        ("toml-syntax", b"[servers.a]\ncommand = \n"),
        ("not-utf8", b"[servers.a]\ncommand = \"\xff\"\n"),
        ("duplicate-key", b"[servers.a]\ncommand = \"a\"\ncommand = \"b\"\n"),
        ("half-written", b"[servers.a]\ncommand = \"a\"\nargs = [\"x\","),
        ("nesting", &[b'['; 1 << 20]),
    ];
    for (name, bytes) in samples {
        let world = World::new();
        let path = world.project().join("toolgate.toml");
        std::fs::write(&path, bytes).unwrap();
        for arguments in [
            &["add", "b", "--", "x"][..],
            &["remove", "a"],
            &["disable", "a"],
            &["config", "check"],
        ] {
            let ran = world.run(arguments).fails_with(1);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains("toolgate.toml"), "{name} {arguments:?}: {said}");
            assert!(!said.contains("panicked"), "{name} {arguments:?}: {said}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        let left: Vec<_> = std::fs::read_dir(world.project()).unwrap().collect();
        assert_eq!(left.len(), 1, "{name}: nothing else in the folder");
    }
}

#[test]
fn a_folder_where_a_file_should_be_is_said_to_be_one() {
    let world = World::new();
    std::fs::create_dir(world.project().join("conf")).unwrap();
    let ran = world.run(&["--config", "conf", "config", "check"]).fails_with(1);
    assert!(ran.stdout.contains("not a regular file"), "{ran:?}");
    world.run(&["--config", "conf", "add", "a", "--", "x"]).fails_with(1);
}

#[test]
fn inline_json_that_does_not_parse_names_its_variable() {
    let world = World::new().with("CODEX_TOOLLOOP_MCP_CONFIG_JSON", "{\"servers\":");
    let ran = world.run(&["config", "check"]).fails_with(1);
    assert!(ran.stdout.contains("$CODEX_TOOLLOOP_MCP_CONFIG_JSON"), "{ran:?}");
}
