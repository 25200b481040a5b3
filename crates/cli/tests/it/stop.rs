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

#[test]
fn one_server_is_ended_or_started_anew_and_the_daemon_stays() {
    let world = world();
    world.local("s", &teller());
    world.local("t", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    let (first, other) = (window.call("s__who"), window.call("t__who"));
    let pid = Daemon::of(&keeper).pid;
    let ran = keeper.run(&["restart", "s"]).ok();
    assert!(ran.stderr.starts_with("s was restarted ("), "{ran:?}");
    let second = window.call("s__who");
    assert_ne!(second, first);
    assert_eq!(window.call("t__who"), other, "the other goes on");
    let ran = keeper.run(&["stop", "s", "--json"]).ok().json();
    assert_eq!((&ran["server"], &ran["runs"][0]["done"]), (&json!("s"), &json!(true)));
    eventually("one server is left", || servers(&keeper).len() == 1);
    // It may be used again.
    assert_ne!(window.call("s__who"), second);
    assert_eq!(Daemon::of(&keeper).pid, pid);
    let ran = keeper.run(&["stop", "ss"]).fails_with(1);
    assert!(ran.stderr.contains("MCP server not found: ss"), "{ran:?}");
}

#[test]
fn one_that_does_not_come_back_says_why() {
    let world = world();
    world.local("s", &teller());
    let keeper = Keeper::start(world);
    let mut window = Window::open(&keeper);
    window.call("s__who");
    let broken = toolgate_testkit::Script::legacy()
        .at_start([toolgate_testkit::Act::complain("no licence"), toolgate_testkit::Act::Exit(3)]);
    keeper.write("home/s.json", &broken.to_argument());
    let ran = keeper.run(&["restart", "s"]).fails_with(4);
    assert!(ran.stderr.contains("no licence"), "{ran:?}");
}
