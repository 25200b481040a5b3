//! `stop` and `restart`.

use serde_json::json;

use crate::daemon::house::house as world;
use crate::daemon::house::{Daemon, Window, eventually, is_alive, servers, teller};
use crate::keeper::Keeper;

#[test]
fn when_it_returns_the_daemon_and_its_servers_are_gone() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    window.call("s__who");
    let pid = Daemon::of(&keeper).pid;
    let ran = keeper.run(&["stop"]).ok();
    assert!(!is_alive(pid));
    eventually("no server stays", || servers(&keeper).is_empty());
    assert_eq!(ran.stderr, format!("the daemon (pid {pid}) has ended\n"));
    let ran = keeper.run(&["stop"]).ok();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", "no daemon runs\n"));
    assert_eq!(keeper.run(&["stop", "--json"]).ok().json()["stopped"], json!(null));
}

#[test]
fn after_a_restart_windows_work_with_the_new_daemon() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    let first = window.call("s__who");
    let before = Daemon::of(&keeper).pid;
    let ran = keeper.run(&["restart", "--json"]).ok().json();
    assert_eq!(ran["stopped"], before);
    assert_eq!(ran["started"], Daemon::of(&keeper).pid);
    assert!(!is_alive(before));
    assert_ne!(window.call("s__who"), first);
    assert_eq!(keeper.status()["daemon"]["windows"], 1);
}
