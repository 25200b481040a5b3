//! The world that an attack is tried in, and who is in it.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::attack::{Attack, ScriptedServer};
use super::login::{HostileLogin, LoginSite};
use crate::daemon::house::{Window, house};
use crate::desk::Desk;
use crate::lineage::agent::{Errands, toolgate};
use crate::serve::gate::Gate;
use crate::support::{Ran, World, peer_path};

/// What a server asks that asks something.
const QUESTION: &str =
    r#"{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}"#;

pub(super) struct Stage {
    pub(super) world: World,
    pub(super) window: Option<Window>,
    pub(super) errands: Option<Errands>,
    pub(super) gate: Option<Gate>,
    /// The id of the call whose answer was not waited for.
    pub(super) call: Option<u64>,
    /// The id under which the window was asked.
    pub(super) question: Option<Value>,
    /// Servers that want a login, by their ids.
    pub(super) logins: BTreeMap<String, LoginSite>,
    /// What `{name}` stands for.
    pub(super) words: BTreeMap<String, String>,
}

impl Stage {
    pub(super) fn set(attack: &Attack) -> Self {
        let mut world = house();
        let root = world.home().parent().unwrap().canonicalize().unwrap();
        let path = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
        let words = [("world", path(root)), ("toolgate", toolgate()), ("peer", path(peer_path()))];
        let words: BTreeMap<String, String> =
            words.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        for (name, value) in &attack.env {
            world = world.with(name, &fill(&words, value));
        }
        world.write(World::GLOBAL, &fill(&words, &attack.config));
        for (path, text) in &attack.files {
            world.write(path, &fill(&words, text));
        }
        for (id, server) in &attack.servers {
            add_server(&world, &words, id, server);
        }
        let begun = |(id, login): (&String, &HostileLogin)| {
            (id.clone(), LoginSite::begin(&world, id, login))
        };
        let logins = attack.logins.iter().map(begun).collect();
        add_patience(&world);
        let (window, errands, gate, call, question) = (None, None, None, None, None);
        Self { world, window, errands, gate, call, question, logins, words }
    }

    pub(super) fn fill(&self, text: &str) -> String {
        fill(&self.words, text)
    }

    pub(super) fn fill_all(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.fill(text)).collect()
    }

    pub(super) fn window(&mut self) -> &mut Window {
        self.window.as_mut().expect("a step `window` before")
    }

    /// A window of an agent that runs errands.
    pub(super) fn open_window(&mut self, args: &[String], asks: bool) {
        let args = self.fill_all(args);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (client, errands) =
            Errands::begin(&self.world, &[&["toolgate", "stdio"], &args[..]].concat());
        let capabilities = if asks { json!({"elicitation": {}}) } else { json!({}) };
        self.window = Some(Window::begin_with(client, capabilities));
        self.errands = Some(errands);
    }

    /// A shell of the person's own.
    pub(super) fn shell(&self, script: &str) -> Ran {
        // At a desk, since everybody above a program that calls over HTTP is held for an agent too;
        // and in a session without the terminal of that.
        let command = ["setsid", "sh", "-c", script].map(str::to_owned);
        let variables = self.world.environment();
        let mut desk = Desk::start(&self.world.project(), &variables, &command);
        drop(desk.shell.stdin.take());
        self.world.ran(desk.shell.wait_with_output().unwrap())
    }
}

fn fill(words: &BTreeMap<String, String>, text: &str) -> String {
    let filled = |text: String, (name, value): (&String, &String)| {
        text.replace(&format!("{{{name}}}"), value)
    };
    words.iter().fold(text.to_owned(), filled)
}

/// Time that a person or a server would not need and a busy machine may: an attack that fails because
/// of either says nothing.
fn add_patience(world: &World) {
    let path = world.home().join("../").join(World::GLOBAL);
    let mut text = fs::read_to_string(&path).unwrap();
    for (section, key) in [("limits", "list_wait_ms"), ("approval", "unattended_ms")] {
        if !text.contains(&format!("[{section}]")) {
            text += &format!("\n[{section}]\n{key} = 60000\n");
        }
    }
    world.write(World::GLOBAL, &text);
}

/// What it is told goes through a file on its way, so that it can be looked at.
fn add_server(world: &World, words: &BTreeMap<String, String>, id: &str, server: &ScriptedServer) {
    let ScriptedServer { keys, tools, resources, instructions, says, asks } = server;
    let mut acts = vec![Act::ask("elicitation/create", QUESTION); *asks];
    acts.push(Act::say(says));
    let mut script = Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":{}}}"#, fill(words, tools)))])
        .on("tools/call", acts);
    if let Some(resources) = resources {
        let list = format!(r#"{{"resources":{}}}"#, fill(words, resources));
        let text = json!({"uri": "${message:/params/uri}", "text": says});
        script = script
            .offering(r#"{"tools":{},"resources":{"subscribe":true}}"#)
            .on("resources/list", [Act::answer(list)])
            .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
            .on("resources/read", [Act::answer(json!({"contents": [text]}).to_string())]);
    }
    if let Some(instructions) = instructions {
        let capabilities = if resources.is_some() {
            json!({"tools": {}, "resources": {"subscribe": true}})
        } else {
            json!({"tools": {}})
        };
        let answer = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "serverInfo": {"name": id, "version": "1"}, "instructions": instructions});
        script = script.on("initialize", [Act::answer(answer.to_string())]);
    }
    let script = world.write(&format!("home/{id}.json"), &script.to_argument());
    let (peer, script) = (peer_path(), script.display().to_string());
    let log = reached_path(world, id);
    // First into the file and then to the server: what was answered is written down.
    let (log, peer) = (log.display(), peer.display());
    let line = format!("tee -a '{log}' /dev/fd/3 3>&1 >/dev/null | '{peer}' '{script}'");
    let keys = fill(words, keys);
    world.server(id, &format!("command = \"sh\"\nargs = [\"-c\", {line:?}]\n{keys}"));
}

/// Where everything goes that a server is told.
pub(super) fn reached_path(world: &World, id: &str) -> std::path::PathBuf {
    world.home().join(format!("{id}.reached"))
}
