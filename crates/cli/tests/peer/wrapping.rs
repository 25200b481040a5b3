//! Something between a client and its window, with pipes of its own: it looks as a client does.

use std::ffi::OsString;
use std::io::{Read, Write, stdin, stdout};
use std::process::{Command, Stdio, exit};

pub(crate) fn wrap(command: &[OsString]) {
    let [program, arguments @ ..] = command else { unreachable!("which command?") };
    let mut wrapped = Command::new(program);
    wrapped.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = wrapped.spawn().unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    std::thread::spawn(move || pass_on(stdin(), input));
    pass_on(output, stdout());
    exit(child.wait().unwrap().code().unwrap_or(1))
}

/// At once, and not when there is enough of it.
fn pass_on(mut from: impl Read, mut to: impl Write) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}
