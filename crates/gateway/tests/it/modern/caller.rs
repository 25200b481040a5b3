//! A client of the modern era: it says of itself what each request must, in body and headers.

use serde_json::{Value, json};

use crate::client::{Client, Reply};
use crate::gate::Running;

pub(crate) const VERSION: &str = "2026-07-28";

/// A client and what it says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) client: Client,
    meta: Value,
}

impl Caller {
    /// One that can be asked nothing.
    pub(crate) fn new(client: Client) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "caller", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        Self { client, meta }
    }

    pub(crate) fn of(gate: &Running) -> Self {
        Self::new(gate.client())
    }

    /// The same with another value in `_meta`.
    pub(crate) fn saying(&self, key: &str, value: Value) -> Self {
        let mut caller = self.clone();
        caller.meta[key] = value;
        caller
    }

    /// The same with these capabilities.
    pub(crate) fn able(&self, capabilities: Value) -> Self {
        self.saying("io.modelcontextprotocol/clientCapabilities", capabilities)
    }

    /// A message with these members of `params`, as they are written.
    pub(crate) fn message(&self, id: &Value, method: &str, members: &str) -> String {
        let members = if members.is_empty() { String::new() } else { format!("{members},") };
        let params = format!(r#"{{{members}"_meta":{}}}"#, self.meta);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
    }

    /// The client with the headers that such a message has.
    pub(crate) fn headed(&self, method: &str, name: Option<&str>) -> Client {
        let client = self.client.header("mcp-protocol-version", VERSION);
        let client = client.header("mcp-method", method);
        match name {
            Some(name) => client.header("mcp-name", name),
            None => client,
        }
    }

    /// Sends a request with these members of `params`, as they are written.
    pub(crate) async fn raw(&self, id: Value, method: &str, members: &str) -> Reply {
        let read: Value = serde_json::from_str(&format!("{{{members}}}")).unwrap();
        let name = match method {
            "tools/call" | "prompts/get" => read["name"].as_str(),
            "resources/read" => read["uri"].as_str(),
            "tasks/get" | "tasks/update" | "tasks/cancel" => read["taskId"].as_str(),
            _ => None,
        };
        self.headed(method, name).post(self.message(&id, method, members)).await
    }

    pub(crate) async fn request(&self, id: Value, method: &str, params: Value) -> Reply {
        let text = params.to_string();
        let members = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        self.raw(id, method, members.unwrap()).await
    }

    /// The answer to a request with the id 1, whatever it is.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        self.request(json!(1), method, params).await.answer().await
    }

    /// Calls a tool and gives the whole answer, however it came.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.calling(tool, arguments).await.answer().await
    }

    /// The same, as it comes.
    pub(crate) async fn calling(&self, tool: &str, arguments: Value) -> Reply {
        self.request(json!(1), "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The names of a list.
    pub(crate) async fn names(&self, method: &str) -> Vec<String> {
        let answer = self.ask(method, json!({})).await;
        let member = method.split_once('/').unwrap().0;
        let items = answer["result"][member].as_array().unwrap_or_else(|| panic!("{answer}"));
        items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }
}
