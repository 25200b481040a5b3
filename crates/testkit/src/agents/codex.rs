//! A client that behaves as Codex does: a handshake of 2025-06-18, forms and URLs, a word about the
//! turn in each call, and the tools of a turn as they were when it began.

use serde_json::{Value, json};

use super::Link;
use super::talk::Talk;

/// Such a client, connected.
#[derive(Debug)]
pub struct CodexLike {
    talk: Talk,
    tools: Vec<String>,
    turns: u64,
}

impl CodexLike {
    /// Connects, and begins a turn. A form is filled in with this, or declined.
    pub async fn connect(link: Link, answer: Option<Value>) -> Self {
        let mut talk = Talk::new(link, answer);
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"elicitation": {"form": {}, "url": {}}},
            "clientInfo": {"name": "codex-mcp-client", "title": "Codex", "version": "0.166.0"},
        });
        let opened = talk.ask("initialize", params).await.expect("a session");
        assert_eq!(opened["protocolVersion"], "2025-06-18");
        talk.notify("notifications/initialized", json!({}));
        let mut client = Self { talk, tools: Vec::new(), turns: 0 };
        client.begin_turn().await;
        client
    }

    /// Lists the tools, for the whole of a turn.
    pub async fn begin_turn(&mut self) {
        self.turns += 1;
        let page = self.talk.ask("tools/list", json!({})).await.expect("a list");
        let tools = page["tools"].as_array().expect("tools");
        self.tools =
            tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect();
    }

    /// The tools of this turn.
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// What its person was shown.
    pub fn shown(&self) -> &[String] {
        self.talk.shown()
    }

    /// Waits until it was told that the tools changed, and does nothing about it.
    pub async fn hears_of_a_change(&mut self) {
        self.talk.wait_for("notifications/tools/list_changed").await;
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let turn =
            json!({"thread": "a thread", "turn": self.turns, "sandbox": "read-only", "cwd": "/"});
        let params = json!({
            "name": tool,
            "arguments": arguments,
            "_meta": {"x-codex-turn-metadata": turn, "progressToken": self.turns},
        });
        self.talk.ask("tools/call", params).await
    }

    /// Goes away; over HTTP its session is ended.
    pub async fn end(self) {
        self.talk.end().await;
    }
}
