//! The gate under test: the real program with a global configuration in a home of its own.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::Failure;
use crate::client::Place;
use crate::process::{cpu_of, cpu_of_thread, memory_of};
use crate::server::Era;

/// The limits that a configuration has besides the usual ones.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) sessions: Option<u32>,
    /// The longest result that is passed on whole.
    pub(crate) result_bytes: Option<u64>,
}

/// The thread that makes rows of records.
const ROWS: &str = "toolgate-store";

/// A configuration as it is being written.
pub(crate) struct Config(String);

impl Config {
    pub(crate) fn new(limits: Limits) -> Self {
        // A list that is asked for anew in the middle would be measured too.
        let mut text = "version = 1\n[limits]\ntools_ttl_ms = 3600000\n".to_owned();
        if let Some(sessions) = limits.sessions {
            let _ = writeln!(text, "sessions = {sessions}");
        }
        if let Some(bytes) = limits.result_bytes {
            let _ = writeln!(text, "result_bytes = {bytes}");
        }
        text.push_str("[gateway]\nexposure = \"direct\"\n");
        Self(text)
    }

    pub(crate) fn remote(mut self, name: &str, url: &str) -> Self {
        let _ = write!(self.0, "[servers.{name}]\nurl = \"{url}\"\napproval = \"approve\"\n");
        self
    }

    /// A local server of this era; the last word is only to find it by.
    pub(crate) fn local(mut self, name: &str, era: Era, mark: &str) -> Result<Self, Failure> {
        let program = std::env::current_exe()?;
        write!(
            self.0,
            "[servers.{name}]\ncommand = {program:?}\nargs = [\"stdio\", \"{}\", \"{name}\", \
             \"{mark}\"]\napproval = \"approve\"\n",
            era.as_str()
        )?;
        Ok(self)
    }
}

impl Config {
    /// The server that was added last does not show this one of its tools.
    pub(crate) fn without(mut self, tool: &str) -> Self {
        let _ = writeln!(self.0, "deny_tools = [\"{tool}\"]");
        self
    }

    /// A bundle of all that a server has, under the server's name.
    pub(crate) fn bundle(mut self, server: &str) -> Self {
        let _ = write!(self.0, "[bundles.{server}]\nserver = \"{server}\"\nmode = \"direct\"\n");
        self
    }

    /// How safe records are. Goes last: what follows would be in its section.
    pub(crate) fn synced(mut self, policy: &str) -> Self {
        let _ = write!(self.0, "[audit]\nfsync = \"{policy}\"\n");
        self
    }

    /// A role that has these bundles.
    pub(crate) fn role(mut self, name: &str, bundles: &[String]) -> Result<Self, Failure> {
        writeln!(self.0, "[roles.{name}]\nbundles = {bundles:?}")?;
        Ok(self)
    }

    /// The server that was added last stops when nobody uses it for so long.
    pub(crate) fn idle(mut self, milliseconds: u32) -> Self {
        let _ = writeln!(self.0, "idle_timeout_ms = {milliseconds}");
        self
    }
}

/// A running gate. It ends with this value, and what it started with it.
pub(crate) struct Gate {
    child: Child,
    pub(crate) place: Place,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Welcome {
    endpoint: String,
    token_file: String,
}

/// A folder with a home in it.
pub(crate) struct Home(PathBuf);

impl Home {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Puts another configuration in the place of the one there is, as editors do it.
    pub(crate) fn rewrite(&self, config: Config) -> Result<(), Failure> {
        let folder = self.0.join(".config/toolgate");
        fs::write(folder.join("new"), config.0)?;
        Ok(fs::rename(folder.join("new"), folder.join("config.toml"))?)
    }

    pub(crate) fn new(parent: &Path, name: &str, config: Config) -> Result<Self, Failure> {
        let folder = parent.join(name);
        fs::create_dir_all(folder.join(".config/toolgate"))?;
        fs::create_dir_all(folder.join("project"))?;
        fs::write(folder.join(".config/toolgate/config.toml"), config.0)?;
        Ok(Self(folder))
    }

    /// Starts a gate there, and waits until it says where it is.
    pub(crate) fn start(&self, program: &Path) -> Result<Gate, Failure> {
        let mut child = Command::new(program)
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .current_dir(self.0.join("project"))
            .env_clear()
            .env("HOME", &self.0)
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let mut text = String::new();
        let welcome = loop {
            let Some(line) = lines.next() else {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("the gate did not start: {text}").into());
            };
            text.push_str(&line?);
            if let Ok(welcome) = serde_json::from_str::<Welcome>(&text) {
                break welcome;
            }
        };
        let token = fs::read_to_string(welcome.token_file)?.trim().to_owned();
        let place = Place { url: welcome.endpoint, token: Some(token) };
        Ok(Gate { child, place })
    }
}

impl Gate {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        memory_of(self.id())
    }

    /// Waits until it does nothing more of its own, so that its memory is what it stays at.
    pub(crate) fn rest(&self) -> Result<(), Failure> {
        let began = Instant::now();
        let mut used = cpu_of(self.id())?;
        while began.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(250));
            let now = cpu_of(self.id())?;
            if now == used {
                break;
            }
            used = now;
        }
        Ok(())
    }

    /// Waits until rows are made of its records, which it begins when nobody called for up to a second.
    pub(crate) fn make_rows(&self) -> Result<(), Failure> {
        let began = Instant::now();
        let before = cpu_of_thread(self.id(), ROWS)?;
        let mut used = before;
        while began.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(100));
            let now = cpu_of_thread(self.id(), ROWS)?;
            if now == used && now > before {
                break;
            }
            used = now;
        }
        Ok(())
    }

    /// Ends it in order, and waits for that.
    pub(crate) fn stop(mut self) -> Result<(), Failure> {
        Command::new("kill").args(["-TERM", &self.id().to_string()]).status()?;
        let began = Instant::now();
        while self.child.try_wait()?.is_none() {
            if began.elapsed() > Duration::from_secs(15) {
                return Err("the gate does not end".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Ends it the hard way.
    pub(crate) fn kill(mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
