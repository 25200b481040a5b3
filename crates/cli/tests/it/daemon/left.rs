//! What a window that left leaves behind: a context that is kept for a while and does nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::house::{Daemon, Ends, Window, eventually, house, teller};
use crate::support::World;

/// How many folders a process watches.
fn watched(pid: u32) -> usize {
    let open = fs::read_dir(format!("/proc/{pid}/fdinfo")).unwrap();
    // A file may be closed while it is looked at.
    let read = |entry: std::io::Result<fs::DirEntry>| fs::read_to_string(entry.ok()?.path()).ok();
    let infos = open.filter_map(read).collect::<Vec<_>>().concat();
    infos.lines().filter(|line| line.starts_with("inotify wd:")).count()
}

fn folder(world: &World, name: &str) -> PathBuf {
    let folder = world.home().join("..").join(name);
    fs::create_dir(&folder).unwrap();
    folder.canonicalize().unwrap()
}

fn times_read(world: &World, folder: &Path) -> usize {
    let log = world.read("home/.local/state/toolgate/logs/toolgate.log");
    let is_it =
        |line: &&str| line.contains("was read again") && line.contains(folder.to_str().unwrap());
    log.lines().filter(is_it).count()
}

#[test]
fn the_folders_of_windows_that_left_are_not_watched_and_not_read_until_one_comes_back() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut stays = Window::open(&world);
    assert_eq!(stays.tools().len(), 4);
    let daemon = Daemon::of(&world);
    eventually("its own folders are watched", || watched(daemon.pid) > 0);
    let before = watched(daemon.pid);
    let folders = ["x1", "x2", "x3", "x4", "x5"].map(|name| folder(&world, name));
    let mut others = folders.each_ref().map(|folder| Window::open_in(&world, folder));
    assert!(others.iter_mut().all(|window| window.tools().len() == 4));
    eventually("theirs too", || watched(daemon.pid) >= before + folders.len());
    drop(others);
    eventually("theirs no more", || watched(daemon.pid) == before);
    let read = || folders.each_ref().map(|folder| times_read(&world, folder));
    let read_before = read();
    world.local("b", &teller());
    stays.notified("notifications/tools/list_changed");
    eventually("who stayed has the new server", || stays.tools().len() == 8);
    assert_eq!(read(), read_before);
    // Who comes back has it at once: it is read before the window is let in.
    let mut back = Window::open_in(&world, &folders[0]);
    assert_eq!(back.tools().len(), 8);
    eventually("and its folder is watched again", || watched(daemon.pid) > before);
    world.local("c", &teller());
    eventually("so that it hears of changes", || back.tools().len() == 12);
}

/// Builds and editors write around a configuration all the time.
#[test]
fn files_that_are_no_configuration_do_not_hide_one_that_is() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    assert_eq!(window.tools().len(), 4);
    for number in 0..100 {
        world.write(&format!("project/noise-{number}"), "");
        world.write(&format!("home/.config/toolgate/noise-{number}"), "");
    }
    world.local("b", &teller());
    eventually("the new server is listed", || window.tools().len() == 8);
}
