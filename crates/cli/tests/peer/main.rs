//! What the tests start: a server that plays the script in the file it is given, one at a socket that
//! only tells how much it was told, or an agent.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test program")]

mod agent;

use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::net::UnixListener;

fn main() {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [word, path] if word == "listen" => listen(path),
        [word, command @ ..] if word == "agent" => agent::attend(agent::start(command)),
        [word, socket, command @ ..] if word == "busy-agent" => {
            agent::take_errands(socket);
            agent::attend(agent::start(command));
        }
        // What else stands on the command line is for whoever looks at command lines.
        [file, ..] => {
            let script = std::fs::read_to_string(file).unwrap();
            toolgate_testkit::process::stdio(serde_json::from_str(&script).unwrap());
        }
        [] => unreachable!("which part?"),
    }
}

fn listen(path: &OsString) {
    let listener = UnixListener::bind(path).unwrap();
    println!("ready");
    let mut told = Vec::new();
    listener.accept().unwrap().0.read_to_end(&mut told).unwrap();
    println!("{} bytes", told.len());
}
