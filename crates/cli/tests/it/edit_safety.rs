//! Edits keep what a person wrote, and two edits at once lose neither.

use std::os::unix::fs::PermissionsExt as _;

use crate::support::World;

const TOML: &str = "\
# who we are\r\nversion = 1\r\n\r\n# the docs\r\n[servers.docs] # remote\r\nurl = \"https://d.example/mcp\" # keep\r\n";

#[test]
fn comments_order_and_line_ends_survive_an_add_and_a_remove() {
    let world = World::new();
    world.write("project/toolgate.toml", TOML);
    world.run(&["add", "files", "--", "npx", "x"]).ok();
    let after = world.read("project/toolgate.toml");
    assert!(after.starts_with(TOML), "{after:?}");
    assert!(!after.replace("\r\n", "").contains('\n'), "{after:?}");
    world.run(&["remove", "files"]).ok();
    assert_eq!(world.read("project/toolgate.toml"), TOML);
}

#[test]
fn a_file_keeps_its_mode_and_a_link_its_target() {
    let world = World::new();
    let real = world.write("home/real.toml", "# mine\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = world.project().join("toolgate.toml");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    world.run(&["add", "a", "--", "x"]).ok();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(world.read("home/real.toml").starts_with("# mine\n"));
}

#[test]
fn many_processes_at_once_lose_no_edit() {
    let world = World::new();
    let ids: Vec<String> = (0..16).map(|n| format!("s{n}")).collect();
    let children: Vec<_> = ids
        .iter()
        .map(|id| world.command(&["-q", "add", id, "--", "x"]).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let listed = world.run(&["list", "--json"]).ok().json();
    assert_eq!(listed["servers"].as_array().unwrap().len(), ids.len());
}
