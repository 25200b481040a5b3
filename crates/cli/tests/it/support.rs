//! A small world for one test: a home, a project, a clean environment, and the real binary.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Folders of one test; they go when it ends.
pub(crate) struct World {
    folder: TempDir,
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
        let folder = tempfile::tempdir().unwrap();
        for inner in ["home", "project"] {
            std::fs::create_dir(folder.path().join(inner)).unwrap();
        }
        Self { folder, variables: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
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
        let output: Output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            stdout: self.steady(&String::from_utf8(output.stdout).unwrap()),
            stderr: self.steady(&String::from_utf8(output.stderr).unwrap()),
        }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("toolgate"));
        command.args(arguments).current_dir(self.project()).env_clear();
        command.envs(self.environment());
        command.stdin(std::process::Stdio::null());
        command
    }

    fn environment(&self) -> Vec<(String, String)> {
        let home = self.home().display().to_string();
        let path = "/usr/local/bin:/usr/bin:/bin".to_owned();
        let own = [("HOME".to_owned(), home), ("PATH".to_owned(), path)];
        own.into_iter().chain(self.variables.clone()).collect()
    }

    /// The binary at a terminal, where a person types `answers`. Standard output and error are one.
    pub(crate) fn run_at_terminal(&self, arguments: &[&str], answers: &str) -> Ran {
        let (mut pty, pts) = pty_process::blocking::open().unwrap();
        let program = assert_cmd::cargo::cargo_bin!("toolgate");
        let mut command = pty_process::blocking::Command::new(program)
            .args(arguments)
            .current_dir(self.project())
            .env_clear();
        for (name, value) in self.environment() {
            command = command.env(name, value);
        }
        let mut child = command.spawn(pts).unwrap();
        pty.write_all(answers.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        // A closed terminal reads as an error on Linux; either way it is the end.
        while let Ok(count) = pty.read(&mut buffer) {
            if count == 0 {
                break;
            }
            bytes.extend_from_slice(&buffer[..count]);
        }
        let code = child.wait().unwrap().code().unwrap();
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        Ran { code, stdout: self.steady(&text), stderr: String::new() }
    }

    /// Text without what differs from run to run.
    fn steady(&self, text: &str) -> String {
        let folder = self.folder.path();
        let real = folder.canonicalize().unwrap();
        let replace = |text: String, path: &Path| text.replace(path.to_str().unwrap(), "<world>");
        replace(replace(text.to_owned(), &real), folder)
    }
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
