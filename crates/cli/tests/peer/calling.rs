//! One request over HTTP, as a program makes it that a shell was told to run; one that only holds what
//! it is handed; and one that connects many times and says nothing.

use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut, Read as _, Write as _, stdin, stdout};
use std::net::TcpStream;
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};

/// Sends what is in the file to the gate and prints what comes back. Before that, somebody else may be
/// handed the connection.
pub(crate) fn post(gate: &OsString, request: &OsString, share: Option<&OsString>) {
    let mut stream = TcpStream::connect(gate.to_str().unwrap()).unwrap();
    if let Some(socket) = share {
        let holder = UnixStream::connect(socket).unwrap();
        let descriptors = [stream.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&descriptors)];
        let word = [IoSlice::new(b"x")];
        sendmsg::<()>(holder.as_raw_fd(), &word, &rights, MsgFlags::empty(), None).unwrap();
        // It says when it has it.
        (&holder).read_exact(&mut [0]).unwrap();
    }
    stream.write_all(&std::fs::read(request).unwrap()).unwrap();
    let _ = std::io::copy(&mut stream, &mut stdout());
}

/// Holds what it is handed until its input ends.
pub(crate) fn hold(socket: &OsString) {
    let listener = UnixListener::bind(socket).unwrap();
    println!("ready");
    std::thread::spawn(move || {
        for from in listener.incoming() {
            let from = from.unwrap();
            let mut space = nix::cmsg_space!(RawFd);
            let (mut byte, flags) = ([0], MsgFlags::empty());
            let mut word = [IoSliceMut::new(&mut byte)];
            let got = recvmsg::<()>(from.as_raw_fd(), &mut word, Some(&mut space), flags).unwrap();
            let handed = |message| matches!(message, ControlMessageOwned::ScmRights(_));
            assert!(got.cmsgs().unwrap().any(handed), "nothing was handed over");
            // Open from now on, since nobody closes it.
            (&from).write_all(b"x").unwrap();
        }
    });
    let _ = stdin().read_to_end(&mut Vec::new());
}

/// Connects so many times and says nothing; says when it did, and then what the first was told. Ends
/// with its input.
pub(crate) fn sit_silent(gate: &OsString, connections: &OsString) {
    permit_many_open_files();
    let connections: u32 = connections.to_str().unwrap().parse().unwrap();
    let connect = |_| TcpStream::connect(gate.to_str().unwrap()).unwrap();
    let mut silent: Vec<_> = (0..connections).map(connect).collect();
    println!("ready");
    let mut told = String::new();
    silent[0].read_to_string(&mut told).unwrap();
    println!("{}", told.lines().next().unwrap_or_default());
    let _ = stdin().read_to_end(&mut Vec::new());
}

fn permit_many_open_files() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, hard.min(4_096), hard).unwrap();
}
