//! A client in one of the four ways to speak, so that what holds in all of them is shown in all.
//! Whatever comes on the streams of its requests is heard in one order; nothing is understood.

use http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::client::{Client, Reply};
use crate::gate::{Running, within};
use crate::lines::Window;
use crate::modern::{Caller, VERSION};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    LegacyHttp,
    LegacyLines,
    ModernHttp,
    ModernLines,
}

impl Way {
    pub(crate) const LEGACY: [Self; 2] = [Self::LegacyHttp, Self::LegacyLines];
    pub(crate) const MODERN: [Self; 2] = [Self::ModernHttp, Self::ModernLines];
    pub(crate) const ALL: [Self; 4] =
        [Self::LegacyHttp, Self::LegacyLines, Self::ModernHttp, Self::ModernLines];

    fn is_modern(self) -> bool {
        Self::MODERN.contains(&self)
    }
}

pub(crate) struct Speaker {
    way: Way,
    voice: Voice,
    /// What a modern client says with each request.
    meta: Value,
}

enum Voice {
    Http(Box<Web>),
    Lines(Box<Window>),
}

/// A client over HTTP and the requests that it has under way.
struct Web {
    client: Client,
    heard: UnboundedReceiver<Value>,
    tell: UnboundedSender<Value>,
    requests: JoinSet<()>,
}

impl Speaker {
    /// With these capabilities.
    pub(crate) async fn open(gate: &Running, way: Way, capabilities: Value) -> Self {
        let voice = match way {
            Way::LegacyHttp => {
                Voice::over(gate.client().initialize_as("2025-11-25", &capabilities).await)
            }
            Way::ModernHttp => Voice::over(gate.client()),
            Way::LegacyLines => {
                let mut window = Window::of(gate);
                window.initialize("2025-11-25", capabilities.clone()).await;
                Voice::Lines(Box::new(window))
            }
            Way::ModernLines => Voice::Lines(Box::new(Window::of(gate))),
        };
        Self { way, voice, meta: Self::meta(&capabilities) }
    }

    /// Over HTTP with a token.
    pub(crate) async fn with_token(
        gate: &Running,
        way: Way,
        capabilities: Value,
        token: &str,
    ) -> Self {
        let client = gate.client().bearer(token);
        let client = match way.is_modern() {
            true => client,
            false => client.initialize_as("2025-11-25", &capabilities).await,
        };
        Self { way, voice: Voice::over(client), meta: Self::meta(&capabilities) }
    }

    fn meta(capabilities: &Value) -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "speaker", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        })
    }

    /// Begins to call the tool.
    pub(crate) async fn call(&mut self, id: u64, arguments: Value) {
        self.call_with(id, arguments, json!({})).await;
    }

    /// The same with a token, so that it is told how things are going.
    pub(crate) async fn call_and_listen(&mut self, id: u64, arguments: Value) {
        self.call_with(id, arguments, json!({"_meta": {"progressToken": "p"}})).await;
    }

    /// Comes back with what was filled in, and with the state that was given.
    pub(crate) async fn retry(&mut self, id: u64, arguments: Value, asked: &Value, form: Value) {
        let state = &asked["result"]["requestState"];
        let responses = json!({"toolgate.approval": form});
        self.call_with(id, arguments, json!({"inputResponses": responses, "requestState": state}))
            .await;
    }

    /// With these members of `params` besides.
    pub(crate) async fn call_with(&mut self, id: u64, arguments: Value, besides: Value) {
        let mut params = besides;
        params["name"] = json!("one__act");
        params["arguments"] = arguments;
        if self.way.is_modern() {
            let token = params["_meta"]["progressToken"].take();
            params["_meta"] = self.meta.clone();
            if !token.is_null() {
                params["_meta"]["progressToken"] = token;
            }
        }
        match &mut self.voice {
            Voice::Lines(window) => window.request(id, "tools/call", params).await,
            Voice::Http(web) => {
                let (client, tell) = (web.client.clone(), web.tell.clone());
                let client = match self.way.is_modern() {
                    true => Caller::new(client).headed("tools/call", Some("one__act")),
                    false => client,
                };
                web.requests.spawn(async move {
                    pass_on(client.request(json!(id), "tools/call", params).await, &tell).await;
                });
            }
        }
    }

    /// The next message, whatever it is.
    pub(crate) async fn next(&mut self) -> Value {
        match &mut self.voice {
            Voice::Lines(window) => window.next().await,
            Voice::Http(web) => within(web.heard.recv()).await.unwrap(),
        }
    }

    /// The answer to this request; nothing comes before it.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        let message = self.next().await;
        assert!(message["id"] == json!(id) && message.get("method").is_none(), "{message}");
        message
    }

    /// Everything up to the answer to this request, the answer last.
    pub(crate) async fn up_to_answer(&mut self, id: u64) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            all.push(self.next().await);
            let last = &all[all.len() - 1];
            if last["id"] == json!(id) && last.get("method").is_none() {
                return all;
            }
        }
    }

    /// Says something that is not answered.
    pub(crate) async fn say(&mut self, message: Value) {
        match &mut self.voice {
            Voice::Lines(window) => window.say(message).await,
            Voice::Http(web) => {
                assert_eq!(web.client.post(message).await.status, StatusCode::ACCEPTED);
            }
        }
    }

    pub(crate) async fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id});
        self.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
            .await;
    }

    /// Closes the streams of all its requests.
    pub(crate) async fn close_streams(&mut self) {
        let Voice::Http(web) = &mut self.voice else { panic!("lines have one stream") };
        web.requests.shutdown().await;
    }

    /// Leaves: a session over HTTP is ended as the protocol says, a connection just closed.
    pub(crate) async fn leave(self) {
        if let Voice::Http(web) = &self.voice {
            let reply = web.client.send("DELETE", "").await;
            assert_eq!(reply.status, StatusCode::NO_CONTENT);
        }
    }

    /// Nothing came but what was looked at: whatever was said before this is answered before it.
    pub(crate) async fn heard_nothing_else(&mut self) {
        match &mut self.voice {
            Voice::Lines(window) => window.heard_nothing_else().await,
            Voice::Http(web) => {
                let unheard = web.heard.try_recv();
                assert!(unheard.is_err(), "{unheard:?}");
            }
        }
    }
}

impl Voice {
    fn over(client: Client) -> Self {
        let (tell, heard) = unbounded_channel();
        Self::Http(Box::new(Web { client, heard, tell, requests: JoinSet::new() }))
    }
}

/// Everything that comes in one response, event by event or alone.
async fn pass_on(mut reply: Reply, tell: &UnboundedSender<Value>) {
    if !reply.is_stream() {
        let _ = tell.send(reply.json().await);
        return;
    }
    while let Some(event) = reply.event().await {
        if !event.data.is_empty() {
            let _ = tell.send(event.json());
        }
    }
}
