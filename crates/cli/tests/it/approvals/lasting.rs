//! What a person granted for a session lasts as long as the window does, whichever daemon runs.

use serde_json::json;

use super::asking::{begin, person, reference, waiting, world};
use crate::daemon::house::{Daemon, Ends, Window, eventually};

/// Until another daemon answers the window.
fn find_another(window: &mut Window) {
    eventually("another daemon answers", || {
        window.ask("tools/list", json!({}))["result"]["tools"].is_array()
    });
}

#[test]
fn a_grant_for_the_session_outlives_the_daemon_and_not_the_window() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    person(&world, &["approve", &reference(&world), "--session"]).ok();
    assert!(window.answer(id)["result"].is_object());
    let mut beside = Window::open(&world);
    Daemon::of(&world).signal("KILL");
    find_another(&mut window);
    let id = begin(&mut window);
    let answer = window.answer(id);
    assert!(answer["result"]["content"][0]["text"].is_string(), "not asked again: {answer}");
    // Another window was granted nothing.
    find_another(&mut beside);
    begin(&mut beside);
    waiting(&world, 1);
    drop(window);
    let mut next = Window::open(&world);
    begin(&mut next);
    waiting(&world, 2);
}

#[test]
fn a_grant_that_is_taken_back_is_not_there_for_the_next_daemon() {
    let world = world();
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let id = begin(&mut window);
    person(&world, &["approve", &reference(&world), "--session"]).ok();
    window.answer(id);
    // Another definition is another tool: what was granted is not for it.
    let script = world.read("home/s.json");
    world.write("home/s.json", &script.replace("\"who\\\"", "\"who\\\",\\\"title\\\":\\\"x\\\""));
    Daemon::of(&world).signal("KILL");
    find_another(&mut window);
    begin(&mut window);
    waiting(&world, 1);
}
