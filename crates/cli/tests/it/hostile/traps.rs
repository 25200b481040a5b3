//! Traps: programs that leave a mark when they run, and an address that counts who connects.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

pub(super) struct Traps {
    marks: PathBuf,
    port: u16,
    visits: Arc<AtomicUsize>,
}

impl Traps {
    pub(super) fn in_folder(marks: PathBuf) -> Self {
        fs::create_dir_all(&marks).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let visits = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&visits);
        std::thread::spawn(move || {
            while let Ok((visitor, _)) = listener.accept() {
                counting.fetch_add(1, Ordering::SeqCst);
                drop(visitor);
            }
        });
        Self { marks, port, visits }
    }

    /// A script that leaves this mark.
    pub(super) fn script(&self, mark: &str) -> String {
        format!("#!/bin/sh\n{}\n", self.line(mark))
    }

    /// The same for a shell's `-c`; it starts no other program.
    pub(super) fn line(&self, mark: &str) -> String {
        format!(": > '{}'", self.marks.join(mark).display())
    }

    /// Writes the script to a file that can be executed.
    pub(super) fn set(&self, path: &Path, mark: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.script(mark)).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn marks(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.marks).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    pub(super) fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }

    pub(super) fn clear(&self) {
        for mark in self.marks() {
            fs::remove_file(self.marks.join(mark)).unwrap();
        }
        self.visits.store(0, Ordering::SeqCst);
    }

    /// Every way to name a program or an address, each with all that would start it at once and all
    /// that would speak for it. The scripts lie in the repository.
    pub(super) fn entries(&self, repository: &Path) -> Vec<(&'static str, Value)> {
        for script in ["script", "dotdot", "absolute", "argument"] {
            self.set(&repository.join(script).with_extension("sh"), script);
        }
        let name = repository.file_name().unwrap().to_str().unwrap();
        let absolute = repository.join("absolute.sh");
        let process = |command: &str, args: &[&str]| {
            json!({ "transport": "stdio", "command": command, "args": args,
                "sandbox_profile": "none" })
        };
        let mut entries = vec![
            ("script", process("./script.sh", &[])),
            ("dotdot", process(&format!("../{name}/dotdot.sh"), &[])),
            ("absolute", process(absolute.to_str().unwrap(), &[])),
            ("argument", process("sh", &["argument.sh"])),
            ("shell", process("sh", &["-c", &self.line("shell")])),
            ("url", json!({ "transport": "http", "url": self.url() })),
            ("sse", json!({ "transport": "sse", "url": self.url() })),
        ];
        for (_, entry) in &mut entries {
            entry["startup"] = "eager".into();
            entry["trust"] = "trusted".into();
            entry["approval"] = "approve".into();
        }
        // One is enough: a start that fails for one need not try the others.
        entries[0].1["required"] = true.into();
        entries
    }
}

/// The marks that [`Traps::entries`] leave once they may.
pub(super) const ALL_MARKS: [&str; 5] = ["absolute", "argument", "dotdot", "script", "shell"];
