//! A configuration that changes while windows are open.

use std::fs;

use super::house::{Ends, Window, eventually, house, is_alive, teller};
use crate::support::World;

fn config(world: &World) -> String {
    world.read(World::GLOBAL)
}

/// As editors do it: a new file in the place of the old one.
fn replace(world: &World, text: &str) {
    let new = world.write("home/.config/toolgate/config.toml.new", text);
    fs::rename(new, world.home().join(".config/toolgate/config.toml")).unwrap();
}

/// Shows: S3-7, C13.
#[test]
fn entries_come_change_and_go_without_a_new_process_and_clients_are_told() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let before = config(&world);
    let kept = window.call("a__who");
    assert_eq!(window.tools().len(), 4);
    world.local("b", &teller());
    window.notified("notifications/tools/list_changed");
    eventually("the new server is listed", || window.tools().len() == 8);
    assert_eq!(window.call("a__who"), kept, "what did not change goes on");
    let gone = window.call("b__who");
    replace(&world, &before);
    eventually("it is gone", || window.tools().len() == 4);
    eventually("its process ends", || !is_alive(gone.parse().unwrap()));
    replace(&world, &before.replace("[servers.a]", "[servers.a]\nenv = { X = \"1\" }"));
    eventually("another process", || window.call("a__who") != kept);
    eventually("the old one ends", || !is_alive(kept.parse().unwrap()));
}

/// Shows: S3-7.
#[test]
fn a_call_under_way_is_finished_by_the_server_it_was_made_to() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let (mut window, mut other) = (Window::open(&world), Window::open(&world));
    let before = config(&world);
    let old = window.call("a__who");
    let (waiting, letting_go) = window.wait_on(&world, "a");
    replace(&world, &before.replace("[servers.a]", "[servers.a]\nenv = { X = \"1\" }"));
    eventually("calls go to the new one", || other.call("a__who") != old);
    assert!(is_alive(old.parse().unwrap()), "it has a call to finish");
    window.cancel(letting_go);
    let answer = window.answer(waiting);
    assert_eq!(answer["result"]["content"][0]["text"], "waited", "{answer}");
    eventually("then it ends", || !is_alive(old.parse().unwrap()));
}

#[test]
fn a_file_that_cannot_be_read_changes_nothing_and_is_shown() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let kept = window.call("a__who");
    let good = config(&world);
    replace(&world, "[servers.a\n");
    let status = || world.run(&["status", "--json"]).stdout;
    eventually("the mistake is shown", || status().contains("\"refused\""));
    assert_eq!(window.call("a__who"), kept);
    replace(&world, &good);
    eventually("it is forgotten", || !status().contains("\"refused\""));
    assert_eq!(window.call("a__who"), kept);
}

/// Shows: S3-36.
#[test]
fn variables_that_a_new_entry_names_are_fetched_from_the_windows() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let theirs = [("LATE", "the person's")];
    let mut window = Window::open_with(&world, &theirs, &[("LATE", "evil")], &["stdio"]);
    window.call("a__who");
    let with = config(&world).replace("[servers.a]", "[servers.a]\nenv_vars = [\"LATE\"]");
    replace(&world, &with);
    let has_it = |pid: &str| {
        let environment = fs::read_to_string(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.contains("LATE=the person's")
    };
    eventually("its process has the variable", || has_it(&window.call("a__who")));
}

/// Shows: S3-34, S3-36.
#[test]
fn a_secret_that_is_set_anew_counts_from_the_next_call_on() {
    let world = house();
    let keep = |value: &str| drop(world.run_with_input(&["secret", "set", "KEY"], value).ok());
    keep("the-old-one");
    world.local_with("a", &teller(), "approval = \"approve\"\nenv = { KEY = \"${secret:KEY}\" }");
    world.local("b", &teller());
    let _ends = Ends(&world);
    let (mut window, mut other) = (Window::open(&world), Window::open(&world));
    let has = |pid: &str, value: &str| {
        let environment = fs::read_to_string(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.contains(&format!("KEY={value}"))
    };
    let (old, kept) = (window.call("a__who"), window.call("b__who"));
    assert!(has(&old, "the-old-one"));
    let (waiting, letting_go) = window.wait_on(&world, "a");
    keep("the-new-one");
    eventually("calls go to one that has it", || has(&other.call("a__who"), "the-new-one"));
    assert_eq!(other.call("b__who"), kept, "what does not name it goes on");
    assert!(is_alive(old.parse().unwrap()), "it has a call to finish");
    window.cancel(letting_go);
    let answer = window.answer(waiting);
    assert_eq!(answer["result"]["content"][0]["text"], "waited", "{answer}");
    eventually("then it ends", || !is_alive(old.parse().unwrap()));
}
