//! A client that started `toolgate stdio`, with an environment that is not the shim's.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc;

use serde_json::Value;

use super::daemon::runtime_folder;
use crate::desk::Desk;
use crate::support::{World, end_if_it_hangs, peer_path};

pub(crate) struct Client {
    /// Where the program that plays the client was started; the shim is that one's child.
    desk: Desk,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    _watched: mpsc::Sender<()>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    /// What had not been read of it.
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Client {
    pub(crate) fn start(world: &World) -> Self {
        Self::start_with(world, &[], &[], &["stdio"])
    }

    /// With these variables besides the usual ones, and these that only the shim is given.
    pub(crate) fn start_with(
        world: &World,
        theirs: &[(&str, &str)],
        shims: &[(&str, &str)],
        arguments: &[&str],
    ) -> Self {
        let shim = assert_cmd::cargo::cargo_bin!("toolgate");
        Self::start_command(world, theirs, shims, &[&[shim.to_str().unwrap()], arguments].concat())
    }

    pub(crate) fn start_command(
        world: &World,
        theirs: &[(&str, &str)],
        shims: &[(&str, &str)],
        command: &[&str],
    ) -> Self {
        let shims: Vec<String> =
            shims.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let shims: Vec<&str> = shims.iter().map(String::as_str).collect();
        Self::start_agent(world, theirs, &[&["agent", "env"], &shims[..], command].concat())
    }

    /// With an agent of this kind as the client. No shell plays one: who has a shell start something
    /// is the client itself, and the test would be.
    pub(crate) fn start_agent(world: &World, theirs: &[(&str, &str)], agent: &[&str]) -> Self {
        let own = [
            ("HOME", world.home().display().to_string()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("XDG_RUNTIME_DIR", runtime_folder(world).display().to_string()),
        ];
        let theirs = theirs.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let variables = own.into_iter().chain(theirs).map(|(name, value)| (name.to_owned(), value));
        let peer = peer_path().display().to_string();
        let words = std::iter::once(peer).chain(agent.iter().map(|word| (*word).to_owned()));
        let variables: Vec<(String, String)> = variables.collect();
        let mut desk = Desk::start(&world.project(), &variables, &words.collect::<Vec<_>>());
        let (stdin, stdout) = (desk.shell.stdin.take(), desk.shell.stdout.take());
        let stdout = stdout.map(BufReader::new);
        Self { _watched: end_if_it_hangs(desk.agent), desk, stdin, stdout }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.desk.agent
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stdin.as_mut().unwrap().write_all(bytes.as_ref()).unwrap();
    }

    /// Says nothing more.
    pub(crate) fn finish(&mut self) {
        self.stdin = None;
    }

    /// Listens no more.
    pub(crate) fn turn_deaf(&mut self) {
        self.stdout = None;
    }

    /// The next line with its end; empty once there is none.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn message(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Waits until it has ended by itself.
    pub(crate) fn ended(mut self) -> Ended {
        let (mut out, mut stderr) = (String::new(), String::new());
        if let Some(stdout) = &mut self.stdout {
            stdout.read_to_string(&mut out).unwrap();
        }
        self.desk.shell.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { code: self.desk.shell.wait().unwrap().code(), stdout: out, stderr }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The shim ends with its standard input, and the client with the shim.
        self.stdin = None;
        let _ = self.desk.shell.wait();
    }
}
