//! Command tools over HTTP: heard while they run, in both eras, and reached through bundles and roles.

#![allow(clippy::print_stderr, reason = "what cannot be shown here is said")]

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::serve::gate::Gate;
use crate::support::World;

/// Behind walls and harmless, so that nobody has to be asked.
const HARMLESS: &str =
    "requires_approval = false\nside_effects = [\"fs_read\"]\nstreaming = true\n";

fn harmless(name: &str, script: &str) -> String {
    let script = serde_json::to_string(script).unwrap();
    format!("[tools.{name}]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script}]\n{HARMLESS}")
}

/// An answer that comes piece by piece.
struct Stream {
    reader: BufReader<TcpStream>,
    text: String,
    events: VecDeque<Value>,
}

impl Stream {
    /// Sends a request, and reads the head of the answer.
    fn of(gate: &Gate, request: &str) -> (Self, String) {
        let mut stream = gate.caller().connect();
        stream.write_all(request.as_bytes()).unwrap();
        let (mut reader, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
        }
        (Self { reader, text: String::new(), events: VecDeque::new() }, head)
    }

    /// The next message that was sent, of an answer in chunks.
    fn next(&mut self) -> Value {
        loop {
            if let Some(event) = self.events.pop_front() {
                return event;
            }
            let mut length = String::new();
            self.reader.read_line(&mut length).unwrap();
            let length = usize::from_str_radix(length.trim(), 16).unwrap();
            assert_ne!(length, 0, "it ended: {}", self.text);
            let mut chunk = vec![0; length + 2];
            self.reader.read_exact(&mut chunk).unwrap();
            self.text.push_str(std::str::from_utf8(&chunk[..length]).unwrap());
            while let Some(end) = self.text.find('\n') {
                let line: String = self.text.drain(..=end).collect();
                let data =
                    line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty());
                self.events.extend(data.map(|data| serde_json::from_str::<Value>(data).unwrap()));
            }
        }
    }
}

/// A request of the older era.
fn older(gate: &Gate, session: Option<&str>, body: &Value) -> String {
    let session = session.map(|id| format!("mcp-session-id: {id}\r\n")).unwrap_or_default();
    let body = body.to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nauthorization: Bearer {}\r\n{session}\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        gate.address(),
        gate.token(),
        body.len()
    )
}

/// Opens a session and says which.
fn session(gate: &Gate) -> String {
    let opening = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "plain", "version": "1"}}});
    let (_, head) = Stream::of(gate, &older(gate, None, &opening));
    let line = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let id = line.expect("the head of an answer names the session").to_owned();
    let opened = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    Stream::of(gate, &older(gate, Some(&id), &opened));
    id
}

#[test]
fn what_it_prints_is_heard_over_http_while_it_runs_in_both_eras() {
    if !crate::sandbox::has_walls() {
        return;
    }
    let waits = "echo begun; echo oh >&2; while [ ! -e go ]; do sleep 0.05; done; echo over";
    let world = World::new();
    world.write(World::GLOBAL, &harmless("waits", waits));
    let gate = Gate::on_free_port(&world);
    let session = session(&gate);
    let params = json!({"name": "local__waits", "arguments": {}, "_meta": {"progressToken": "t"}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let requests = [gate.request("tools/call", params), older(&gate, Some(&session), &call)];
    for request in requests {
        let (mut stream, head) = Stream::of(&gate, &request);
        assert!(head.contains("text/event-stream"), "{head}");
        // It goes on only once its first words were heard.
        let mut heard = Vec::new();
        while heard.len() < 2 {
            let message = stream.next();
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], "t");
            let mark = &message["params"]["_meta"]["toolgate/output"]["stream"];
            // The gate's own words have no mark.
            if mark.is_string() {
                heard.push((mark.clone(), message["params"]["message"].clone()));
            }
        }
        heard.sort_by_key(|(stream, _)| stream.to_string());
        let words = [("stderr", "oh\n"), ("stdout", "begun\n")];
        assert_eq!(heard, words.map(|(stream, text)| (json!(stream), json!(text))));
        world.write("project/go", "");
        let over = stream.next();
        assert_eq!(over["params"]["message"], "over\n", "{over}");
        let end = stream.next();
        let ended = json!({"ended": "completed", "exit_code": 0});
        assert_eq!(end["params"]["_meta"]["toolgate/output"], ended, "{end}");
        let answer = stream.next();
        assert_eq!(answer["result"]["content"][0]["text"], "begun\nover\n", "{answer}");
        std::fs::remove_file(world.project().join("go")).unwrap();
    }
}

#[test]
fn bundles_and_roles_that_name_local_tools_list_those_and_no_others() {
    let world = World::new();
    let tools: String = ["lint", "build", "deploy"].map(|name| harmless(name, "true")).concat();
    world.write(
        World::GLOBAL,
        &format!(
            "{tools}[bundles.checks]\nserver = \"local\"\nallow_tools = [\"lint\", \"build\"]\n\
             [bundles.ships]\nserver = \"local\"\ndeny_tools = [\"build\"]\nallow_tools = [\"dep*\", \"build\"]\n\
             [roles.reviewer]\nbundles = [\"checks\"]\n\
             [bundles.behind]\nserver = \"local\"\nmode = \"meta\"\nallow_tools = [\"lint\"]\n[roles.meta]\nbundles = [\"behind\"]\n[roles.shipper]\nbundles = [\"checks\", \"ships\"]\n"
        ),
    );
    let gate = Gate::on_free_port(&world);
    let listed = |path: &str| {
        let mut names = gate.tools(path);
        names.sort();
        names
    };
    assert_eq!(listed("/mcp/reviewer"), ["local__build", "local__lint"]);
    assert_eq!(listed("/mcp/shipper"), ["local__deploy", "local__lint"]);
    assert_eq!(listed("/mcp/reviewer/s/local"), ["local__build", "local__lint"]);
    assert_eq!(listed("/mcp/s/local"), ["local__build", "local__deploy", "local__lint"]);
    // And through the meta tools, where a bundle is reached so.
    assert!(listed("/mcp/meta").contains(&"mcp_call_tool".to_owned()));
    let asked = json!({"serverId": "local", "toolName": "lint"});
    let schema = gate.call("/mcp/meta", "mcp_get_tool_schema", &asked);
    assert_eq!(schema["result"]["structuredContent"]["ok"], true, "{schema}");
    let refused = gate.call("/mcp/reviewer", "local__deploy", &json!({}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}
