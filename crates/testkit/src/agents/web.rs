//! The HTTP side of a link: a request for each message, and the headers that go with it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::script::MODERN;

const SESSION: &str = "mcp-session-id";

/// One client of one address.
#[derive(Debug, Clone)]
pub(super) struct WebLink {
    address: SocketAddr,
    path: String,
    token: Option<String>,
    heard: mpsc::UnboundedSender<Value>,
    /// The session that was opened, and the revision it was opened with.
    session: Arc<Mutex<Option<(String, String)>>>,
}

impl WebLink {
    pub(super) fn new(
        address: SocketAddr,
        path: &str,
        token: Option<&str>,
        heard: mpsc::UnboundedSender<Value>,
    ) -> Self {
        let (path, token) = (path.to_owned(), token.map(str::to_owned));
        Self { address, path, token, heard, session: Arc::default() }
    }

    /// Sends what comes; requests wait side by side, everything else is taken before what follows it.
    pub(super) async fn run(self, mut messages: mpsc::UnboundedReceiver<Value>) {
        let mut waiting = JoinSet::new();
        while let Some(message) = messages.recv().await {
            let is_request = message.get("id").is_some() && message.get("method").is_some();
            let opens_session = message["method"] == "notifications/initialized";
            match is_request {
                true => drop(waiting.spawn(self.clone().post(message))),
                false => self.clone().post(message).await,
            }
            if opens_session {
                waiting.spawn(self.clone().listen());
            }
        }
        let session = self.session.lock().unwrap().clone();
        if let Some((id, version)) = session {
            let headers = vec![(SESSION, id), ("mcp-protocol-version", version)];
            self.send("DELETE", headers, String::new()).await;
        }
    }

    /// The stream of what nobody asked for.
    async fn listen(self) {
        let headers = self.headers(&Value::Null);
        if let Some(response) = self.send("GET", headers, String::new()).await {
            self.read(response, &Value::Null).await;
        }
    }

    async fn post(self, message: Value) {
        let headers = self.headers(&message);
        let response = self.send("POST", headers, message.to_string()).await;
        let Some(response) = response else { return };
        let session = response.headers().get(SESSION).and_then(|id| id.to_str().ok());
        if let (Some(id), true) = (session, message["method"] == "initialize") {
            let version = message["params"]["protocolVersion"].as_str().unwrap_or_default();
            *self.session.lock().unwrap() = Some((id.to_owned(), version.to_owned()));
        }
        self.read(response, &message["id"]).await;
    }

    /// What the era of a message wants besides its body.
    fn headers(&self, message: &Value) -> Vec<(&'static str, String)> {
        let params = &message["params"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(version) = params["_meta"][MODERN].as_str() {
            let mut headers = vec![
                ("mcp-protocol-version", version.to_owned()),
                ("mcp-method", text(&message["method"])),
            ];
            let name = params["name"].as_str().or(params["uri"].as_str());
            headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
            return headers;
        }
        match self.session.lock().unwrap().clone() {
            Some((id, version)) => vec![(SESSION, id), ("mcp-protocol-version", version)],
            None => Vec::new(),
        }
    }

    async fn send(
        &self,
        method: &str,
        headers: Vec<(&'static str, String)>,
        body: String,
    ) -> Option<Response<Incoming>> {
        let stream = TcpStream::connect(self.address).await.ok()?;
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(async move { drop(connection.await) });
        let accepted = "application/json, text/event-stream";
        let mut request = Request::builder()
            .method(method)
            .uri(&self.path)
            .header("host", self.address.to_string())
            .header("content-type", "application/json")
            .header("accept", accepted);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        sender.send_request(request.body(Full::new(Bytes::from(body))).unwrap()).await.ok()
    }

    /// Hands on every message of an answer; one that holds none is an error of the request's.
    async fn read(&self, response: Response<Incoming>, id: &Value) {
        let status = response.status();
        let media = response.headers().get("content-type").cloned();
        let is_stream = media.is_some_and(|media| media == "text/event-stream");
        let mut body = response.into_body();
        let mut unread = Vec::new();
        while let Some(Ok(frame)) = body.frame().await {
            unread.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
            while let Some(end) = unread.windows(2).position(|two| is_stream && two == b"\n\n") {
                let event: Vec<u8> = unread.drain(..end + 2).collect();
                self.hear_event(&String::from_utf8_lossy(&event));
            }
        }
        if is_stream || unread.is_empty() && status.is_success() {
            return;
        }
        let error = json!({"code": -32000, "message": format!("HTTP {status}")});
        let failed = json!({"jsonrpc": "2.0", "id": id, "error": error});
        let _ = self.heard.send(serde_json::from_slice(&unread).unwrap_or(failed));
    }

    fn hear_event(&self, event: &str) {
        let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
        if let Ok(message) = serde_json::from_str(&data) {
            let _ = self.heard.send(message);
        }
    }
}
