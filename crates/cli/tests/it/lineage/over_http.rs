//! An agent over HTTP is an agent: what it starts may not do what is for its person, whether it is
//! connected at the time or not.

use std::fs;
use std::io::{Read as _, Write as _};

use serde_json::json;

use super::agent::{Errands, toolgate};
use super::refusing::{REFUSED, state, world};
use crate::daemon::house::{Ends, Window, eventually};
use crate::serve::gate::Gate;
use crate::stdio::client::Client;
use crate::support::{World, peer_path};

const REFUSAL: &str = "a program that an agent started may not do this";

/// Its verbs find nobody to ask.
const ALONE: [&str; 3] = ["env", "XDG_RUNTIME_DIR=/nowhere", "toolgate"];

#[test]
fn what_an_http_caller_starts_may_not_change_what_is_trusted() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    let agent = gate.caller();
    let _session = agent.connect();
    gate.tools("/mcp");
    let before = state(&world);
    for verb in REFUSED {
        let ran = agent.runs(&[&["toolgate"], *verb].concat()).fails_with(6);
        assert!(ran.stderr.contains(REFUSAL), "{ran:?}");
        assert_eq!(state(&world), before, "{verb:?}");
    }
    agent.runs(&["script", "-qec", "toolgate trust", "/dev/null"]).fails_with(6);
    agent.runs(&["sh", "-c", "toolgate token create new; exit $?"]).fails_with(6);
    assert_eq!(state(&world), before);
    // Its person may, and it may look.
    world.run(&["token", "create", "new"]).ok();
    agent.runs(&["toolgate", "list"]).ok();
    let logged = world.run(&["logs"]).ok().stdout;
    let chain = format!("toolgate-cli-pe({})", agent.pid());
    let line = logged.lines().find(|line| line.contains("would do what is for the user"));
    assert!(line.is_some_and(|line| line.contains(&chain)), "{logged}");
}

/// It has no connection any more; the daemon remembers whose it was.
#[test]
fn nor_when_it_has_left_and_still_runs() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    gate.tools("/mcp");
    gate.caller().runs(&["toolgate", "token", "create", "new"]).fails_with(6);
    world.run(&["token", "create", "new"]).ok();
}

/// The command itself sees who is connected to a gate.
#[test]
fn nor_where_the_daemon_is_not_asked() {
    let world = world();
    let gate = Gate::on_free_port(&world);
    let agent = gate.caller();
    // Nothing was called over it, so that only the connection tells.
    let mut connection = agent.connect();
    connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    connection.read_exact(&mut [0]).unwrap();
    agent.runs(&[&ALONE[..], &["token", "create", "new"]].concat()).fails_with(6);
    world.run(&["token", "create", "new"]).ok();
}

/// Nor where the address is a daemon's that ran before.
#[test]
fn nor_where_serve_added_the_address_to_a_daemon() {
    let world = world();
    let _ends = Ends(&world);
    let _window = Window::open(&world);
    let gate = Gate::on_free_port(&world);
    assert!(gate.greeting.contains("served by the daemon that runs"));
    let agent = gate.caller();
    let mut connection = agent.connect();
    connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    connection.read_exact(&mut [0]).unwrap();
    agent.runs(&[&ALONE[..], &["token", "create", "new"]].concat()).fails_with(6);
    gate.tools("/mcp");
    drop(connection);
    agent.runs(&["toolgate", "serve", "--listen", "127.0.0.1:0"]).fails_with(6);
    world.run(&["token", "create", "new"]).ok();
}

/// A program that has asked for nothing, at a desk of its own.
fn idle_program(world: &World) -> (Client, Errands) {
    let (mut client, errands) = Errands::begin(world, &["cat"]);
    client.send("ready\n");
    assert_eq!(client.line(), "ready\n");
    (client, errands)
}

fn asking(world: &World) {
    world.local_with("asked", &crate::daemon::house::teller(), "");
}

fn waiting(world: &World) -> String {
    let mut reference = None;
    eventually("it waits", || {
        let listed = world.run(&["approvals", "--json"]).ok().json();
        reference = listed["approvals"][0]["ref"].as_str().map(str::to_owned);
        reference.is_some()
    });
    reference.unwrap()
}

fn call(gate: &Gate, world: &World) -> String {
    let call = json!({"name": "asked__who", "arguments": {}});
    let request = gate.request("tools/call", call);
    world.write("home/request", &request).display().to_string()
}

/// All that it has is a shell, and what that shell was told to run calls.
#[test]
fn a_shell_that_calls_over_http_may_not_approve_what_it_called() {
    let world = world();
    asking(&world);
    let gate = Gate::on_free_port(&world);
    let (_program, errands) = idle_program(&world);
    errands.run(&["toolgate", "token", "create", "before"]).ok();
    let (request, peer) = (call(&gate, &world), peer_path());
    let post = format!("{} post {} {request}; true", peer.display(), gate.address());
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| errands.run(&["sh", "-c", &post]).ok());
        let reference = waiting(&world);
        for approve in [
            &["toolgate", "approve", &reference][..],
            &["sh", "-c", &format!("toolgate approve {reference}; exit $?")],
            &["script", "-qec", &format!("toolgate approve {reference}"), "/dev/null"],
        ] {
            errands.run(approve).fails_with(6);
        }
        errands.run(&["toolgate", "token", "create", "new"]).fails_with(6);
        world.run_at_terminal(&["approve", &reference], "y\n").ok();
        let answer = calling.join().unwrap();
        assert!(answer.stdout.contains("\"content\""), "{answer:?}");
    });
    // The one that called is gone, and what told it to is not.
    errands.run(&["toolgate", "token", "create", "new"]).fails_with(6);
}

/// Somebody older has the connection too, and is taken for the caller if only one can be.
#[test]
fn a_connection_that_was_handed_to_an_older_process_is_the_agents_too() {
    let world = world();
    asking(&world);
    let gate = Gate::on_free_port(&world);
    let socket = world.home().join("holder").display().to_string();
    let mut older = Client::start_agent(&world, &[], &["hold", &socket]);
    assert_eq!(older.line(), "ready\n");
    let (_program, errands) = idle_program(&world);
    let (request, peer) = (call(&gate, &world), peer_path().display().to_string());
    let post = [&peer, "post-shared", gate.address(), &request, &socket];
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| errands.run(&post));
        let reference = waiting(&world);
        errands.run(&["toolgate", "approve", &reference]).fails_with(6);
        errands.run(&["toolgate", "token", "create", "new"]).fails_with(6);
        world.run_at_terminal(&["approve", &reference], "y\n").ok();
        calling.join().unwrap().ok();
    });
}

/// Whoever started it is gone and nobody sits there: it could be anybody's.
#[test]
fn an_orphan_without_a_terminal_approves_nothing() {
    let world = world();
    asking(&world);
    let gate = Gate::on_free_port(&world);
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| gate.call("/mcp", "asked__who", &json!({})));
        let reference = waiting(&world);
        let verb = |name: &str, verb: &str| {
            let line = format!("toolgate {verb} >{name}.out 2>&1; echo $? >{name}.code");
            // Its shell leaves it behind at once.
            format!("setsid sh -c '{line}' </dev/null & exit 0")
        };
        let approve = format!("approve {reference}");
        for (name, line) in [
            ("approve", verb("approve", &approve)),
            ("deny", verb("deny", &format!("deny {reference}"))),
            ("token", verb("token", "token create new")),
            // Under a program that gives it a terminal, and shows that to nobody.
            ("script", {
                let inner = format!("{} {approve} >script.out; echo $? >script.code", toolgate());
                world.write("project/script.sh", &inner);
                let script = "script -qec \"sh script.sh\" /dev/null";
                format!("setsid sh -c '{script}' </dev/null >/dev/null 2>&1 & exit 0")
            }),
            // At a terminal that the agent holds the other side of.
            ("held", {
                let inner =
                    format!("{} {approve} </dev/tty >held.out; echo $? >held.code", toolgate());
                world.write("project/held.sh", &format!("({inner}) & exit 0\n"));
                let wait = "while [ ! -s held.code ]; do sleep 0.05; done";
                format!("script -qec \"sh held.sh; {wait}\" /dev/null")
            }),
        ] {
            gate.caller().runs(&["sh", "-c", &line]).ok();
            let code = world.project().join(format!("{name}.code"));
            let read = || fs::read_to_string(&code).unwrap_or_default();
            eventually("it has ended", || read().ends_with('\n'));
            let said = world.read(&format!("project/{name}.out"));
            assert_eq!(read(), "6\n", "{name}: {said}");
            assert_eq!(waiting(&world), reference, "{name}");
        }
        world.run_at_terminal(&["approve", &reference], "y\n").ok();
        let answer = calling.join().unwrap();
        assert!(answer["result"]["content"].is_array(), "{answer}");
    });
}
