//! A daemon where there is none: the real one, started for the first who needs it.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::client::Client;
use super::daemon::{run_folder, runtime_folder};
use crate::support::World;

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":\
     {\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\
     \"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}\n";

/// Ends the daemon of a world with the test.
struct Ends<'a>(&'a World);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(daemon_of(self.0)).status();
    }
}

/// The process that the lock belongs to.
fn daemon_of(world: &World) -> String {
    let words = fs::read_to_string(run_folder(world).join("daemon.lock")).unwrap();
    words.split(' ').next().unwrap().to_owned()
}

/// Whether somebody waits for a lock that another has.
fn is_waited_for(lock: &File) -> bool {
    let number = format!(":{} ", lock.metadata().unwrap().ino());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains(" -> ") && line.contains(&number))
}

#[test]
fn a_daemon_is_started_with_little_and_belongs_to_nobody() {
    let world = World::new();
    let theirs = [("SECRET", "x"), ("TOOLGATE_CONFIG_JSON", "{}"), ("LANG", "C.UTF-8")];
    let mut client = Client::start_with(&world, &theirs, &[("TZ", "Evil/City")], &["stdio"]);
    client.send(INITIALIZE);
    let opened = client.message();
    assert_eq!(opened["result"]["serverInfo"]["name"], "toolgate", "{opened}");
    let _ends = Ends(&world);
    let daemon = format!("/proc/{}", daemon_of(&world));
    let read = |name: &str| {
        let bytes = fs::read(format!("{daemon}/{name}")).unwrap();
        let parts = bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        parts.map(|part| String::from_utf8(part.to_vec()).unwrap()).collect::<Vec<_>>()
    };
    let mut environment = read("environ");
    environment.sort();
    let expected = [
        format!("HOME={}", world.home().display()),
        "LANG=C.UTF-8".to_owned(),
        "PATH=/usr/local/bin:/usr/bin:/bin".to_owned(),
        format!("XDG_RUNTIME_DIR={}", runtime_folder(&world).display()),
    ];
    assert_eq!(environment, expected);
    assert_eq!(read("cmdline"), ["toolgate", "__daemon"]);
    assert_eq!(fs::read_link(format!("{daemon}/cwd")).unwrap(), Path::new("/"));
    let stat = read("stat").concat();
    let ids: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let pid = daemon_of(&world);
    assert_eq!((ids[2], ids[3]), (pid.as_str(), pid.as_str()), "group and session");
    let complaints = fs::read_link(format!("{daemon}/fd/2")).unwrap();
    assert!(complaints.ends_with("home/.local/state/toolgate/logs/daemon.err"));
}

/// The servers of the last one may still be ending, and nothing of them is to run twice.
#[test]
fn the_next_daemon_is_started_when_the_last_one_is_gone_altogether() {
    let world = World::new();
    let last = File::create(run_folder(&world).join("daemon.lock")).unwrap();
    last.lock().unwrap();
    let mut client = Client::start(&world);
    client.send(INITIALIZE);
    let begun = Instant::now();
    while !is_waited_for(&last) {
        assert!(begun.elapsed() < Duration::from_secs(30), "nobody waits for its end");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(last);
    let opened = client.message();
    assert_eq!(opened["result"]["serverInfo"]["name"], "toolgate", "{opened}");
    let _ends = Ends(&world);
    assert_ne!(daemon_of(&world), "");
}

#[test]
fn why_a_daemon_does_not_start_is_what_it_says_itself() {
    let world = World::new();
    world.write("home/.local/state/toolgate", "this is no folder\n");
    let mut client = Client::start(&world);
    client.send(INITIALIZE);
    let message = client.message()["error"]["message"].take();
    let message = message.as_str().unwrap();
    assert!(message.starts_with("Toolgate: the daemon could not be started: "), "{message}");
    assert!(message.contains("home/.local/state/toolgate"), "{message}");
    let ended = client.ended();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    assert!(ended.stderr.starts_with("error: the daemon could not be started: "), "{ended:?}");
}
