//! Where a file's words hold: which folder an acceptance is for, and where its names lead.

use std::fs;
use std::os::unix::fs::symlink;

use toolgate_types::config::SecondLook as _;

use super::fingerprint;
use crate::support::{Found as _, World, project_toml};

const SERVER: &str = "[servers.s]\ncommand = \"./s.sh\"\n";

#[test]
fn a_file_of_another_project_speaks_for_the_workspace_that_named_it() {
    for named in ["../accepted/toolgate.toml", "link/toolgate.toml"] {
        let world = World::new().file("../accepted/toolgate.toml", SERVER).file("s.sh", "");
        symlink("../accepted", world.project().join("link")).unwrap();
        let world = world.path(named);
        assert_eq!(world.load_clean().project_root, world.project(), "{named}");
        assert_eq!(fingerprint(&world).files.len(), 1, "what would run here counts");
    }
    // One below the workspace speaks for the workspace, one above for its own folder.
    let below = World::new().file("sub/x.toml", SERVER).path("sub/x.toml");
    assert_eq!(below.load_clean().project_root, below.project());
    let above = World::new().file("x.toml", SERVER).cwd("sub").path("../x.toml");
    let root = above.load_clean().project_root.canonicalize().unwrap();
    assert_eq!(root, above.project());
}

#[test]
fn what_counts_is_the_file_that_would_run_and_not_its_namesake_at_the_root() {
    let world = project_toml(SERVER).file("s.sh", "one").file("sub/s.sh", "another");
    let at_root = fingerprint(&world);
    let world = world.cwd("sub");
    let below = fingerprint(&world);
    assert_eq!(at_root.entry, below.entry);
    assert_ne!(at_root.files, below.files);
    world.write("sub/s.sh", "one");
    assert_eq!(fingerprint(&world), at_root);
}

#[test]
fn one_for_all_workspaces_runs_at_home_and_its_names_start_there() {
    let keys = "command = \"./project/s.sh\"\nargs = [\"s.sh\"]\nisolation = \"machine\"\n";
    let world = project_toml(&format!("[servers.s]\n{keys}")).file("s.sh", "one");
    assert_eq!(fingerprint(&world).files.into_keys().collect::<Vec<_>>(), ["./project/s.sh"]);
}

#[test]
fn a_link_that_is_left_by_dots_counts_for_where_it_leads() {
    let text = "[servers.s]\ncommand = \"x\"\nargs = [\"link/../run.js\", \"folder\"]\n";
    let world = project_toml(text);
    for file in ["../one/in/x", "../one/run.js", "../two/in/x", "../two/run.js"] {
        world.write(file, "");
    }
    let lead = |name: &str, to: &str| {
        let path = world.project().join(name);
        fs::remove_file(&path).ok();
        symlink(to, path).unwrap();
        fingerprint(&world)
    };
    lead("link", "../one/in");
    let before = lead("folder", "../one");
    assert_eq!(before.files.len(), 2);
    assert_ne!(lead("link", "../two/in"), before);
    assert_eq!(lead("link", "../one/in"), before);
    assert_ne!(lead("folder", "../two"), before);
}

#[test]
fn files_that_are_too_large_to_read_are_known_by_their_last_change() {
    let world = project_toml(SERVER);
    let path = world.project().join("s.sh");
    let file = fs::File::create(&path).unwrap();
    // A hole: nobody reads it to the end in the time of this test.
    file.set_len(1 << 43).unwrap();
    let before = fingerprint(&world);
    assert_eq!((before.files.len(), &before), (1, &fingerprint(&world)));
    file.set_len((1 << 43) + 1).unwrap();
    assert_ne!(fingerprint(&world), before);
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    let keys = "command = \"./pipe\"\nargs = [\"zero\"]\n";
    let world = project_toml(&format!("[servers.s]\n{keys}"));
    let made = std::process::Command::new("mkfifo").arg(world.project().join("pipe")).status();
    assert!(made.unwrap().success());
    symlink("/dev/zero", world.project().join("zero")).unwrap();
    assert_eq!(fingerprint(&world).files.into_keys().collect::<Vec<_>>(), ["zero"]);
}

#[test]
fn a_second_look_before_the_start_finds_what_changed_since_the_load() {
    let world = project_toml(&format!("{SERVER}[tools.t]\ncommand = \"./t.sh\"\n"))
        .global("[servers.own]\ncommand = \"./s.sh\"\n")
        .file("s.sh", "one")
        .file("t.sh", "one");
    let loaded = world.load_clean();
    let named = loaded.named_files(world.options());
    let (server, tool) = (loaded.entry("s"), &loaded.config.tools["t"]);
    assert_eq!((named.changed(server), named.changed_of_tool(tool)), (None, None));
    world.write("s.sh", "two");
    fs::remove_file(world.project().join("t.sh")).unwrap();
    assert_eq!(named.changed(server).as_deref(), Some("./s.sh"));
    assert_eq!(named.changed_of_tool(tool).as_deref(), Some("./t.sh"));
    assert_eq!(named.changed(loaded.entry("own")), None);
}
