//! A cloned repository, and everything that a person or an agent does first in it.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use super::trace::{Account, Trace};
use super::traps::Traps;
use crate::daemon::house::{Ends, Window, eventually, house};
use crate::serve::gate::Gate;
use crate::stdio::client::Client;
use crate::support::{Ran, World, end_if_it_hangs};

pub(super) struct Repository {
    pub(super) world: World,
    pub(super) traps: Traps,
    trace: Trace,
    /// Where everything is started; the repository's own folder, unless a test goes elsewhere.
    folder: RefCell<PathBuf>,
}

/// A client's entry for Toolgate, as a repository may bring one.
#[derive(Default)]
pub(super) struct ClientEntry {
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
}

impl ClientEntry {
    fn plain() -> Self {
        Self { args: vec!["stdio".to_owned()], env: Vec::new() }
    }

    /// As a client reads it.
    pub(super) fn of(text: &str) -> Self {
        let entry: Value =
            serde_json::from_str::<Value>(text).unwrap()["mcpServers"]["gate"].take();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            args: entry["args"].as_array().unwrap().iter().map(word).collect(),
            env: entry["env"]
                .as_object()
                .map(|env| env.iter().map(|(name, value)| (name.clone(), word(value))).collect())
                .unwrap_or_default(),
        }
    }
}

impl Repository {
    pub(super) fn new() -> Self {
        Self::of(house())
    }

    pub(super) fn of(world: World) -> Self {
        let folder = world.project().canonicalize().unwrap();
        let above = folder.parent().unwrap().to_owned();
        let traps = Traps::in_folder(above.join("marks"));
        let trace = Trace::in_folder(above.join("traces"));
        Self { world, traps, trace, folder: RefCell::new(folder) }
    }

    pub(super) fn file(self, path: &str, text: &str) -> Self {
        self.world.write(&format!("project/{path}"), text);
        self
    }

    /// The repository's folder, whatever a test has done to it.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.borrow().clone()
    }

    /// From here on everything is started there.
    pub(super) fn go_to(&self, folder: &Path) {
        *self.folder.borrow_mut() = folder.canonicalize().unwrap();
    }

    /// Runs a verb, traced, with nobody at a terminal.
    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.world.command(arguments);
        command.current_dir(self.folder());
        let mut command = self.trace.of(&command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let _watched = end_if_it_hangs(child.id());
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().expect("it ended by itself"),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts the shim as a client does that has this entry.
    fn client(&self, entry: &ClientEntry) -> Client {
        let shims: Vec<(&str, &str)> =
            entry.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let folder = self.folder().display().to_string();
        let program = assert_cmd::cargo::cargo_bin!("toolgate").to_str().unwrap().to_owned();
        // A client starts what it starts in the folder that it was opened in.
        let inner = ["/usr/bin/env".to_owned(), "-C".to_owned(), folder];
        let words = inner.into_iter().chain(self.trace.words()).chain([program]);
        let words: Vec<String> = words.chain(entry.args.iter().cloned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Client::start_command(&self.world, &[], &shims, &words)
    }

    /// Everything that somebody does who has just cloned it, and then looks at what happened: nothing
    /// of it may have run, and nothing may have been reached.
    #[track_caller]
    pub(super) fn is_harmless(&self, ids: &[&str]) -> Account {
        self.is_harmless_with(&ClientEntry::plain(), ids)
    }

    /// The same for a client with this entry.
    #[track_caller]
    pub(super) fn is_harmless_with(&self, entry: &ClientEntry, ids: &[&str]) -> Account {
        self.traps.clear();
        for verb in [
            &["list"][..],
            &["status"],
            &["tools"],
            &["config", "show"],
            &["config", "check"],
            &["doctor"],
            &["trust", "--list"],
            &["trust"],
        ] {
            self.run(verb);
        }
        for id in ids {
            assert_ne!(self.run(&["test", id]).code, 0, "{id}");
        }
        for id in ids.iter().take(1) {
            assert_ne!(self.run(&["call", id, "run"]).code, 0, "{id}");
            assert_ne!(self.run(&["call", "local", id]).code, 0, "{id}");
        }
        self.agent_works(entry, ids);
        self.gate_serves(ids);
        let account = self.trace.account();
        account.is_innocent(&self.folder());
        assert_eq!(self.traps.marks(), [].into(), "what ran");
        assert_eq!(self.traps.visits(), 0, "what was dialled");
        account
    }

    /// A window of an agent that lists and calls, while the person looks at what runs.
    fn agent_works(&self, entry: &ClientEntry, ids: &[&str]) {
        let ends = Ends(&self.world);
        let mut window = Window::begin(self.client(entry));
        let tools = window.tools();
        self.has_nothing_of(&tools, ids);
        // With nothing accepted these are our own, and do what they do.
        for name in tools {
            window.ask("tools/call", json!({"name": name, "arguments": {"query": "words"}}));
        }
        for name in likely_names(ids) {
            let answer = window.ask("tools/call", json!({"name": name, "arguments": {}}));
            let is_refused = answer["error"].is_object() || answer["result"]["isError"] == true;
            assert!(is_refused, "{name}: {answer}");
        }
        for verb in [&["status"][..], &["tools"], &["list"]] {
            self.run(verb);
        }
        window.client.finish();
        drop(ends);
        // Until its streams are closed the account is not complete.
        window.client.ended();
    }

    fn gate_serves(&self, ids: &[&str]) {
        let mut command = self.world.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.current_dir(self.folder());
        let gate = Gate::of(self.trace.of(&command));
        assert_eq!(gate.status("/mcp", None), 401);
        self.has_nothing_of(&gate.tools("/mcp"), ids);
        for name in likely_names(ids) {
            let answer = gate.call("/mcp", &name, &json!({}));
            let is_refused = answer["error"].is_object() || answer["result"]["isError"] == true;
            assert!(is_refused, "{name}: {answer}");
        }
        gate.end();
    }

    fn has_nothing_of(&self, tools: &[String], ids: &[&str]) {
        let names = likely_names(ids);
        assert!(!tools.iter().any(|tool| names.contains(tool)), "{tools:?}");
    }

    /// A person accepts everything, at a terminal.
    #[track_caller]
    pub(super) fn accept(&self) {
        // Only there: whoever is asked works in the repository itself.
        self.world.run_at_terminal(&["trust"], &"y\n".repeat(20)).ok();
    }

    /// That the traps work: the same entries leave these marks, and reach the address if they name
    /// it, now that they may.
    #[track_caller]
    pub(super) fn springs(&self, marks: &[&str], connects: bool) {
        self.traps.clear();
        let ends = Ends(&self.world);
        let mut client = self.client(&ClientEntry::plain());
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        client.send(format!("{request}\n"));
        // Before that it would start another daemon in the place of one that ends.
        client.line();
        let expected = marks.iter().map(|mark| (*mark).to_owned()).collect();
        eventually("all traps spring", || {
            self.traps.marks() == expected && (!connects || self.traps.visits() > 0)
        });
        client.finish();
        drop(ends);
        client.ended();
        if Trace::is_usable() {
            let Account { executed, connected, .. } = self.trace.account();
            let sh = ["/bin/sh", "/usr/bin/sh"];
            let ran = |program: &String| program.ends_with(".sh") || sh.contains(&program.as_str());
            let port = format!("AF_INET {}", self.traps.port());
            assert!(marks.is_empty() || executed.iter().any(ran), "{executed:?}");
            assert!(!connects || connected.contains(&port), "{connected:?}");
        }
    }
}

/// What a tool of these entries could be called.
fn likely_names(ids: &[&str]) -> Vec<String> {
    let forms = |id: &&str| {
        let own = [format!("{id}__run"), format!("{id}.run"), format!("{id}:run")];
        own.into_iter().chain([format!("local__{id}"), (*id).to_owned()]).collect::<Vec<_>>()
    };
    ids.iter().flat_map(forms).collect()
}

/// Removes whatever is at a path.
pub(super) fn clear(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
}
