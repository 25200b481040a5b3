//! A client that is nothing but HTTP: each request on a connection of its own, nothing checked and
//! nothing understood but events.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::gate::within;

/// A client and the headers it sends with everything.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    path: String,
    headers: Vec<(String, String)>,
}

/// What came back. Dropping it ends the connection.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Our end of the connection.
    pub(crate) local: SocketAddr,
    body: Incoming,
    unread: Vec<u8>,
    connection: JoinHandle<()>,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

impl Event {
    /// The message in it.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr, path: &str) -> Self {
        let headers = vec![
            ("host".to_owned(), address.to_string()),
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        Self { address, path: path.to_owned(), headers }
    }

    /// The same client with this header in the place of any of that name.
    pub(crate) fn header(&self, name: &str, value: &str) -> Self {
        let mut client = self.without(name);
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    pub(crate) fn without(&self, name: &str) -> Self {
        let mut client = self.clone();
        client.headers.retain(|(other, _)| other != name);
        client
    }

    pub(crate) fn bearer(&self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// The same client at another path.
    pub(crate) fn at(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// The id of its session.
    pub(crate) fn session(&self) -> &str {
        let is_it = |(name, _): &&(String, String)| name == "mcp-session-id";
        &self.headers.iter().find(is_it).unwrap().1
    }

    /// Sends a request and waits for the head of the answer.
    pub(crate) async fn send(&self, method: &str, body: impl Into<Bytes>) -> Reply {
        within(self.try_send(method, body.into())).await.unwrap()
    }

    /// The same where it may well fail.
    pub(crate) async fn try_send(&self, method: &str, body: Bytes) -> Result<Reply, String> {
        let stream = TcpStream::connect(self.address).await.map_err(|error| error.to_string())?;
        let local = stream.local_addr().map_err(|error| error.to_string())?;
        let shaken = handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = shaken.map_err(|error| error.to_string())?;
        let connection = tokio::spawn(async move { drop(connection.await) });
        let mut request = Request::builder().method(method).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body)).unwrap();
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let (parts, body) = response.into_parts();
        let (status, headers) = (parts.status, parts.headers);
        Ok(Reply { status, headers, local, body, unread: Vec::new(), connection })
    }

    /// Posts a message.
    pub(crate) async fn post(&self, message: impl ToString) -> Reply {
        self.send("POST", message.to_string()).await
    }

    /// Opens a session, with the newest revision that has them and no capabilities.
    pub(crate) async fn initialize(&self) -> Self {
        self.initialize_as("2025-11-25", &json!({})).await
    }

    pub(crate) async fn initialize_as(&self, version: &str, capabilities: &Value) -> Self {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "0"},
        });
        let reply = self.request(json!("init"), "initialize", params).await;
        assert_eq!(reply.status, StatusCode::OK, "{:?}", reply.headers);
        let session = reply.headers["mcp-session-id"].to_str().unwrap().to_owned();
        let agreed = reply.json().await["result"]["protocolVersion"].as_str().unwrap().to_owned();
        let client = self.header("mcp-session-id", &session);
        let client = client.header("mcp-protocol-version", &agreed);
        client.notify("notifications/initialized", json!({})).await;
        client
    }

    pub(crate) async fn request(&self, id: Value, method: &str, params: Value) -> Reply {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.post(message).await
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        let reply = self.post(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
        assert_eq!(reply.status, StatusCode::ACCEPTED, "{:?}", reply.headers);
    }

    /// Calls a tool with the id 0 and gives the whole answer, however it came.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.calling(tool, arguments).await.answer().await
    }

    /// The same, as it comes.
    pub(crate) async fn calling(&self, tool: &str, arguments: Value) -> Reply {
        self.request(json!(0), "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Opens the stream of what nobody asked for.
    pub(crate) async fn get_stream(&self) -> Reply {
        let reply = self.send("GET", "").await;
        assert_eq!(reply.status, StatusCode::OK);
        reply
    }

    /// Picks a stream up after this event.
    pub(crate) async fn resume(&self, event: &str) -> Reply {
        self.header("last-event-id", event).get_stream().await
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    pub(crate) async fn text(mut self) -> String {
        while self.read().await {}
        String::from_utf8(std::mem::take(&mut self.unread)).unwrap()
    }

    pub(crate) async fn json(self) -> Value {
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON: {text}"))
    }

    /// The next event; `None` at the end of the stream.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|two| two == b"\n\n") {
                let event: Vec<u8> = self.unread.drain(..end + 2).collect();
                return Some(event_of(std::str::from_utf8(&event).unwrap()));
            }
            if !self.read().await {
                assert!(self.unread.is_empty(), "the stream ended within an event");
                return None;
            }
        }
    }

    /// The next event with a message in it, as JSON.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            let event = self.event().await.expect("the stream goes on");
            if !event.data.is_empty() {
                return event.json();
            }
        }
    }

    /// How long the body is, of which nothing is kept.
    pub(crate) async fn length(mut self) -> usize {
        let mut length = self.unread.len();
        self.unread.clear();
        while self.read().await {
            length += self.unread.len();
            self.unread.clear();
        }
        length
    }

    /// The answer to a request: the whole body, or the last message of the stream.
    pub(crate) async fn answer(mut self) -> Value {
        if !self.is_stream() {
            return self.json().await;
        }
        let mut last = None;
        while let Some(event) = self.event().await {
            last = Some(event);
        }
        last.expect("a stream ends with the answer").json()
    }

    /// Reads more; whether there was any.
    async fn read(&mut self) -> bool {
        match within(self.body.frame()).await {
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    self.unread.extend_from_slice(&data);
                }
                true
            }
            _ => false,
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

fn event_of(text: &str) -> Event {
    let mut event = Event { id: None, data: String::new() };
    for line in text.lines() {
        match line.split_once(':').map(|(name, value)| (name, value.trim_start())) {
            Some(("id", value)) => event.id = Some(value.to_owned()),
            Some(("data", value)) => event.data.push_str(value),
            _ => {}
        }
    }
    event
}
