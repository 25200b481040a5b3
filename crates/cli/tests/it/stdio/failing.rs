//! No daemon to be had: the client is told why, in an answer and on standard error.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use toolgate_control::hello::{FromDaemon, FromShim};

use super::client::Client;
use super::daemon::{Daemon, OURS, run_folder, runtime_folder};
use super::{INITIALIZE, INITIALIZED, call, crash, in_session};
use crate::support::{World, peer_path};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_daemon_that_refuses_is_heard_in_the_answer_and_on_standard_error() {
    for says in [None, Some(OURS)] {
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut client = Client::start(&world);
        let mut window = daemon.next();
        assert!(matches!(window.hear(), FromShim::Hello(_)));
        if let Some(version) = says {
            window.wants(version, &[]);
            assert!(matches!(window.hear(), FromShim::Variables { .. }));
        }
        let (why, hint) = ("no role `x`".to_owned(), Some("there is `y`".to_owned()));
        window.say(&FromDaemon::Refused { why, hint });
        client.send(INITIALIZE);
        let refused = client.message();
        let message = "Toolgate: the daemon refuses: no role `x` (there is `y`)";
        let error = json!({"code": -32603, "message": message});
        assert_eq!(refused, json!({"jsonrpc": "2.0", "id": 0, "error": error}));
        let ended = client.ended();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
        assert_eq!(ended.stderr, "error: the daemon refuses: no role `x`\nthere is `y`\n");
    }
}

/// A client that first finds out what it talks to shows its person only what comes after that.
#[test]
fn a_folder_that_somebody_else_prepared_is_told_to_the_client() {
    let world = World::new();
    let folder = run_folder(&world);
    mode(&folder, 0o777);
    let mut client = Client::start(&world);
    client.send("{\"id\":\"probe\",\"method\":\"server/discover\"}\n");
    assert_eq!(client.message()["id"], "probe");
    client.send(INITIALIZE);
    let refused = client.message();
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("others may write into it (mode 777)"), "{message}");
    let ended = client.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    assert!(ended.stderr.contains("others may write into it (mode 777)"), "{ended:?}");
}

#[test]
fn a_client_that_asks_nothing_is_not_waited_for() {
    let world = World::new();
    mode(&run_folder(&world), 0o777);
    let mut client = Client::start(&world);
    client.send("no message\n");
    client.finish();
    let ended = client.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
}

#[test]
fn each_request_tries_again_where_there_was_no_daemon_for_the_last() {
    let world = World::new();
    let (mut client, daemon, window) = in_session(&world);
    let folder = run_folder(&world);
    mode(&folder, 0o777);
    crash(&mut client, window);
    drop(daemon);
    for id in 1..=2 {
        client.send([&call(id), INITIALIZED, &call(id + 10)].concat());
        for id in [id, id + 10] {
            let refused = client.message();
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32603)));
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(message.contains("others may write into it"), "{message}");
        }
    }
    mode(&folder, 0o700);
    let daemon = Daemon::listen(&world);
    client.send(call(3));
    let mut second = daemon.let_in();
    second.open_session();
    assert_eq!(second.text(), INITIALIZED);
    assert_eq!(second.text(), call(3));
}

/// Somebody else who got a socket to where ours should be is told nothing.
#[test]
fn a_daemon_of_another_user_is_refused() {
    let other_user = ["--reuid", "65534", "--clear-groups"];
    let works = Command::new("setpriv").args(other_user).arg("true").status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("NOT TESTED: only root can be another user, with `setpriv`");
        return;
    }
    let world = World::new();
    let open = world.write("open/x", "").parent().unwrap().to_owned();
    mode(&open, 0o777);
    mode(open.parent().unwrap(), 0o711);
    let mut other = Command::new("setpriv");
    other.args(other_user).arg(peer_path()).arg("listen").arg(open.join("agent.sock"));
    let mut other = other.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(other.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    fs::rename(open.join("agent.sock"), run_folder(&world).join("agent.sock")).unwrap();
    let mut client = Client::start(&world);
    client.send(INITIALIZE);
    let message = client.message()["error"]["message"].take();
    assert!(message.as_str().unwrap().contains("belongs to user 65534 and you are user 0"));
    assert_eq!(client.ended().code, Some(1));
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n0 bytes\n");
    other.wait().unwrap();
}

/// A container that shares the folder is another world.
#[test]
fn another_mount_namespace_has_another_daemon() {
    let works = Command::new("unshare").args(["-m", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("NOT TESTED: `unshare -m` does not work here");
        return;
    }
    let world = World::new();
    // The one that is started there is not needed any longer than it takes.
    world.write(World::GLOBAL, "[limits]\ndaemon_idle_ms = 1\n");
    let ours = run_folder(&world);
    // What would be used would be refused; what is refused is named.
    mode(&ours, 0o777);
    let shim = assert_cmd::cargo::cargo_bin!("toolgate");
    let command = ["unshare", "-m", shim.to_str().unwrap(), "stdio"];
    let mut client = Client::start_command(&world, &[], &[], &command);
    client.finish();
    let ended = client.ended();
    assert!(!ended.stderr.contains(ours.to_str().unwrap()), "{ended:?}");
    let folders = fs::read_dir(runtime_folder(&world).join("toolgate")).unwrap().count();
    assert_eq!(folders, 2, "{ended:?}");
}
