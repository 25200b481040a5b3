//! A world with a daemon in it, windows of agents, and servers that say who they are.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use crate::stdio::client::Client;
use crate::stdio::daemon::{run_folder, runtime_folder};
use crate::support::World;

/// Only something that hangs takes so long.
const HANG: Duration = Duration::from_secs(120);

/// As long as a list is to wait for a server where a test is not about that: on a slow machine a server
/// takes longer to start than a list usually waits.
pub(crate) const PATIENT_LISTS: &str = "[limits]\nlist_wait_ms = 60000\n";

/// A world whose commands find the daemon of its windows.
pub(crate) fn house() -> World {
    let world = World::new();
    world.write(World::GLOBAL, PATIENT_LISTS);
    let run = runtime_folder(&world).display().to_string();
    world.with("XDG_RUNTIME_DIR", &run)
}

/// A server that tells its process, and waits where it is asked to.
pub(crate) fn teller() -> Script {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["who", "wait", "let_go", "die"].map(tool).join(",");
    Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{tools}]}}"#))])
        .on_call("who", [Act::answer(r#"{"content":[{"type":"text","text":"${pid}"}]}"#)])
        .on_call("wait", [Act::hold("go"), Act::say("waited")])
        // Lets the other one go when it is cancelled itself.
        .on_call("let_go", [Act::hold("received notifications/cancelled"), Act::release("go")])
        .on_call("die", [Act::Exit(3)])
}

/// A window of an agent, in a session.
pub(crate) struct Window {
    pub(crate) client: Client,
    /// What it was greeted with.
    pub(crate) greeting: Value,
    pub(crate) next: u64,
}

impl Window {
    /// In the world's project.
    pub(crate) fn open(world: &World) -> Self {
        Self::open_with(world, &[], &[], &["stdio"])
    }

    pub(crate) fn open_with(
        world: &World,
        theirs: &[(&str, &str)],
        shims: &[(&str, &str)],
        arguments: &[&str],
    ) -> Self {
        Self::begin(Client::start_with(world, theirs, shims, arguments))
    }

    /// In another folder.
    pub(crate) fn open_in(world: &World, folder: &Path) -> Self {
        let program = assert_cmd::cargo::cargo_bin!("toolgate").to_str().unwrap().to_owned();
        let command = ["-C", folder.to_str().unwrap(), &program, "stdio"];
        Self::begin(Client::start_command(world, &[], &[], &command))
    }

    pub(crate) fn begin(client: Client) -> Self {
        Self::begin_with(client, json!({}))
    }

    /// With a client that can do this.
    pub(crate) fn begin_with(client: Client, capabilities: Value) -> Self {
        let mut window = Self { client, greeting: Value::Null, next: 0 };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"}});
        let opened = window.ask("initialize", params);
        assert_eq!(opened["result"]["serverInfo"]["name"], "toolgate", "{opened}");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        window.client.send(format!("{initialized}\n"));
        window.greeting = opened["result"].clone();
        window
    }

    /// Sends a request; its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.client.send(format!("{request}\n"));
        id
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// The answer to a request; what comes before it is passed over.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.client.line();
            assert!(!line.is_empty(), "the shim ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Waits for a notification; answers are passed over.
    pub(crate) fn notified(&mut self, method: &str) {
        loop {
            let line = self.client.line();
            assert!(!line.is_empty(), "the shim ended before {method}");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == method {
                return;
            }
        }
    }

    /// Has a call under way that ends when the second of these is cancelled.
    pub(crate) fn wait_on(&mut self, world: &World, server: &str) -> (u64, u64) {
        let call = |tool: &str| json!({"name": format!("{server}__{tool}"), "arguments": {}});
        let ids = (self.send("tools/call", call("wait")), self.send("tools/call", call("let_go")));
        eventually("both are under way", || {
            let status = world.run(&["status", "--json"]).ok().json();
            let servers = status["workspaces"][0]["servers"].as_array().cloned();
            let mut counts = servers.into_iter().flatten().map(|one| one["inFlight"].as_u64());
            counts.any(|count| count == Some(2))
        });
        ids
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        let cancelled = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.client.send(format!("{cancelled}\n"));
    }

    /// What a tool says.
    pub(crate) fn call(&mut self, tool: &str) -> String {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": {}}));
        let text = &answer["result"]["content"][0]["text"];
        assert!(text.is_string(), "{answer}");
        text.as_str().unwrap().to_owned()
    }

    pub(crate) fn tools(&mut self) -> Vec<String> {
        let answer = self.ask("tools/list", json!({}));
        let tools = &answer["result"]["tools"];
        assert!(tools.is_array(), "{answer}");
        let tools = tools.as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// The daemon of a world.
pub(crate) struct Daemon {
    pub(crate) pid: u32,
}

impl Daemon {
    /// The one that runs.
    pub(crate) fn of(world: &World) -> Self {
        let words = fs::read_to_string(run_folder(world).join("daemon.lock")).unwrap();
        Self { pid: words.split(' ').next().unwrap().parse().unwrap() }
    }

    pub(crate) fn signal(&self, signal: &str) {
        signal_to(self.pid, signal);
    }

    /// Waits until it is gone.
    pub(crate) fn ended(&self) {
        eventually("the daemon ends", || !is_alive(self.pid));
    }
}

/// Ends the daemon of a world with the test.
pub(crate) struct Ends<'a>(pub(crate) &'a World);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let words = fs::read_to_string(run_folder(self.0).join("daemon.lock"));
        if let Some(pid) = words.ok().and_then(|words| words.split(' ').next()?.parse().ok()) {
            signal_to(pid, "TERM");
            let until = Instant::now() + HANG;
            while is_alive(pid) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

pub(crate) fn signal_to(pid: u32, signal: &str) {
    let _ =
        std::process::Command::new("kill").args([&format!("-{signal}"), &pid.to_string()]).status();
}

/// Whether a process is there and has not ended, to its last thread: until then it has its sockets.
pub(crate) fn is_alive(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let has_ended = stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z');
    let threads = || fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().count();
    !has_ended || threads() > 1
}

/// The processes that play a script of this world.
pub(crate) fn servers(world: &World) -> Vec<u32> {
    let folder = world.home().parent().unwrap().display().to_string();
    let found = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let path = entry.ok()?.path();
        let line = fs::read(path.join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let mut words = line.split('\0');
        let (program, first) = (words.next()?, words.next()?);
        let pid = path.file_name()?.to_str()?.parse().ok()?;
        // The peer also plays agents, which may be told to work in a folder of this world.
        let plays = program.ends_with("toolgate-cli-peer") && first != "agent";
        (plays && line.contains(&folder) && is_alive(pid)).then_some(pid)
    });
    found.collect()
}

/// Waits for something that no signal tells.
#[track_caller]
pub(crate) fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    assert!(until(is_so), "{what}: it never came to that");
}

/// Waits until it is so; `false` if it never was.
pub(crate) fn until(mut is_so: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + HANG;
    while !is_so() {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
