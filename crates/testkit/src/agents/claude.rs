//! A client that behaves as Claude Code does: it tries the modern era first and takes either, lists
//! again whenever a list has changed, and names the use of the tool in each call. It leaves without a
//! word; where it has a process, that gets `SIGINT`.

use serde_json::{Value, json};

use super::Link;
use super::talk::Talk;

const MODERN_VERSION: &str = "2026-07-28";
const LEGACY_VERSION: &str = "2025-11-25";
const CHANGED: &str = "notifications/tools/list_changed";
/// Rounds of one call; no server of a test has more to ask.
const MOST_ROUNDS: usize = 8;

/// Such a client, connected.
#[derive(Debug)]
pub struct ClaudeLike {
    talk: Talk,
    is_modern: bool,
    tools: Vec<String>,
    uses: u64,
}

impl ClaudeLike {
    /// Connects, in the era that the server has, and lists. A form is filled in with this, or declined.
    pub async fn connect(link: Link, answer: Option<Value>) -> Self {
        let talk = Talk::new(link, answer);
        let mut client = Self { talk, is_modern: true, tools: Vec::new(), uses: 0 };
        let discovered = client.ask("server/discover", json!({})).await;
        client.is_modern = discovered.is_ok_and(|found| {
            let versions = found["supportedVersions"].as_array().cloned().unwrap_or_default();
            versions.iter().any(|version| version == MODERN_VERSION)
        });
        if client.is_modern {
            let params = json!({"notifications": {"toolsListChanged": true}});
            let params = client.enveloped(params);
            client.talk.begin("subscriptions/listen", params);
            client.talk.wait_for("notifications/subscriptions/acknowledged").await;
        } else {
            client.initialize().await;
        }
        client.list().await;
        client
    }

    async fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": LEGACY_VERSION,
            "capabilities": capabilities(),
            "clientInfo": info(),
        });
        self.talk.ask("initialize", params).await.expect("a session");
        self.talk.notify("notifications/initialized", json!({}));
    }

    /// Which era it came to.
    pub fn is_modern(&self) -> bool {
        self.is_modern
    }

    /// The tools of its last list.
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// What its person was shown.
    pub fn shown(&self) -> &[String] {
        self.talk.shown()
    }

    /// Waits until it was told that the tools changed, and lists them again.
    pub async fn relists(&mut self) {
        self.talk.wait_for(CHANGED).await;
        self.list().await;
    }

    /// Calls a tool to its end, however many rounds that takes; lists first if it was told to.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        if self.talk.was_told(CHANGED) {
            self.list().await;
        }
        self.uses += 1;
        let mut params = json!({
            "name": tool,
            "arguments": arguments,
            "_meta": {"claudecode/toolUseId": format!("toolu_{:02}", self.uses)},
        });
        for _ in 0..MOST_ROUNDS {
            let result = self.ask("tools/call", params.clone()).await?;
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            let questions = result["inputRequests"].as_object().cloned().unwrap_or_default();
            let mut answers = json!({});
            for (key, question) in questions {
                let method = question["method"].as_str().unwrap_or_default();
                answers[key] = self.talk.answered(method, &question["params"]).unwrap_or_default();
            }
            params["inputResponses"] = answers;
            if let Some(state) = result.get("requestState") {
                params["requestState"] = state.clone();
            }
        }
        Err(json!({"message": "it never stops asking"}))
    }

    /// Goes away.
    pub async fn end(self) {
        self.talk.end().await;
    }

    async fn list(&mut self) {
        self.tools.clear();
        let mut params = json!({});
        loop {
            let page = self.ask("tools/list", params).await.expect("a list");
            let tools = page["tools"].as_array().expect("tools");
            let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
            self.tools.extend(tools.iter().map(name));
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return,
            }
        }
    }

    async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let params = if self.is_modern { self.enveloped(params) } else { params };
        self.talk.ask(method, params).await
    }

    /// With what a modern request says of whom it is from.
    fn enveloped(&self, mut params: Value) -> Value {
        let key = |name: &str| format!("io.modelcontextprotocol/{name}");
        let meta = &mut params["_meta"];
        meta[key("protocolVersion")] = json!(MODERN_VERSION);
        meta[key("clientInfo")] = info();
        meta[key("clientCapabilities")] = capabilities();
        params
    }
}

fn info() -> Value {
    json!({"name": "claude-code", "version": "2.1.325"})
}

fn capabilities() -> Value {
    json!({"roots": {}, "elicitation": {}})
}
