//! A small world for one test: a home, a project, a clean environment, and the real binary.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use pty_process::blocking::Pty;
use tempfile::TempDir;
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Script, Site};

/// Folders of one test; they go when it ends.
pub(crate) struct World {
    folder: TempDir,
    project: String,
    variables: Vec<(String, String)>,
}

/// What a run of the binary left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_project("project")
    }

    /// One whose project is in a folder of this name.
    pub(crate) fn with_project(project: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for inner in ["home", project] {
            std::fs::create_dir(folder.path().join(inner)).unwrap();
        }
        Self { folder, project: project.to_owned(), variables: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join(&self.project)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The whole file at once, as editors do: nobody reads half of it.
    pub(crate) fn replace(&self, path: &str, text: &str) {
        let written = self.write(&format!("{path}.new"), text);
        std::fs::rename(written, self.folder.path().join(path)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }

    /// The person's own configuration file.
    pub(crate) const GLOBAL: &'static str = "home/.config/toolgate/config.toml";

    /// The binary with nobody at a terminal.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.ran(self.command(arguments).output().unwrap())
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("toolgate"));
        command.args(arguments).current_dir(self.project()).env_clear();
        command.envs(self.environment());
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let home = self.home().display().to_string();
        let path = "/usr/local/bin:/usr/bin:/bin".to_owned();
        let own = [("HOME".to_owned(), home), ("PATH".to_owned(), path)];
        own.into_iter().chain(self.variables.clone()).collect()
    }

    /// The binary at a terminal, where a person types `answers`. Standard output and error are one.
    pub(crate) fn run_at_terminal(&self, arguments: &[&str], answers: &str) -> Ran {
        let mut terminal = self.at_terminal(arguments);
        terminal.type_in(answers);
        terminal.ended(self)
    }

    /// The binary running at a terminal of 24 lines and 80 columns.
    pub(crate) fn at_terminal(&self, arguments: &[&str]) -> Terminal {
        let program = assert_cmd::cargo::cargo_bin!("toolgate");
        self.program_at_terminal(program.to_str().unwrap(), arguments)
    }

    /// The same for another program.
    pub(crate) fn program_at_terminal(&self, program: &str, arguments: &[&str]) -> Terminal {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let mut command = pty_process::blocking::Command::new(program)
            .args(arguments)
            .current_dir(self.project())
            .env_clear();
        for (name, value) in self.environment() {
            command = command.env(name, value);
        }
        let child = command.spawn(pts).unwrap();
        let _watched = end_if_it_hangs(child.id());
        Terminal { child, pty, seen: Vec::new(), mark: 0, _watched }
    }

    /// The binary with this on its standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        self.ran(child.wait_with_output().unwrap())
    }

    pub(crate) fn ran(&self, output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap(),
            stdout: self.steady(&String::from_utf8(output.stdout).unwrap()),
            stderr: self.steady(&String::from_utf8(output.stderr).unwrap()),
        }
    }

    /// Adds a server of this name to the person's own file: a process that plays this script, and
    /// whose tools may be called.
    pub(crate) fn local(&self, name: &str, script: &Script) {
        self.local_with(name, script, "approval = \"approve\"");
    }

    pub(crate) fn local_with(&self, name: &str, script: &Script, keys: &str) {
        // In a file, since places like `${id}` would be taken for variables in a configuration.
        let script = self.write(&format!("home/{name}.json"), &script.to_argument());
        self.server(name, &format!("command = {:?}\nargs = [{script:?}]\n{keys}", peer_path()));
    }

    /// Adds a server to the person's own file.
    pub(crate) fn server(&self, name: &str, keys: &str) {
        let path = self.folder.path().join(Self::GLOBAL);
        let before = std::fs::read_to_string(path).unwrap_or_default();
        let entry = format!("[servers.{name}]\nstartup_timeout_ms = 20000\n{keys}\n");
        self.write(Self::GLOBAL, &format!("{before}{entry}"));
    }

    /// Text without what differs from run to run.
    pub(crate) fn steady(&self, text: &str) -> String {
        let folder = self.folder.path();
        let real = folder.canonicalize().unwrap();
        let replace = |text: String, path: &Path| text.replace(path.to_str().unwrap(), "<world>");
        replace(replace(text.to_owned(), &real), folder)
    }
}

/// A run at a terminal that has not ended yet.
pub(crate) struct Terminal {
    pty: Pty,
    child: Child,
    seen: Vec<u8>,
    /// Up to where it was waited for.
    mark: usize,
    _watched: mpsc::Sender<()>,
}

/// Ends a process that runs for five minutes, unless what is returned was dropped by then.
pub(crate) fn end_if_it_hangs(process: u32) -> mpsc::Sender<()> {
    let (watched, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let limit = Duration::from_secs(300);
        if ended.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
    });
    watched
}

impl Terminal {
    pub(crate) fn type_in(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this was written to it.
    pub(crate) fn until(&mut self, words: &str) {
        while !String::from_utf8_lossy(&self.seen).contains(words) {
            assert!(self.read(), "{words:?} never came: {:?}", String::from_utf8_lossy(&self.seen));
        }
        let seen = String::from_utf8_lossy(&self.seen);
        self.mark = seen.rfind(words).map_or(0, |place| place + words.len());
    }

    /// Waits until this was written to it, or it ended before.
    pub(crate) fn comes(&mut self, words: &str) -> bool {
        loop {
            if String::from_utf8_lossy(&self.seen).contains(words) {
                self.until(words);
                return true;
            }
            if !self.read() {
                return false;
            }
        }
    }

    /// What was written to it so far, as far as it was waited for.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Waits until this was written to it after what was waited for last.
    pub(crate) fn until_again(&mut self, words: &str) {
        loop {
            let seen = String::from_utf8_lossy(&self.seen).into_owned();
            if let Some(place) = seen.get(self.mark..).and_then(|rest| rest.find(words)) {
                self.mark += place + words.len();
                return;
            }
            assert!(self.read(), "{words:?} never came again: {seen:?}");
        }
    }

    /// Everything that was written to it, once the run is over.
    pub(crate) fn ended(mut self, world: &World) -> Ran {
        while self.read() {}
        let ended = self.child.wait().unwrap();
        // One that a signal ended, in the way shells tell it.
        let code = ended.code().unwrap_or_else(|| 128 + ended.signal().unwrap());
        let text = String::from_utf8(self.seen).unwrap().replace("\r\n", "\n");
        Ran { code, stdout: world.steady(&text), stderr: String::new() }
    }

    /// A closed terminal reads as an error on Linux; either way it is the end.
    fn read(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let count = self.pty.read(&mut buffer).unwrap_or(0);
        self.seen.extend_from_slice(&buffer[..count]);
        count > 0
    }
}

/// A scripted server on loopback for as long as the runtime lives.
pub(crate) fn served(script: Script) -> (tokio::runtime::Runtime, Site) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let site = runtime.block_on(script.over_http(WebManners::default()));
    (runtime, site)
}

/// The program that plays a script, built beside this test.
pub(crate) fn peer_path() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join("examples/toolgate-cli-peer");
    assert!(path.exists(), "run `cargo build --examples -p toolgate` first");
    path
}

/// Text with the references of calls, which differ from run to run, replaced.
pub(crate) fn without_reference(text: &str) -> String {
    let hex = |text: &str| text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
    let (mut out, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let process = hex(rest);
        let count = rest[process..].strip_prefix('-').map_or(0, hex);
        if process == 12 && count > 0 {
            out.push_str("<ref>");
            rest = &rest[process + 1 + count..];
        } else {
            let end = process.max(next.len_utf8());
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out
}

impl Ran {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn fails_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}
