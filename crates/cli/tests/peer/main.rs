//! What the tests start: a server that plays the script in the file it is given, one at a socket that
//! only tells how much it was told, or an agent, with a window or over HTTP.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test program")]

mod agent;
mod calling;
mod wrapping;

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
        [word, socket, gate] if word == "http-agent" => {
            agent::take_errands(socket);
            agent::relay(gate.to_str().unwrap());
        }
        [word, command @ ..] if word == "wrap" => wrapping::wrap(command),
        [word, gate, request] if word == "post" => calling::post(gate, request, None),
        [word, gate, request, socket] if word == "post-shared" => {
            calling::post(gate, request, Some(socket));
        }
        [word, gate, count] if word == "silent" => calling::sit_silent(gate, count),
        [word, socket] if word == "hold" => calling::hold(socket),
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
