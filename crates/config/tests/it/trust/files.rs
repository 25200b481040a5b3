//! The workspace files that a command line names are part of what a person accepts.

use std::fs;

use super::fingerprint;
use crate::support::{World, project_toml};

/// The files that the fingerprint of a server with this command line names.
fn files(world: &World) -> Vec<String> {
    fingerprint(world).files.into_keys().collect()
}

#[test]
fn one_byte_of_a_workspace_file_that_the_command_names_is_another_fingerprint() {
    for (line, file, named) in [
        ("command = \"./run.sh\"", "run.sh", "./run.sh"),
        ("command = \"node\"\nargs = [\"server.js\"]", "server.js", "server.js"),
        ("command = \"node\"\nargs = [\"--config=./conf/x.json\"]", "conf/x.json", "./conf/x.json"),
        ("command = \"node\"\nargs = [\"main.js\"]\ncwd = \"sub\"", "sub/main.js", "main.js"),
        ("command = \"node\"\nargs = [\"--key\", \"./k.pem\"]", "k.pem", "k.pem"),
    ] {
        let world = project_toml(&format!("[servers.s]\n{line}\n")).file(file, "one");
        let before = fingerprint(&world);
        assert_eq!(
            files(&world).iter().map(|f| f.trim_start_matches("./")).collect::<Vec<_>>(),
            [named.trim_start_matches("./")]
        );
        let world = world.file(file, "ons");
        let after = fingerprint(&world);
        assert_eq!(before.entry, after.entry);
        assert_ne!(before.files, after.files, "{line}");
        fs::remove_file(world.project().join(file)).unwrap();
        assert_ne!(fingerprint(&world), after, "{line}");
    }
}

#[test]
fn one_file_cannot_hide_behind_another() {
    // Both `a=b.js` and what stands behind its `=` are files, and two secrets look alike.
    let text = "[servers.s]\ncommand = \"node\"\nargs = [\"a=b.js\", \"--key\", \"k1\", \"--auth\", \"k2\"]\n";
    let mut world = project_toml(text);
    for file in ["a=b.js", "b.js", "k1", "k2"] {
        world = world.file(file, "one");
    }
    assert_eq!(files(&world), ["a=b.js", "b.js", "k1", "k2"]);
    for file in ["a=b.js", "b.js", "k1", "k2"] {
        let before = fingerprint(&world);
        world = world.file(file, "two");
        assert_ne!(fingerprint(&world), before, "{file}");
    }
}

#[test]
fn files_outside_the_project_do_not_count_and_links_count_for_where_they_lead() {
    let text =
        "[servers.s]\ncommand = \"node\"\nargs = [\"../outside.js\", \"link.js\", \"out.js\"]\n";
    let world = project_toml(text).file("../outside.js", "one").file("real.js", "one");
    let link = |target: &str, name: &str| {
        let path = world.project().join(name);
        fs::remove_file(&path).ok();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    link("real.js", "link.js");
    link("../outside.js", "out.js");
    let before = fingerprint(&world);
    assert_eq!(files(&world), ["link.js", "out.js"]);
    world.write("../outside.js", "two");
    assert_eq!(fingerprint(&world), before, "a file outside is not the project's word");
    world.write("../another.js", "one");
    link("../another.js", "out.js");
    assert_ne!(fingerprint(&world), before, "the link is");
    link("../outside.js", "out.js");
    assert_eq!(fingerprint(&world), before);
    world.write("real.js", "two");
    assert_ne!(fingerprint(&world), before);
}

#[test]
fn a_bare_command_is_looked_up_in_the_path_and_not_in_the_project() {
    let world = project_toml("[servers.s]\ncommand = \"node\"\nargs = [\".\", \"sub\"]\n");
    let world = world.file("node", "not this one").file("sub/x", "");
    assert!(fingerprint(&world).files.is_empty());
}

#[test]
fn a_command_tool_is_accepted_with_its_files_too() {
    let world = project_toml("[tools.t]\ncommand = \"./t.sh\"\n").file("t.sh", "one");
    let of = |world: &World| world.load_clean().config.tools["t"].fingerprint.clone();
    let before = of(&world);
    assert_ne!(of(&world.file("t.sh", "two")), before);
}
