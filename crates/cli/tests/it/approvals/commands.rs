//! The verbs where there is nothing to answer, and `call` where nobody is at a terminal.

use std::process::Stdio;

use super::asking::{begin, doer, furnished, person, reference, waiting, world, world_with};
use crate::daemon::house::{Ends, Window, house};
use crate::keeper::Keeper;
use crate::support::{World, end_if_it_hangs};

#[test]
fn without_a_daemon_nothing_waits_and_that_is_said() {
    let world = world();
    for verb in [&["approvals"][..], &["approvals", "--watch"], &["approve", "x"], &["deny", "x"]] {
        let ran = world.run(verb).fails_with(4);
        assert!(ran.stderr.contains("no daemon runs"), "{ran:?}");
    }
}

#[test]
fn what_does_not_wait_or_was_not_offered_is_an_error() {
    let keeper = Keeper::start(world());
    let ran = person(&keeper, &["approve", "nosuch"]).fails_with(1);
    assert!(ran.stdout.contains("no call with this reference is waiting"), "{ran:?}");
    person(&keeper, &["deny", "nosuch"]).fails_with(1);
    // A command has no session.
    let call = keeper.command(&["call", "s", "who"]).stderr(Stdio::piped()).spawn().unwrap();
    let _watched = end_if_it_hangs(call.id());
    let one = waiting(&keeper, 1).remove(0);
    assert_eq!(one["choices"], serde_json::json!(["once", "deny"]));
    let reference = one["ref"].as_str().unwrap();
    let ran = person(&keeper, &["approve", reference, "--session"]).fails_with(1);
    assert!(ran.stdout.contains("not offered"), "{ran:?}");
    person(&keeper, &["deny", reference]).ok();
    assert_eq!(call.wait_with_output().unwrap().status.code(), Some(6));
}

#[test]
fn a_call_without_a_terminal_waits_in_the_queue_and_says_so_once() {
    let keeper = Keeper::start(world());
    let mut call = keeper.command(&["call", "s", "who"]);
    let call = call.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _watched = end_if_it_hangs(call.id());
    let reference = reference(&keeper);
    person(&keeper, &["approve", &reference]).ok();
    let done = call.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(said, format!("waiting for the user (ref {reference})\n"));
}

#[test]
fn quiet_and_json_say_nothing_of_it() {
    let keeper = Keeper::start(world());
    for more in ["--quiet", "--json"] {
        let mut call = keeper.command(&["call", "s", "who", more]);
        let call = call.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _watched = end_if_it_hangs(call.id());
        person(&keeper, &["approve", &reference(&keeper)]).ok();
        let done = call.wait_with_output().unwrap();
        assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(0), &b""[..]));
    }
}

#[test]
fn a_call_that_nobody_waits_for_any_more_is_taken_out_of_the_queue() {
    let keeper = Keeper::start(world());
    let mut call = keeper.command(&["call", "s", "who"]).stderr(Stdio::null()).spawn().unwrap();
    let reference = reference(&keeper);
    call.kill().unwrap();
    call.wait().unwrap();
    waiting(&keeper, 0);
    person(&keeper, &["approve", &reference]).fails_with(1);
}

#[test]
fn whoever_does_not_wait_is_told_that_approval_is_needed() {
    let keeper = Keeper::start(world());
    let ran = keeper.run(&["call", "s", "who", "--no-wait"]).fails_with(7);
    let reference = reference(&keeper);
    let why = "error: this needs a person's approval, and was not waited for (pending)";
    assert_eq!(ran.stderr, format!("{why}\nthe user is asked (ref {reference})\n"));
    person(&keeper, &["deny", &reference]).ok();
    let json = keeper.run(&["call", "s", "who", "--no-wait", "--json"]).fails_with(7).json();
    assert_eq!(
        (&json["error"]["reason"], &json["error"]["code"]),
        (&"pending".into(), &"permission_denied".into())
    );
    assert_eq!(json["error"]["ref"], *waiting(&keeper, 1)[0]["ref"].as_str().unwrap());
    // Also where only the queue is asked: then nothing is left in it.
    let keeper = Keeper::start(world_with("[approval]\nchannels = [\"queue\"]\n"));
    keeper.run(&["call", "s", "who", "--no-wait"]).fails_with(7);
    waiting(&keeper, 0);
    // What needs nobody is just done.
    let world = furnished(house(), "");
    world.local("free", &doer());
    assert_eq!(world.run(&["call", "free", "do", "--no-wait"]).ok().stdout, "done\n");
}

/// Shows: G4.
#[test]
fn where_nobody_can_be_asked_the_answer_is_no() {
    let world = World::new();
    world.local_with("s", &doer(), "");
    let ran = world.run(&["call", "s", "do", "--json"]).fails_with(6).json();
    assert_eq!(ran["error"]["reason"], "no_channel", "{ran}");
    world.run(&["call", "s", "do", "--no-wait"]).fails_with(6);
}

#[test]
fn a_window_that_goes_takes_its_calls_with_it() {
    let world = world();
    let _ends = Ends(&world);
    let kept = Window::open(&world);
    let mut window = Window::open(&world);
    begin(&mut window);
    waiting(&world, 1);
    drop(window);
    waiting(&world, 0);
    drop(kept);
}
