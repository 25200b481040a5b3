//! A client that started `toolgate stdio`, with an environment that is not the shim's.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;

use serde_json::Value;

use super::daemon::runtime_folder;
use crate::support::{World, end_if_it_hangs};

pub(crate) struct Client {
    /// The shell that plays the client; the shim is its child.
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
        let mut shell = Command::new("/bin/sh");
        // Not as the last command, or the shell would become it.
        shell.args(["-c", "env \"$@\"; exit $?", "client"]);
        shell.args(shims.iter().map(|(name, value)| format!("{name}={value}"))).args(command);
        shell.current_dir(world.project()).env_clear();
        shell.env("HOME", world.home()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        shell.env("XDG_RUNTIME_DIR", runtime_folder(world)).envs(theirs.iter().copied());
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().unwrap();
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
        // The shim ends with its standard input, and the shell with the shim.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
