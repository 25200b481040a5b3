//! Many who connect and say nothing: whoever does say something is served all the same.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::net::UnixStream;
use std::process::ChildStdout;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;

use super::gate::Gate;
use crate::daemon::house::{Window, house};
use crate::desk::Desk;
use crate::stdio::daemon::run_folder;
use crate::support::peer_path;

fn permit_many_open_files() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(4_096), hard).unwrap();
}

/// A program that holds two thousand connections to a gate and says nothing over them. Whoever is
/// connected counts as an agent, so it is not this process, which other tests share.
struct Silent {
    desk: Desk,
    says: BufReader<ChildStdout>,
}

impl Silent {
    fn at(gate: &Gate) -> Self {
        let peer = peer_path().display().to_string();
        let command = [peer.as_str(), "silent", gate.address(), "2000"].map(str::to_owned);
        let (folder, variables) = gate.around();
        let mut desk = Desk::start(folder, variables, &command);
        let says = BufReader::new(desk.shell.stdout.take().unwrap());
        let mut silent = Self { desk, says };
        assert_eq!(silent.line(), "ready");
        silent
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        drop(self.desk.shell.stdin.take());
        let _ = self.desk.shell.wait();
    }
}

#[test]
fn two_thousand_connections_without_a_token_keep_nobody_out_who_has_one() {
    let world = house();
    world.write("project/notes.txt", "what is in the notes\n");
    let gate = Gate::on_free_port(&world);
    let mut silent = Silent::at(&gate);
    let read = gate.call("/mcp", "repo__read_file", &json!({"path": "notes.txt"}));
    assert_eq!(read["result"]["content"][0]["text"], "what is in the notes\n", "{read}");
    let told = silent.line();
    assert!(told.starts_with("HTTP/1.1 503 "), "{told}");
    assert_eq!(gate.end().code, Some(0));
}

#[test]
fn sockets_full_of_those_who_say_nothing_have_room_for_a_window_and_a_command() {
    permit_many_open_files();
    let world = house();
    let gate = Gate::on_free_port(&world);
    let folder = run_folder(&world);
    let silent = ["agent.sock", "control.sock"].map(|name| {
        let connect = |_| UnixStream::connect(folder.join(name)).unwrap();
        (0..800).map(connect).collect::<Vec<_>>()
    });
    let mut window = Window::open(&world);
    assert!(window.tools().contains(&"repo__read_file".to_owned()));
    let status = world.run(&["status", "--json"]).ok().json();
    assert_eq!(status["workspaces"][0]["attached"].as_array().unwrap().len(), 1, "{status}");
    for mut socket in silent {
        assert_eq!(socket[0].read(&mut [0]).unwrap(), 0, "the first was closed");
    }
    drop(window);
    assert_eq!(gate.end().code, Some(0));
}
