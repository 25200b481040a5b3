//! The end of a client, of a daemon, and of a shim.

use std::process::Command;

use serde_json::json;

use super::client::Client;
use super::daemon::Daemon;
use super::{INITIALIZE, INITIALIZED, answer, call, crash, in_session};
use crate::support::World;

const CHANGED: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";

/// The client is told the outcome of nothing that it waits for, and can go on.
#[test]
fn a_daemon_that_crashes_leaves_nobody_waiting_and_the_next_one_takes_over() {
    let world = World::new();
    let (mut client, daemon, mut window) = in_session(&world);
    client.send([call(1), call(2), call(3)].concat());
    client.send("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}\n");
    client.send("{\"id\":\"four\",\"method\":\"resources/list\"}\n");
    (0..5).for_each(|_| drop(window.line()));
    window.send(answer(2));
    // Cut off in the middle of a line.
    window.send(&answer(1)[..20]);
    drop(window);
    assert_eq!(client.line(), answer(2));
    for id in [json!("four"), json!(1)] {
        let lost = client.message();
        assert_eq!((&lost["id"], &lost["error"]["code"]), (&id, &json!(-32603)));
        let message = lost["error"]["message"].as_str().unwrap();
        assert!(message.contains("daemon ended") && message.contains("not known"), "{message}");
    }
    // For the one that is gone; nobody is started for them.
    client.send("{\"method\":\"notifications/roots/list_changed\"}\n");
    client.send("{\"id\":\"tg-9\",\"result\":{}}\n");
    client.send(call(5));
    let mut second = daemon.let_in();
    second.open_session();
    assert_eq!(second.text(), INITIALIZED);
    assert_eq!(second.text(), call(5));
    assert_eq!(client.line(), CHANGED);
    second.send(answer(5));
    assert_eq!(client.line(), answer(5));
    client.finish();
    assert_eq!(second.rest(), b"");
    drop(second);
    let ended = client.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    assert!(ended.stderr.contains("the daemon (pid 7) ended with 2 requests open"), "{ended:?}");
}

/// Half of it is with the client already: it gets no message that looks whole, and hears that its request is
/// lost.
#[test]
fn a_daemon_that_crashes_within_a_long_answer_leaves_nobody_waiting() {
    let world = World::new();
    let (mut client, _daemon, mut window) = in_session(&world);
    client.send([call(1), call(2)].concat());
    (0..2).for_each(|_| drop(window.line()));
    let begun =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"x\":\"{}", "x".repeat(1 << 20));
    let sent = begun.clone();
    let daemon = std::thread::spawn(move || window.send(&sent));
    assert!(client.line() == begun + "\n");
    daemon.join().unwrap();
    for id in [1, 2] {
        let lost = client.message();
        assert_eq!((&lost["id"], &lost["error"]["code"]), (&json!(id), &json!(-32603)));
    }
}

#[test]
fn a_session_without_news_of_tools_is_opened_again_without_any() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    client.send(INITIALIZE);
    assert_eq!(window.text(), INITIALIZE);
    let opened = "{\"id\":0,\"result\":{\"capabilities\":{\"tools\":{}}}}\n";
    window.send(opened);
    assert_eq!(client.line(), opened);
    crash(&mut client, window);
    // Ready, as it says to nobody.
    client.send(INITIALIZED);
    client.send(call(1));
    let mut second = daemon.let_in();
    assert_eq!(second.text(), INITIALIZE);
    // What is said before the answer is the client's, the answer is not.
    let note = "{\"method\":\"notifications/message\",\"params\":{}}\n";
    second.send([note, opened, note].concat());
    assert_eq!(second.text(), INITIALIZED);
    assert_eq!(second.text(), call(1));
    second.send(answer(1));
    assert_eq!(client.line(), note);
    assert_eq!(client.line(), note);
    assert_eq!(client.line(), answer(1));
}

#[test]
fn a_client_without_a_session_goes_on_without_one() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let window = daemon.let_in();
    crash(&mut client, window);
    client.send(call(2));
    let mut second = daemon.let_in();
    assert_eq!(second.text(), call(2));
    second.send(answer(2));
    assert_eq!(client.line(), answer(2));
}

/// A session that is opened anew is not opened in the old way before that.
#[test]
fn a_client_that_begins_anew_is_not_held_to_what_it_said_before() {
    let world = World::new();
    let (mut client, daemon, window) = in_session(&world);
    crash(&mut client, window);
    let again = INITIALIZE.replace("\"x\":1", "\"x\":2");
    client.send(&again);
    let mut second = daemon.let_in();
    assert_eq!(second.text(), again);
}

#[test]
fn a_session_that_the_next_daemon_refuses_is_an_error_for_who_asks() {
    let world = World::new();
    let (mut client, daemon, window) = in_session(&world);
    crash(&mut client, window);
    client.send(call(1));
    let mut second = daemon.let_in();
    assert_eq!(second.text(), INITIALIZE);
    second.send("{\"id\":0,\"error\":{\"code\":-32602,\"message\":\"no more of that\"}}\n");
    let refused = client.message();
    assert_eq!(refused["id"], 1);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("no more of that"), "{message}");
    assert_eq!(second.rest(), b"");
    // The next one tries again.
    client.send(call(2));
    let mut third = daemon.let_in();
    third.open_session();
    assert_eq!(third.text(), INITIALIZED);
    assert_eq!(third.text(), call(2));
}

/// It could be an approval, and the next daemon's question another.
#[test]
fn what_a_daemon_asked_ends_with_it_and_its_answer_reaches_no_other() {
    let world = World::new();
    let (mut client, daemon, mut window) = in_session(&world);
    let question = "{\"id\":\"tg-1\",\"method\":\"elicitation/create\",\"params\":{}}\n";
    window.send(question);
    assert_eq!(client.line(), question);
    drop(window);
    let cancelled = client.message();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], "tg-1");
    client.send(call(1));
    let mut second = daemon.let_in();
    second.open_session();
    assert_eq!(second.text(), INITIALIZED);
    assert_eq!(second.text(), call(1));
    let yes = "{\"id\":\"tg-1\",\"result\":{\"action\":\"accept\"}}\n";
    client.send([yes, &call(2)].concat());
    assert_eq!(second.text(), call(2));
}

#[test]
fn a_client_that_leaves_is_told_what_is_left_to_say() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    client.send(call(1));
    client.finish();
    assert_eq!(window.rest(), call(1).as_bytes());
    window.send(answer(1));
    drop(window);
    let ended = client.ended();
    assert_eq!((ended.code, ended.stdout), (Some(0), answer(1)));
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_daemon_that_does_not_let_go_holds_nobody() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let window = daemon.let_in();
    client.finish();
    assert_eq!(client.ended().code, Some(0));
    drop(window);
}

#[test]
fn a_client_that_does_not_listen_any_more_has_left() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::start(&world);
    let mut window = daemon.let_in();
    client.turn_deaf();
    // It finds out when it says something. Once may not be enough: a program that another test is
    // about to start holds the far side of the pipe a moment longer.
    window.says_until_nobody_listens(answer(1));
    assert_eq!(window.rest(), b"");
    assert_eq!(client.ended().code, Some(0));
}

#[test]
fn signals_end_a_shim_at_once() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut client = Client::start(&world);
        let mut window = daemon.let_in();
        window.send(answer(1));
        assert_eq!(client.line(), answer(1));
        let shim = window.peer().to_string();
        assert!(Command::new("kill").args([signal, &shim]).status().unwrap().success());
        assert_eq!(window.rest(), b"");
        assert_eq!(client.ended().code, Some(code));
    }
}
