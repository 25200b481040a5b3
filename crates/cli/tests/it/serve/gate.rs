//! A running `toolgate serve` and the simplest client there can be: one request, one connection.
//!
//! The client is a program of its own, at a desk of its own: whoever calls is an agent, and the test is
//! the person.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{OnceLock, mpsc};

use serde_json::{Value, json};

use crate::lineage::http_agent::HttpAgent;
use crate::support::{World, end_if_it_hangs};

/// The gateway, from its greeting to its end.
pub(crate) struct Gate {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// What it printed before it said how to stop it.
    pub(crate) greeting: String,
    address: String,
    token: Option<String>,
    /// Where it was started, and with which variables.
    around: (PathBuf, Vec<(String, String)>),
    caller: OnceLock<HttpAgent>,
    _watched: mpsc::Sender<()>,
}

/// How a gate ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
}

impl Gate {
    /// Starts it with these arguments and waits until it serves.
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        Self::of(world.command(arguments))
    }

    /// Of a command that is ready to start.
    pub(crate) fn of(mut command: Command) -> Self {
        let around = around(&command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let watched = end_if_it_hangs(child.id());
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        while !greeting.ends_with("stop with Ctrl-C\n") {
            if stdout.read_line(&mut greeting).unwrap() == 0 {
                child.stderr.take().unwrap().read_to_string(&mut greeting).unwrap();
                assert_eq!(greeting, "", "it ended");
            }
        }
        let said = |label: &str| {
            let line = greeting.lines().find_map(|line| line.trim().strip_prefix(label));
            line.map(|line| line.trim().to_owned())
        };
        let endpoint = said("endpoint").unwrap();
        let address = endpoint.split_once("://").unwrap().1.strip_suffix("/mcp").unwrap();
        let kept = said("token").map(|kept| kept.strip_prefix("in ").unwrap().to_owned());
        let token = kept.map(|file| std::fs::read_to_string(file).unwrap().trim().to_owned());
        let address = address.to_owned();
        let caller = OnceLock::new();
        Self { child, stdout, greeting, address, token, around, caller, _watched: watched }
    }

    /// The same on a port of its own.
    pub(crate) fn on_free_port(world: &World) -> Self {
        Self::start(world, &["serve", "--listen", "127.0.0.1:0"])
    }

    pub(crate) fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    /// The one that was made for it, unless none was.
    pub(crate) fn first_token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The greeting without what differs from run to run.
    pub(crate) fn steady_greeting(&self, world: &World) -> String {
        let token = self.token.as_deref().unwrap_or("no token");
        let text = self.greeting.replace(token, "<token>").replace(&self.address, "<address>");
        let text = text.replace(&world.home().display().to_string(), "<home>");
        text.replace(&world.project().display().to_string(), "<project>")
    }

    /// The names in the list of tools at a path.
    pub(crate) fn tools(&self, path: &str) -> Vec<String> {
        let tools = self.ask(path, "tools/list", json!({}))["result"]["tools"].take();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.as_array().unwrap().iter().map(name).collect()
    }

    pub(crate) fn call(&self, path: &str, tool: &str, arguments: &Value) -> Value {
        self.ask(path, "tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Asks with the token and gives the answer.
    pub(crate) fn ask(&self, path: &str, method: &str, params: Value) -> Value {
        answer_in(&self.post(path, self.token.as_deref(), method, params).1)
    }

    /// Asks with another token than the first.
    pub(crate) fn ask_with(&self, token: &str, method: &str, params: Value) -> Value {
        answer_in(&self.post("/mcp", Some(token), method, params).1)
    }

    /// Where it listens: a host and a port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The folder it was started in, and with which variables.
    pub(crate) fn around(&self) -> (&Path, &[(String, String)]) {
        (&self.around.0, &self.around.1)
    }

    /// A request of the modern era with the first token, as bytes.
    pub(crate) fn request(&self, method: &str, params: Value) -> String {
        self.written("/mcp", self.token.as_deref(), method, params)
    }

    /// The status of a list that is asked for with this token.
    pub(crate) fn status(&self, path: &str, token: Option<&str>) -> u16 {
        self.post(path, token, "tools/list", json!({})).0
    }

    /// What it counts, for who has the first token.
    pub(crate) fn metrics(&self) -> String {
        let (address, token) = (&self.address, self.token());
        let mut stream = self.caller().connect();
        let request = format!(
            "GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             authorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    /// Posts a request of the modern era; gives status and body.
    fn post(&self, path: &str, token: Option<&str>, method: &str, params: Value) -> (u16, String) {
        let mut stream = self.caller().connect();
        stream.write_all(self.written(path, token, method, params).as_bytes()).unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let reply = String::from_utf8(reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        (status, if is_chunked { whole(body) } else { body.to_owned() })
    }

    fn written(&self, path: &str, token: Option<&str>, method: &str, mut params: Value) -> String {
        let named = params["name"].as_str().map(|name| format!("mcp-name: {name}\r\n"));
        for (name, value) in [
            ("protocolVersion", json!("2026-07-28")),
            ("clientInfo", json!({"name": "plain", "version": "1"})),
            ("clientCapabilities", json!({})),
        ] {
            let place = &mut params["_meta"][format!("io.modelcontextprotocol/{name}")];
            // A test may have said it otherwise.
            if place.is_null() {
                *place = value;
            }
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n"));
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{}{}\
             content-length: {}\r\n\r\n",
            self.address,
            named.unwrap_or_default(),
            token.unwrap_or_default(),
            body.len()
        );
        head + &body
    }

    /// Who calls: a program of its own, which runs other things too.
    pub(crate) fn caller(&self) -> &HttpAgent {
        let (folder, variables) = &self.around;
        self.caller.get_or_init(|| HttpAgent::start(folder, variables, &self.address))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Tells it to end and waits.
    pub(crate) fn end(mut self) -> Ended {
        Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { code: self.child.wait().unwrap().code(), stderr }
    }
}

/// A test that failed leaves nothing running.
impl Drop for Gate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer in a body, be it a stream or not.
fn answer_in(body: &str) -> Value {
    let answer = body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    let mut answer = answer.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    answer.find(|answer| answer["id"] == 1).expect("an answer")
}

/// The folder and the variables of a command.
fn around(command: &Command) -> (PathBuf, Vec<(String, String)>) {
    let text = |text: &OsStr| text.to_str().unwrap().to_owned();
    let variables = command.get_envs().filter_map(|(name, value)| Some((text(name), text(value?))));
    (command.get_current_dir().unwrap().to_owned(), variables.collect())
}

/// A body that came in pieces.
fn whole(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        out.push_str(&rest[..length]);
        body = rest[length..].trim_start_matches("\r\n");
    }
    out
}
