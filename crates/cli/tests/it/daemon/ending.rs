//! The ends: of a shim, of the daemon, of a server, and of what nobody uses.

use std::time::{Duration, Instant};

use serde_json::json;

use super::house::{
    Daemon, Ends, PATIENT_LISTS, Window, eventually, house, is_alive, servers, signal_to, teller,
};
use crate::support::World;

#[test]
fn a_daemon_that_nobody_uses_ends_and_leaves_nothing() {
    let world = house();
    world.local("s", &teller());
    let limits = format!("{PATIENT_LISTS}daemon_idle_ms = 300\n");
    let text = world.read(World::GLOBAL).replace(PATIENT_LISTS, &limits);
    world.write(World::GLOBAL, &text);
    let mut window = Window::open(&world);
    window.call("s__who");
    let daemon = Daemon::of(&world);
    drop(window);
    daemon.ended();
    assert!(servers(&world).is_empty());
    assert!(!crate::stdio::daemon::run_folder(&world).join("agent.sock").exists());
    // The next one starts as if there had been none.
    let mut window = Window::open(&world);
    window.call("s__who");
    assert_ne!(Daemon::of(&world).pid, daemon.pid);
}

#[test]
fn after_a_crash_open_requests_fail_the_next_works_and_nothing_is_left() {
    let world = house();
    world.local("s", &teller());
    let _ends = Ends(&world);
    let began = Instant::now();
    let mut window = Window::open(&world);
    let old: u32 = window.call("s__who").parse().unwrap();
    let daemon = Daemon::of(&world);
    let waiting = window.send("tools/call", json!({"name": "s__wait", "arguments": {}}));
    daemon.signal("KILL");
    let answer = window.answer(waiting);
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    // The budget: none left within two seconds, or as long as it took to get here where others use the
    // machine too.
    let (died, limit) = (Instant::now(), began.elapsed().max(Duration::from_secs(2)));
    eventually("no orphan", || !is_alive(old));
    assert!(died.elapsed() < limit, "{:?}", died.elapsed());
    let new: u32 = window.call("s__who").parse().unwrap();
    assert_ne!(new, old);
    assert_ne!(Daemon::of(&world).pid, daemon.pid);
}

#[test]
fn a_daemon_that_is_told_to_end_finishes_what_is_under_way() {
    let world = house();
    world.local("s", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let (waiting, letting_go) = window.wait_on(&world, "s");
    let daemon = Daemon::of(&world);
    daemon.signal("TERM");
    window.cancel(letting_go);
    let answer = window.answer(waiting);
    assert_eq!(answer["result"]["content"][0]["text"], "waited", "{answer}");
    daemon.ended();
    assert!(servers(&world).is_empty());
}

#[test]
fn a_shim_that_is_killed_cancels_what_it_asked_for_and_nobody_else_notices() {
    let world = house();
    world.local("s", &teller());
    let _ends = Ends(&world);
    let (mut gone, mut stays) = (Window::open(&world), Window::open(&world));
    let server = stays.call("s__who");
    gone.send("tools/call", json!({"name": "s__wait", "arguments": {}}));
    let shim = shim_of(gone.client.pid());
    signal_to(shim, "KILL");
    eventually("the shim is gone", || !is_alive(shim));
    assert_eq!(stays.call("s__who"), server);
}

fn shim_of(client: u32) -> u32 {
    let children = format!("/proc/{client}/task/{client}/children");
    let mut found = None;
    eventually("the shim runs", || {
        let children = std::fs::read_to_string(&children).unwrap_or_default();
        found = children.split_whitespace().next().and_then(|pid| pid.parse().ok());
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_server_that_dies_in_the_middle_of_a_call_is_an_error_and_comes_back() {
    let world = house();
    world.local("s", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let old = window.call("s__who");
    let answer = window.ask("tools/call", json!({"name": "s__die", "arguments": {}}));
    let failed = answer["result"]["isError"] == true || answer.get("error").is_some();
    assert!(failed, "{answer}");
    let mut again = old.clone();
    eventually("it is started again", || {
        let answer = window.ask("tools/call", json!({"name": "s__who", "arguments": {}}));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        again = text.to_owned();
        answer["result"]["isError"] != true && !again.is_empty()
    });
    assert_ne!(again, old);
}
