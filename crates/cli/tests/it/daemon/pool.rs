//! How many processes there are.

use std::collections::BTreeSet;
use std::fs;

use super::house::{Daemon, Ends, Window, eventually, house, is_alive, servers, teller};
use crate::stdio::client::Client;
use crate::support::World;

fn names() -> Vec<String> {
    (0..10).map(|number| format!("s{number}")).collect()
}

fn with_ten_servers(keys: &str) -> World {
    let world = house();
    for name in names() {
        world.local_with(&name, &teller(), &format!("approval = \"approve\"\n{keys}"));
    }
    world
}

/// Shows: C12.
#[test]
fn five_windows_in_one_folder_share_ten_processes_and_a_second_folder_has_its_own() {
    let world = with_ten_servers("");
    let _ends = Ends(&world);
    let other = world.write("other/x", "").parent().unwrap().to_owned();
    let mut windows: Vec<_> = (0..5).map(|_| Window::open(&world)).collect();
    let mut seen = BTreeSet::new();
    for window in &mut windows {
        seen.extend(names().iter().map(|name| window.call(&format!("{name}__who"))));
    }
    assert_eq!((seen.len(), servers(&world).len()), (10, 10));
    let mut beside = Window::open_in(&world, &other);
    let theirs: BTreeSet<_> =
        names().iter().map(|name| beside.call(&format!("{name}__who"))).collect();
    assert_eq!(theirs.len(), 10);
    assert!(theirs.is_disjoint(&seen), "{theirs:?} {seen:?}");
    assert_eq!(servers(&world).len(), 20);
    let daemon = Daemon::of(&world);
    for pid in &theirs {
        let cwd = fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
        assert_eq!(cwd, other.canonicalize().unwrap());
    }
    drop((windows, beside));
    assert!(is_alive(daemon.pid));
}

/// Shows: E-9.
#[test]
fn servers_that_nobody_uses_are_stopped_and_start_again_when_somebody_does() {
    let world = house();
    world.local_with("s", &teller(), "approval = \"approve\"\nidle_timeout_ms = 300");
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let first = window.call("s__who");
    eventually("the server stops", || servers(&world).is_empty());
    assert_ne!(window.call("s__who"), first);
}

#[test]
fn a_server_for_the_whole_machine_runs_once_for_all_folders() {
    let world = house();
    world.local_with("s", &teller(), "approval = \"approve\"\nisolation = \"machine\"");
    let _ends = Ends(&world);
    let other = world.write("other/x", "").parent().unwrap().to_owned();
    let (mut one, mut two) = (Window::open(&world), Window::open_in(&world, &other));
    assert_eq!(one.call("s__who"), two.call("s__who"));
    assert_eq!(servers(&world).len(), 1);
}

#[test]
fn a_server_for_each_session_ends_with_it() {
    let world = house();
    world.local_with("s", &teller(), "approval = \"approve\"\nisolation = \"session\"");
    let _ends = Ends(&world);
    let (mut one, mut two) = (Window::open(&world), Window::open(&world));
    let (first, second) = (one.call("s__who"), two.call("s__who"));
    assert_ne!(first, second);
    assert_eq!(one.call("s__who"), first);
    drop(one);
    eventually("its server ends", || !is_alive(first.parse().unwrap()));
    assert_eq!(two.call("s__who"), second);
}

#[test]
fn many_shims_at_the_same_moment_start_one_daemon() {
    let world = house();
    world.local("s", &teller());
    let _ends = Ends(&world);
    // All of them run before the first is spoken with.
    let clients: Vec<_> = (0..24).map(|_| Client::start(&world)).collect();
    let mut windows: Vec<_> = clients.into_iter().map(Window::begin).collect();
    let said: BTreeSet<_> = windows.iter_mut().map(|window| window.call("s__who")).collect();
    assert_eq!(said.len(), 1, "one pool, so one daemon");
    let folder = world.home();
    let daemons = fs::read_dir("/proc").unwrap().filter(|entry| {
        let Ok(path) = entry.as_ref().map(fs::DirEntry::path) else { return false };
        let read = |name: &str| fs::read(path.join(name)).unwrap_or_default();
        let is_daemon = String::from_utf8_lossy(&read("cmdline")).contains("__daemon");
        let home = format!("HOME={}\0", folder.display());
        is_daemon && String::from_utf8_lossy(&read("environ")).contains(&home)
    });
    assert_eq!(daemons.count(), 1);
}
