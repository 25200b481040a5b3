//! A client that started `toolgate stdio`, with an environment that is not the shim's.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use serde_json::Value;

use super::daemon::runtime_folder;
use crate::support::{World, end_if_it_hangs, peer_path};

pub(crate) struct Client {
    /// The program that plays the client; the shim is its child.
    child: Child,
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
        let mut client = Command::new(peer_path());
        client.args(agent).current_dir(world.project()).env_clear();
        client.env("HOME", world.home()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        client.env("XDG_RUNTIME_DIR", runtime_folder(world)).envs(theirs.iter().copied());
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = client.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { _watched: end_if_it_hangs(child.id()), child, stdin, stdout }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
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
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { code: self.child.wait().unwrap().code(), stdout: out, stderr }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The shim ends with its standard input, and the client with the shim.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
