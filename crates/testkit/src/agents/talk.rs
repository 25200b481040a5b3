//! What all agents do: ask, answer what they are asked meanwhile, and remember what they were told.

use serde_json::{Value, json};

use super::Link;

/// A conversation over a link.
#[derive(Debug)]
pub(super) struct Talk {
    link: Link,
    next_id: u64,
    /// What the person fills into every form; without it they decline.
    answer: Option<Value>,
    /// What the person was shown, in order.
    shown: Vec<String>,
    /// Notifications that nobody has looked at yet, by their method.
    told: Vec<String>,
}

impl Talk {
    pub(super) fn new(link: Link, answer: Option<Value>) -> Self {
        Self { link, next_id: 0, answer, shown: Vec::new(), told: Vec::new() }
    }

    pub(super) fn shown(&self) -> &[String] {
        &self.shown
    }

    pub(super) fn notify(&self, method: &str, params: Value) {
        self.link.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request without waiting for what comes of it.
    pub(super) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.link.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and gives its result, or its error.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        loop {
            let Some(message) = self.link.next().await else {
                return Err(json!({"message": "the server is gone"}));
            };
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.take(&message);
        }
    }

    /// Waits for a notification, and forgets it.
    pub(super) async fn wait_for(&mut self, method: &str) {
        while !self.was_told(method) {
            let message = self.link.next().await.expect("a server that is there");
            self.take(&message);
        }
    }

    /// Whether this was told since it was last asked for.
    pub(super) fn was_told(&mut self, method: &str) -> bool {
        let before = self.told.len();
        self.told.retain(|told| told != method);
        self.told.len() < before
    }

    /// What a person does with a question: `elicitation/create`, or anything else that may be asked.
    pub(super) fn answered(&mut self, method: &str, params: &Value) -> Option<Value> {
        match method {
            "elicitation/create" => {
                self.shown.push(params["message"].as_str().unwrap_or_default().to_owned());
                Some(match (&self.answer, params["mode"] == "url") {
                    (Some(_), true) => json!({"action": "accept"}),
                    (Some(content), false) => json!({"action": "accept", "content": content}),
                    (None, _) => json!({"action": "decline"}),
                })
            }
            "roots/list" => Some(json!({"roots": []})),
            "ping" => Some(json!({})),
            _ => None,
        }
    }

    fn take(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else { return };
        let Some(id) = message.get("id") else {
            self.told.push(method.to_owned());
            return;
        };
        let answer = match self.answered(method, &message["params"]) {
            Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            None => {
                let error = json!({"code": -32601, "message": "method not found"});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        };
        self.link.send(answer);
    }

    pub(super) async fn end(self) {
        self.link.end().await;
    }
}
