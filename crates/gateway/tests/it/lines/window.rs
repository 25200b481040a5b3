//! A client at one end of a socket: it writes lines and reads lines, and checks nothing.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;
use toolgate_gateway::{AttachedClient, ConversationEnd, Gateway, KnownCaller, NoPlace};
use toolgate_types::Principal;

use crate::gate::{Running, within};

/// One agent window.
pub(crate) struct Window {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
    /// What came while something else was waited for.
    unread: Vec<Value>,
    conversation: JoinHandle<Result<ConversationEnd, NoPlace>>,
}

/// The local user, in the workspace that the gateway was started in.
pub(crate) fn attached() -> AttachedClient {
    let known = KnownCaller { shows_forms: true, ..KnownCaller::of(Principal::local_user()) };
    AttachedClient {
        known,
        workspace: None,
        role: None,
        requester: Default::default(),
        switches: Default::default(),
        window: None,
    }
}

impl Window {
    pub(crate) fn of(gate: &Running) -> Self {
        Self::attach(&gate.gateway, attached())
    }

    pub(crate) fn attach(gateway: &Gateway, attached: AttachedClient) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let gateway = gateway.clone();
        let conversation = tokio::spawn(async move {
            let (reader, writer) = theirs.into_split();
            gateway.converse(attached, reader, writer).await
        });
        let (reader, writer) = ours.into_split();
        let lines = BufReader::new(reader).lines();
        Self { lines, writer, unread: Vec::new(), conversation }
    }

    /// Opens a session with the newest revision that has them and no capabilities.
    pub(crate) async fn open(gate: &Running) -> Self {
        let mut window = Self::of(gate);
        window.initialize("2025-11-25", json!({})).await;
        window
    }

    pub(crate) async fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "window", "version": "0"},
        });
        let answer = self.ask("init", "initialize", params).await;
        self.notify("notifications/initialized", json!({})).await;
        answer
    }

    /// Writes this as it is.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        within(self.writer.write_all(bytes.as_ref())).await.unwrap();
    }

    pub(crate) async fn say(&mut self, message: impl ToString) {
        self.write(format!("{}\n", message.to_string())).await;
    }

    /// Sends a request and does not wait.
    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.say(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn cancel(&mut self, id: impl Into<Value>) {
        self.notify("notifications/cancelled", json!({"requestId": id.into()})).await;
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id = id.into();
        self.request(id.clone(), method, params).await;
        self.answer(id).await
    }

    /// Begins to call a tool.
    pub(crate) async fn calling(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "t"}});
        self.request(id, "tools/call", params).await;
    }

    /// Calls a tool and gives the answer.
    pub(crate) async fn call(
        &mut self,
        id: impl Into<Value>,
        tool: &str,
        arguments: Value,
    ) -> Value {
        let id = id.into();
        self.calling(id.clone(), tool, arguments).await;
        self.answer(id).await
    }

    /// The next message, in the order in which they came.
    pub(crate) async fn next(&mut self) -> Value {
        if !self.unread.is_empty() {
            return self.unread.remove(0);
        }
        self.read().await.expect("the stream goes on")
    }

    /// The answer to this request; what comes before it can be read later.
    pub(crate) async fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(place) = self.unread.iter().position(is_it) {
            return self.unread.remove(place);
        }
        loop {
            let message = self.read().await.expect("the stream goes on");
            if is_it(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    /// Everything that comes until the end.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut all = std::mem::take(&mut self.unread);
        while let Some(message) = self.read().await {
            all.push(message);
        }
        all
    }

    /// What came while something else was waited for.
    pub(crate) fn unread(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.unread)
    }

    /// Nothing came but what was waited for: a ping is answered before anything else is read.
    pub(crate) async fn heard_nothing_else(&mut self) {
        let pong = self.ask("nothing else", "ping", json!({})).await;
        assert_eq!(pong["result"], json!({}));
        assert_eq!(self.unread, Vec::<Value>::new());
    }

    /// Says nothing more, and goes on listening.
    pub(crate) async fn fall_silent(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    /// Waits until the gateway is through with it.
    pub(crate) async fn over(self) -> ConversationEnd {
        let Self { conversation, .. } = self;
        within(conversation).await.unwrap().unwrap()
    }

    /// Ends the gateway's side of it, as the end of its task does.
    pub(crate) fn drop_conversation(&self) {
        self.conversation.abort();
    }

    async fn read(&mut self) -> Option<Value> {
        let line = within(self.lines.next_line()).await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}")))
    }
}
