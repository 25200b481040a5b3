//! A registry of npm packages on this machine.

#![allow(clippy::print_stderr, reason = "what cannot be shown here is said")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::World;

/// It ends with the test.
pub(super) struct Registry {
    folder: TempDir,
    process: Child,
    pub(super) port: u16,
}

/// Node with npm, Python for the registry, and walls. Where one is missing, nothing below can be shown.
pub(super) fn has_what_is_needed() -> bool {
    for program in ["npm", "node", "python3"] {
        let is_there = ["/usr/local/bin", "/usr/bin", "/bin"]
            .iter()
            .any(|folder| std::path::Path::new(folder).join(program).exists());
        if !is_there {
            eprintln!("SKIPPED: {program} is not among the programs of the machine");
            return false;
        }
    }
    let ran = World::new().run(&["sandbox", "run", "--", "true"]);
    if ran.code != 0 {
        assert!(ran.stderr.contains("does not let walls be built"), "{ran:?}");
        eprintln!("SKIPPED: {}", ran.stderr);
    }
    ran.code == 0
}

impl Registry {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("registry.py");
        fs::write(&script, include_str!("registry.py")).unwrap();
        let mut process = Command::new("python3")
            .arg(&script)
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { folder, process, port: line.trim().parse().unwrap() }
    }

    pub(super) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.host())
    }

    /// A package with the server; `script` is what it runs when it is installed.
    pub(super) fn publish(&self, name: &str, version: &str, script: &str) {
        let folder = self.folder.path().join("npm").join(name).join(version);
        fs::create_dir_all(&folder).unwrap();
        let mut manifest =
            serde_json::json!({ "name": name, "version": version, "bin": "server.js" });
        if !script.is_empty() {
            manifest["scripts"] = serde_json::json!({ "postinstall": script });
        }
        fs::write(folder.join("package.json"), manifest.to_string()).unwrap();
        let server = include_str!("server.js").replace("VERSION", version);
        fs::write(folder.join("server.js"), server).unwrap();
        fs::write(folder.join("probe.js"), include_str!("probe.js")).unwrap();
    }

    /// Another file in a package that is there.
    pub(super) fn change(&self, name: &str, version: &str, file: &str, text: &str) {
        fs::write(self.folder.path().join("npm").join(name).join(version).join(file), text)
            .unwrap();
    }

    /// Credential and path of everything that was asked for.
    pub(super) fn asked(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.folder.path().join("asked")).unwrap_or_default();
        asked.lines().map(ToOwned::to_owned).collect()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
