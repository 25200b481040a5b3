//! A daemon that says what a test wants it to say, on a real socket.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use toolgate_control::hello::{FromDaemon, FromShim, ShimHello, line};

use crate::support::World;

/// Only something that hangs takes so long.
const HANG: Duration = Duration::from_secs(120);

/// The version that the shim has.
pub(crate) const OURS: &str = env!("CARGO_PKG_VERSION");

pub(crate) struct Daemon {
    arriving: Receiver<UnixStream>,
}

/// One shim that came.
pub(crate) struct Window {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

/// The folder for `$XDG_RUNTIME_DIR`.
pub(crate) fn runtime_folder(world: &World) -> PathBuf {
    let folder = world.home().join("../run");
    if !folder.exists() {
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    }
    folder.canonicalize().unwrap()
}

/// Where shims of this process's namespaces look for the daemon.
pub(crate) fn run_folder(world: &World) -> PathBuf {
    let number = |name| fs::metadata(format!("/proc/self/ns/{name}")).unwrap().ino();
    let name = format!("{}-{}", number("mnt"), number("user"));
    let folder = runtime_folder(world).join("toolgate").join(name);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    folder
}

impl Daemon {
    pub(crate) fn listen(world: &World) -> Self {
        let socket = run_folder(world).join("agent.sock");
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(socket).unwrap();
        let (arrives, arriving) = channel();
        std::thread::spawn(move || {
            // Until the test has no more interest.
            while let Ok((stream, _)) = listener.accept() {
                if arrives.send(stream).is_err() {
                    break;
                }
            }
        });
        Self { arriving }
    }

    /// The next shim, which has not been told anything.
    pub(crate) fn next(&self) -> Window {
        let stream = self.arriving.recv_timeout(HANG).expect("nobody came");
        stream.set_read_timeout(Some(HANG)).unwrap();
        Window { reader: BufReader::new(stream.try_clone().unwrap()), writer: stream }
    }

    /// The next shim, let in.
    pub(crate) fn let_in(&self) -> Window {
        let mut window = self.next();
        window.greet(&[]);
        window
    }
}

impl Window {
    /// Lets it in as the daemon does, and gives what it said.
    pub(crate) fn greet(&mut self, variables: &[&str]) -> (ShimHello, Vec<(String, String)>) {
        let FromShim::Hello(hello) = self.hear() else { unreachable!("no hello") };
        self.wants(OURS, variables);
        let FromShim::Variables { values } = self.hear() else { unreachable!("no variables") };
        self.say(&FromDaemon::Attached);
        (*hello, values.into_iter().collect())
    }

    pub(crate) fn wants(&mut self, version: &str, variables: &[&str]) {
        let variables = variables.iter().map(|name| (*name).to_owned()).collect();
        self.say(&FromDaemon::Wants { version: version.to_owned(), pid: 7, variables });
    }

    pub(crate) fn hear(&mut self) -> FromShim {
        serde_json::from_slice(&self.line()).unwrap()
    }

    pub(crate) fn say(&mut self, word: &FromDaemon) {
        self.send(line(word));
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.writer.write_all(bytes.as_ref()).unwrap();
    }

    /// Says the same again and again until the shim is gone.
    pub(crate) fn says_until_nobody_listens(&mut self, bytes: impl AsRef<[u8]>) {
        let began = Instant::now();
        while self.writer.write_all(bytes.as_ref()).is_ok() {
            assert!(began.elapsed() < HANG, "it still listens");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The next line with its end; empty once there is none.
    pub(crate) fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.reader.read_until(b'\n', &mut line).unwrap();
        line
    }

    pub(crate) fn text(&mut self) -> String {
        String::from_utf8(self.line()).unwrap()
    }

    /// All that comes until the shim says nothing more.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        match self.reader.read_to_end(&mut rest) {
            // It left before it had read all that was said to it.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            read => drop(read.unwrap()),
        }
        rest
    }

    /// Opens a session as a daemon of the older era does.
    pub(crate) fn open_session(&mut self) {
        assert_eq!(self.text(), super::INITIALIZE);
        self.send(super::OPENED);
    }

    /// The process at the other end.
    pub(crate) fn peer(&self) -> u32 {
        use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
        getsockopt(&self.writer, PeerCredentials).unwrap().pid().unsigned_abs()
    }
}
