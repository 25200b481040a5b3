//! A client as agents are: a program that starts `toolgate stdio`, and on request other things.
//!
//! It hands its own standard streams to what it starts first, so that a test speaks to that directly.
//! Its own input is another from then on: a real client has made the pipe, and does not read it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _, stdin};
use std::os::fd::AsFd as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
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
    std::thread::spawn(move || listener.incoming().for_each(|asked| run(asked.unwrap())));
}

fn run(mut asked: UnixStream) {
    let mut line = String::new();
    BufReader::new(&asked).read_line(&mut line).unwrap();
    let words: Vec<String> = serde_json::from_str(&line).unwrap();
    let mut command = Command::new(&words[0]);
    // As agents do, so as to end all of it at once.
    command.args(&words[1..]).stdin(Stdio::null()).process_group(0);
    let ran = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(ran.stdout), text(ran.stderr));
    write!(asked, "{}", json!([ran.status.code(), stdout, stderr])).unwrap();
}
