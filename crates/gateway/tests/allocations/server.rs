//! The server behind the gate: one tool that says back what it is told, on a port, with a thread for each
//! connection.

use std::io::{BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::era::{Era, TOOL};
use crate::http::HttpMessage;

/// Its threads end with the process: nobody else has the port.
pub(crate) struct McpServer {
    address: SocketAddr,
    calls: Arc<AtomicU32>,
}

impl McpServer {
    pub(crate) fn start(era: Era) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (address, calls) = (listener.local_addr().unwrap(), Arc::<AtomicU32>::default());
        let called = Arc::clone(&calls);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, called) = (stream.unwrap(), Arc::clone(&called));
                thread::spawn(move || serve(era, stream, &called));
            }
        });
        Self { address, calls }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// How many calls reached it.
    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

fn serve(era: Era, stream: TcpStream, calls: &AtomicU32) {
    stream.set_nodelay(true).unwrap();
    let mut requests = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(request) = HttpMessage::read(&mut requests) {
        let answer = if request.first_line().starts_with("POST ") {
            answer(era, &request.body, calls)
        } else {
            // It says nothing unasked, and its sessions need no end.
            "HTTP/1.1 405 Method Not Allowed\r\ncontent-length: 0\r\n\r\n".to_owned()
        };
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(era: Era, message: &str, calls: &AtomicU32) -> String {
    let message: Value = serde_json::from_str(message).unwrap();
    let Some(id) = message.get("id") else {
        return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_owned();
    };
    let said = match result(era, &message, calls) {
        Some(result) => format!(r#""result":{result}"#),
        None => r#""error":{"code":-32601,"message":"method not found"}"#.to_owned(),
    };
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},{said}}}"#);
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n{body}"
    )
}

fn result(era: Era, message: &Value, calls: &AtomicU32) -> Option<String> {
    let result = match (message["method"].as_str().unwrap(), era) {
        ("initialize", Era::Legacy) => json!({
            "protocolVersion": era.version(), "capabilities": {"tools": {}},
            "serverInfo": {"name": "echo", "version": "1"},
        })
        .to_string(),
        ("server/discover", Era::Modern) => json!({
            "resultType": "complete", "supportedVersions": [era.version()],
            "capabilities": {"tools": {}}, "ttlMs": 3_600_000, "cacheScope": "private",
        })
        .to_string(),
        ("tools/list", _) => json!({
            "resultType": "complete", "tools": [tool()], "ttlMs": 3_600_000, "cacheScope": "private",
        })
        .to_string(),
        ("tools/call", _) => {
            calls.fetch_add(1, Ordering::Relaxed);
            let (kind, text) = (era.result_type(), &message["params"]["arguments"]["text"]);
            format!(
                r#"{{{kind}"content":[{{"type":"text","text":{text}}},{{"type":"text","text":"one"}}],"isError":false}}"#
            )
        }
        _ => return None,
    };
    Some(result)
}

fn tool() -> Value {
    json!({
        "name": TOOL,
        "description": "Says back what it is told.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What is said back"},
                "report": {"type": "boolean"},
            },
            "required": ["text"],
        },
    })
}
