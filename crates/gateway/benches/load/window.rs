//! A window of an agent: `toolgate stdio` started by a client in a home of its own, as clients start
//! it, and the daemon behind it.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::gate::Home;

/// A shim and the client that started it.
pub(crate) struct Window {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    line: String,
    next: u64,
}

impl Window {
    /// Starts one in a folder of the home. The shell plays the client: who a person is comes from the
    /// process above the shim.
    pub(crate) fn start(home: &Home, gate: &Path, folder: &str) -> Result<Self, Failure> {
        let folder = home.path().join(folder);
        fs::create_dir_all(&folder)?;
        let mut child = Command::new("/bin/sh")
            .args(["-c", "\"$0\" stdio; exit $?"])
            .arg(gate)
            .current_dir(folder)
            .env_clear()
            .env("HOME", home.path())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = Some(child.stdin.take().ok_or("no input")?);
        let stdout = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, stdin, stdout, line: String::new(), next: 0 })
    }

    /// Starts one and opens its session.
    pub(crate) fn open(home: &Home, gate: &Path, folder: &str) -> Result<Self, Failure> {
        let mut window = Self::start(home, gate, folder)?;
        window.begin()?;
        Ok(window)
    }

    pub(crate) fn begin(&mut self) -> Result<(), Failure> {
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}"#;
        self.ask("initialize", params)?;
        self.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
    }

    /// The list of tools, as the line it came in.
    pub(crate) fn list(&mut self) -> Result<&str, Failure> {
        self.ask("tools/list", "{}")
    }

    pub(crate) fn call(&mut self, tool: &str, text: &str) -> Result<(), Failure> {
        let params = format!(r#"{{"name":"{tool}","arguments":{{"text":"{text}"}}}}"#);
        let answer = self.ask("tools/call", &params)?;
        match answer.contains(text) && !answer.contains("\"isError\":true") {
            true => Ok(()),
            false => Err(format!("no echo: {answer:.300}").into()),
        }
    }

    fn ask(&mut self, method: &str, params: &str) -> Result<&str, Failure> {
        let id = self.next;
        self.next += 1;
        self.send(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        ))?;
        let own = format!("\"id\":{id},");
        loop {
            self.line.clear();
            if self.stdout.read_line(&mut self.line)? == 0 {
                return Err("the shim ended".into());
            }
            // What nobody asked for has a method, and no id of ours.
            if self.line.contains(&own) && !self.line.contains("\"method\":") {
                break;
            }
        }
        match self.line.contains("\"error\":{\"code\"") {
            true => Err(format!("refused: {:.300}", self.line).into()),
            false => Ok(&self.line),
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        Ok(self.stdin.as_mut().ok_or("it was closed")?.write_all(line.as_bytes())?)
    }

    /// The shim's process.
    pub(crate) fn shim(&self) -> Result<u32, Failure> {
        let sh = self.child.id();
        let children = fs::read_to_string(format!("/proc/{sh}/task/{sh}/children"))?;
        Ok(children.split_whitespace().next().ok_or("no shim")?.parse()?)
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // The shim ends with its input, and the shell with the shim.
        self.stdin = None;
        let _ = self.child.wait();
    }
}

/// The daemon of a home; it ends with this value.
pub(crate) struct Daemon(pub(crate) u32);

impl Daemon {
    pub(crate) fn of(home: &Home) -> Result<Self, Failure> {
        let run = home.path().join(".local/state/toolgate/run");
        for entry in fs::read_dir(run)? {
            let words = fs::read_to_string(entry?.path().join("daemon.lock")).unwrap_or_default();
            if let Some(pid) = words.split(' ').next().and_then(|pid| pid.parse().ok()) {
                return Ok(Self(pid));
            }
        }
        Err("no daemon".into())
    }

    fn is_alive(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0)).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.0.to_string()]).status();
        let until = Instant::now() + Duration::from_secs(20);
        while self.is_alive() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
