//! `serve` where a daemon runs already: an address is added to it, and closes with `serve`.

use std::net::TcpStream;

use serde_json::json;

use super::house::{Daemon, Ends, Window, eventually, house, is_alive, signal_to, teller};
use crate::serve::gate::Gate;
use crate::support::World;

/// The process that answers a call over HTTP.
fn who(gate: &Gate, token: &str) -> String {
    let answer = gate.ask_with(token, "tools/call", json!({"name": "a__who", "arguments": {}}));
    let text = &answer["result"]["content"][0]["text"];
    assert!(text.is_string(), "{answer}");
    text.as_str().unwrap().to_owned()
}

fn is_open(address: &str) -> bool {
    TcpStream::connect(address).is_ok()
}

fn status(world: &World) -> serde_json::Value {
    world.run(&["status", "--json"]).ok().json()
}

#[test]
fn serve_adds_an_address_to_the_daemon_and_takes_it_away_again() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let server = window.call("a__who");
    let daemon = Daemon::of(&world).pid;
    let gate = Gate::on_free_port(&world);
    assert!(gate.greeting.contains("served by the daemon that runs"), "{}", gate.greeting);
    assert_eq!(Daemon::of(&world).pid, daemon, "it is the same one");
    assert_eq!(gate.tools("/mcp").len(), 4);
    assert_eq!(who(&gate, gate.token()), server, "windows and callers of one person share");
    let seen = status(&world);
    assert_eq!(seen["daemon"]["endpoints"], json!([gate.endpoint()]), "{seen}");
    let attached = seen.to_string();
    assert!(attached.contains("\"toolgate serve\""), "{attached}");
    let address = gate.address().to_owned();
    let ended = gate.end();
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    eventually("the port is closed", || !is_open(&address));
    assert_eq!(window.call("a__who"), server, "the window goes on");
    assert_eq!(status(&world)["daemon"]["endpoints"], json!([]));
}

#[test]
fn a_serve_that_is_killed_leaves_no_port_open() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let server = window.call("a__who");
    let gate = Gate::on_free_port(&world);
    let address = gate.address().to_owned();
    signal_to(gate.id(), "KILL");
    eventually("the port is closed", || !is_open(&address));
    assert_eq!(window.call("a__who"), server);
}

#[test]
fn the_daemon_stays_for_as_long_as_somebody_serves() {
    let world = house();
    world.write(World::GLOBAL, "[limits]\ndaemon_idle_ms = 1000\n");
    world.local("a", &teller());
    let _ends = Ends(&world);
    let window = Window::open(&world);
    let daemon = Daemon::of(&world);
    let gate = Gate::on_free_port(&world);
    drop(window);
    eventually("the window is gone", || status(&world)["daemon"]["windows"] == 1);
    assert_eq!(gate.tools("/mcp").len(), 4);
    // A second one beside it, in another folder.
    let other = world.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let mut second = world.command(&["serve", "--listen", "127.0.0.1:0"]);
    second.current_dir(&other);
    let second = Gate::of(second);
    assert_eq!(second.tools("/mcp").len(), 4);
    assert!(is_alive(daemon.pid));
    assert_eq!(gate.end().code, Some(0));
    assert_eq!(second.tools("/mcp").len(), 4, "the other one goes on");
    assert_eq!(second.end().code, Some(0));
    daemon.ended();
}

#[test]
fn an_end_of_the_daemon_ends_serve_too() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let _window = Window::open(&world);
    let gate = Gate::on_free_port(&world);
    world.run(&["stop"]).ok();
    let address = gate.address().to_owned();
    eventually("the port is closed", || !is_open(&address));
    eventually("serve ends", || !is_alive(gate.id()));
}

#[test]
fn what_cannot_be_opened_is_said_by_serve() {
    let world = house();
    world.write(World::GLOBAL, "[gateway]\nlisten = \"127.0.0.1:0\"\n");
    let _ends = Ends(&world);
    let _window = Window::open(&world);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = world.run(&["serve", "--listen", &address]).fails_with(1);
    assert!(ran.stderr.contains(&format!("cannot listen on {address}")), "{ran:?}");
}

/// The owner's tokens share the owner's servers; all others have their own.
#[test]
fn a_token_for_somebody_else_has_servers_of_its_own() {
    let world = house();
    world.local("a", &teller());
    let _ends = Ends(&world);
    let mut window = Window::open(&world);
    let mine = window.call("a__who");
    let made = |arguments: &[&str]| world.run(arguments).ok().stdout.trim().to_owned();
    let own = made(&["token", "create", "laptop", "--mine"]);
    let other = made(&["token", "create", "ci"]);
    let gate = Gate::on_free_port(&world);
    assert_eq!(who(&gate, gate.token()), mine);
    assert_eq!(who(&gate, &own), mine);
    let theirs = who(&gate, &other);
    assert_ne!(theirs, mine);
    // Who was who is in the records all the same.
    let calls = world.run(&["audit", "--json"]).ok().stdout;
    assert!(["token:default", "token:laptop", "token:ci"].iter().all(|one| calls.contains(one)));
    assert_eq!(gate.end().code, Some(0));
    eventually("their server ends with the endpoint", || !is_alive(theirs.parse().unwrap()));
    assert_eq!(window.call("a__who"), mine);
    world.run(&["token", "create", "both", "--mine", "--role", "r"]).fails_with(2);
}
