//! A client as agents are: a program that starts `toolgate stdio` or calls over HTTP, and on request
//! starts other things.
//!
//! With a window it hands its own standard streams to what it starts first, so that a test speaks to that directly.
//! Its own input is another from then on: a real client has made the pipe, and does not read it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _, stdin};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio, exit};

use serde_json::json;

/// Starts its window.
pub(crate) fn start(command: &[OsString]) -> Child {
    let input = stdin().as_fd().try_clone_to_owned().unwrap();
    nix::unistd::dup2_stdin(File::open("/dev/null").unwrap()).unwrap();
    let [program, arguments @ ..] = command else { unreachable!("which command?") };
    Command::new(program).args(arguments).stdin(input).spawn().unwrap()
}

/// Ends as that does, in the way shells tell it.
pub(crate) fn attend(mut child: Child) {
    let status = child.wait().unwrap();
    exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap()))
}

/// Runs the commands that it is told at a socket, one for each connection, and says how they ended.
pub(crate) fn take_errands(socket: &OsString) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        for asked in listener.incoming().map(Result::unwrap) {
            std::thread::spawn(move || run(asked));
        }
    });
}

fn run(mut asked: UnixStream) {
    let mut line = String::new();
    BufReader::new(&asked).read_line(&mut line).unwrap();
    let words: Vec<String> = serde_json::from_str(&line).unwrap();
    // As agents do, so as to end all of it at once and to keep their own terminal to themselves.
    let mut command = Command::new("setsid");
    command.args(&words).stdin(Stdio::null());
    let ran = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(ran.stdout), text(ran.stderr));
    write!(asked, "{}", json!([ran.status.code(), stdout, stderr])).unwrap();
}

/// Calls over HTTP whatever a test says to the port that it names first: what is said over each
/// connection there goes to the gate over one of its own, and the answer back. Ends with its input.
pub(crate) fn relay(gate: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    let gate = gate.to_owned();
    std::thread::spawn(move || {
        for near in listener.incoming() {
            let (near, far) = (near.unwrap(), TcpStream::connect(&gate));
            // A gate that is gone hears nothing.
            let Ok(far) = far else { continue };
            let (from, to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            std::thread::spawn(move || pass_on(from, to));
            std::thread::spawn(move || pass_on(far, near));
        }
    });
    let _ = std::io::copy(&mut stdin(), &mut std::io::sink());
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
