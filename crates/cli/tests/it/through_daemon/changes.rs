//! Verbs that change something tell the daemon, so that the next thing it does goes by it.

use serde_json::Value;

use crate::daemon::house::house as world;
use crate::daemon::house::{Window, teller};
use crate::keeper::Keeper;
use crate::support::{World, peer_path};

fn state(keeper: &Keeper, id: &str) -> Value {
    keeper.row(id)["state"].clone()
}

#[test]
fn what_is_disabled_enabled_added_and_removed_is_so_at_once() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    assert!(window.tools().contains(&"s__who".to_owned()));
    keeper.run(&["disable", "s", "--scope", "global"]).ok();
    assert_eq!(state(&keeper, "s"), "disabled");
    assert!(!window.tools().contains(&"s__who".to_owned()));
    keeper.run(&["enable", "s", "--scope", "global"]).ok();
    assert_eq!(state(&keeper, "s"), "idle");
    keeper.run(&["add", "t", "https://t.example/mcp", "--scope", "global"]).ok();
    // It is asked for its tools meanwhile.
    assert!(["idle", "connecting", "error"].contains(&state(&keeper, "t").as_str().unwrap()));
    keeper.run(&["remove", "t", "--scope", "global"]).ok();
    keeper.run(&["status", "t"]).fails_with(1);
}

#[test]
fn what_is_accepted_is_used_without_a_restart() {
    let world = world();
    let script = world.write("home/s.json", &teller().to_argument());
    let entry = format!("[servers.s]\ncommand = {:?}\nargs = [{script:?}]\n", peer_path());
    world.write("project/toolgate.toml", &format!("{entry}sandbox_profile = \"none\"\n"));
    let keeper = Keeper::start(world);
    let _window = Window::open(&keeper);
    assert_eq!(state(&keeper, "s"), "pending");
    keeper.run_at_terminal(&["trust", "--trusted"], "y\n").ok();
    assert_eq!(state(&keeper, "s"), "idle");
    keeper.run(&["trust", "--revoke", "s"]).ok();
    assert_eq!(state(&keeper, "s"), "pending");
}

#[test]
fn where_no_daemon_runs_nobody_is_told_and_nothing_fails() {
    let world = world();
    let ran = world.run(&["add", "t", "https://t.example/mcp", "--scope", "global"]).ok();
    assert!(!ran.stderr.contains("daemon"), "{ran:?}");
    let world: World = world;
    // Nor where the folder for it is not ours to use.
    world.write("run/toolgate", "no folder");
    world.run(&["remove", "t", "--scope", "global"]).ok();
}
