//! The client: one connection that is kept, one call after the other, on a thread of its own.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::era::{Era, LISTED_TOOL, TEXT};
use crate::gate::Gate;
use crate::http::HttpMessage;

/// Only a gate that hangs takes so long for an answer.
const HANG: Duration = Duration::from_secs(120);

/// The client's thread ends with this.
pub(crate) struct Client {
    wanted: mpsc::Sender<u32>,
    done: UnboundedReceiver<()>,
}

impl Client {
    /// Connects and finds its tool before the first call.
    pub(crate) fn start(era: Era, gate: &Gate) -> Self {
        let (wanted, calls) = mpsc::channel();
        let (told, done) = unbounded_channel();
        let (address, token) = (gate.address, gate.token.clone());
        thread::spawn(move || {
            let head = format!(
                "host: {address}\r\nauthorization: Bearer {token}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n"
            );
            let stream = TcpStream::connect(address).unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(HANG)).unwrap();
            let answers = BufReader::new(stream.try_clone().unwrap());
            Caller { era, head, stream, answers, next: 0 }.work(&calls, &told);
        });
        Self { wanted, done }
    }

    /// Until so many calls were answered as they should be.
    pub(crate) async fn call(&mut self, calls: u32) {
        self.wanted.send(calls).expect("the client's thread is there");
        self.done.recv().await.expect("every call is answered");
    }
}

struct Caller {
    era: Era,
    /// The headers that go with everything.
    head: String,
    stream: TcpStream,
    answers: BufReader<TcpStream>,
    next: u64,
}

impl Caller {
    fn work(mut self, wanted: &mpsc::Receiver<u32>, done: &UnboundedSender<()>) {
        let mut is_begun = false;
        while let Ok(calls) = wanted.recv() {
            if !is_begun {
                self.begin();
                is_begun = true;
            }
            (0..calls).for_each(|_| self.call());
            if done.send(()).is_err() {
                return;
            }
        }
    }

    fn begin(&mut self) {
        if self.era == Era::Legacy {
            let params = r#""protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}"#;
            let begun = self.request("initialize", None, params);
            let session = begun.header("mcp-session-id").expect("a session");
            self.head.push_str(&format!("mcp-session-id: {session}\r\n"));
        }
        self.head.push_str(&format!("mcp-protocol-version: {}\r\n", self.era.version()));
        if self.era == Era::Legacy {
            self.post("", r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        }
        let listed = self.request("tools/list", None, "").body;
        assert!(listed.contains(&format!(r#""name":"{LISTED_TOOL}""#)), "{listed}");
    }

    fn call(&mut self) {
        let params = format!(r#""name":"{LISTED_TOOL}","arguments":{{"text":"{TEXT}"}}"#);
        let body = self.request("tools/call", Some(LISTED_TOOL), &params).body;
        assert!(body.contains(TEXT) && body.contains(r#""isError":false"#), "{body}");
    }

    fn request(&mut self, method: &str, name: Option<&str>, params: &str) -> HttpMessage {
        let id = self.next;
        self.next += 1;
        let meta = self.era.meta();
        let meta = if params.is_empty() { meta.trim_start_matches(',') } else { meta };
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{meta}}}}}"#
        );
        let answer = self.post(&self.era.mirrored(method, name), &body);
        assert!(answer.body.contains(&format!(r#""id":{id},"result":"#)), "{}", answer.body);
        answer
    }

    fn post(&mut self, mirrored: &str, body: &str) -> HttpMessage {
        let (head, length) = (&self.head, body.len());
        let request =
            format!("POST /mcp HTTP/1.1\r\n{head}{mirrored}content-length: {length}\r\n\r\n{body}");
        self.stream.write_all(request.as_bytes()).unwrap();
        let answer = HttpMessage::read(&mut self.answers).expect("the gate answers");
        assert!(answer.first_line().contains(" 20"), "{}: {}", answer.first_line(), answer.body);
        answer
    }
}
