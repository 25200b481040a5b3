//! Many who connect and say nothing: whoever does say something is served all the same.

use std::io::Read as _;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;

use super::gate::Gate;
use crate::daemon::house::{Window, house};
use crate::stdio::daemon::run_folder;

fn permit_many_open_files() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(4_096), hard).unwrap();
}

#[test]
fn two_thousand_connections_without_a_token_keep_nobody_out_who_has_one() {
    permit_many_open_files();
    let world = house();
    world.write("project/notes.txt", "what is in the notes\n");
    let gate = Gate::on_free_port(&world);
    let address = gate.endpoint();
    let address = address.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let mut silent: Vec<_> = (0..2_000).map(|_| TcpStream::connect(address).unwrap()).collect();
    let read = gate.call("/mcp", "repo__read_file", &json!({"path": "notes.txt"}));
    assert_eq!(read["result"]["content"][0]["text"], "what is in the notes\n", "{read}");
    let mut told = String::new();
    silent[0].read_to_string(&mut told).unwrap();
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
