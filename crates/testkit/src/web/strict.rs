//! What a modern server insists on: that a request says who it is from, and says the same in its
//! headers as in its body.

use serde_json::Value;

use super::Visit;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SPOKEN: &str = "2026-07-28";

/// A refusal: the HTTP status and the `error` of the answer.
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) error: String,
}

/// Why this request is refused, if it is.
pub(super) fn refuse(visit: &Visit) -> Option<Refusal> {
    let message: Value = serde_json::from_str(&visit.body).ok()?;
    let params = &message["params"];
    let refusal = |code: i64, text: &str, data: &str| {
        let error = format!(r#"{{"code":{code},"message":"{text}"{data}}}"#);
        Some(Refusal { status: 400, error })
    };
    let Some(version) = params["_meta"][VERSION].as_str() else {
        return refusal(-32602, "no protocol version in _meta", "");
    };
    if !params["_meta"][CAPABILITIES].is_object() {
        return refusal(-32602, "no client capabilities in _meta", "");
    }
    let name = ["name", "uri", "taskId"].into_iter().find_map(|key| params[key].as_str());
    let named = ["tools/call", "prompts/get", "resources/read"];
    let of_tasks = ["tasks/get", "tasks/update", "tasks/cancel"];
    let is_named =
        message["method"].as_str().is_some_and(|it| named.contains(&it) || of_tasks.contains(&it));
    let is_same = |header: &str, body: Option<&str>| Some(visit.header(header)) == body;
    // The encoded form is for those who test it.
    let is_encoded = visit.header("mcp-name").starts_with("=?base64?");
    if !is_same("mcp-protocol-version", Some(version))
        || !is_same("mcp-method", message["method"].as_str())
        || (is_named && !is_encoded && !is_same("mcp-name", name))
    {
        return refusal(-32020, "a header says something else than the body", "");
    }
    if version != SPOKEN {
        let data = format!(r#","data":{{"supported":["{SPOKEN}"],"requested":"{version}"}}"#);
        return refusal(-32022, "unsupported protocol version", &data);
    }
    None
}
