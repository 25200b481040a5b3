//! A server that repeats the secrets it was given wherever it can, but not in a result.

use serde_json::Value;
use toolgate_testkit::{Act, Script};

use super::search::{base64, hex, html, json, percent};

/// A secret in all the ways that a server may write it, each line short enough not to be cut.
pub(super) fn repeated(secret: &str) -> Vec<String> {
    let (encoded, pair) = (base64(secret), base64(&format!("user:{secret}")));
    let (in_url, again) = (percent(&encoded), base64(&encoded));
    vec![
        format!("sent {secret} as {encoded}"),
        format!("GET /x?q={}&r={in_url}", percent(secret)),
        format!("with {pair} and {again}"),
        format!("got <b>{}</b> {}", html(secret), hex(secret)),
    ]
}

/// The same as JSON, some of it as JSON in a string.
pub(super) fn nested(secrets: &[String]) -> String {
    let of = |secret: &String| {
        let inner = format!(r#"{{"deep":["{}"]}}"#, json(secret));
        serde_json::json!({
            "headers": [{"name": "X-Thing", "value": secret}],
            "env": {"SETTING": secret, secret.as_str(): 1},
            "body": inner,
            "lines": repeated(secret),
        })
    };
    Value::from(secrets.iter().map(of).collect::<Vec<_>>()).to_string()
}

pub(super) fn error_with(message: &str, data: &str) -> String {
    let error = format!(r#"{{"code":-32000,"message":{message},"data":{data}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":${{id}},"error":{error}}}"#)
}

/// The list of these tools, with a schema that marks two of their arguments as secret.
pub(super) fn tools(names: &[&str]) -> String {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"},"pin":{"type":"string","writeOnly":true},"word":{"type":"string","format":"password"}}}"#;
    let tool = |name: &&str| format!(r#"{{"name":"{name}","inputSchema":{schema}}}"#);
    let tools: Vec<String> = names.iter().map(tool).collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

/// Over HTTP there is no standard error: it would be the test's own.
pub(super) fn telling(secrets: &[String], has_stderr: bool) -> Script {
    let lines: Vec<String> = secrets.iter().flat_map(|secret| repeated(secret)).collect();
    let text = |lines: &[String]| Value::from(lines.join(" | ")).to_string();
    let said = |data: &str| {
        let params = format!(r#"{{"level":"error","logger":"x","data":{data}}}"#);
        Act::notify("notifications/message", &params)
    };
    let progress =
        format!(r#"{{"progressToken":${{token}},"progress":1,"message":{}}}"#, text(&lines));
    let complained = lines.iter().filter(|_| has_stderr);
    let mut loud: Vec<Act> = complained.map(|line| Act::complain(line)).collect();
    loud.extend([said(&text(&lines)), said(&nested(secrets))]);
    loud.push(Act::notify("notifications/progress", &progress));
    let with = |act: Act| loud.iter().cloned().chain([act]).collect::<Vec<_>>();
    // What a refusal says is cut when it is long, so it says one line.
    let error = error_with(&text(&lines[..1]), &nested(secrets));
    Script::legacy()
        .offering(r#"{"tools":{},"logging":{}}"#)
        .on("logging/setLevel", [Act::answer("{}")])
        .on("tools/list", [Act::answer(tools(&["fine", "refuse", "die", "wait"]))])
        .on_call("fine", with(Act::say("done")))
        .on_call("refuse", with(Act::line(error)))
        .on_call("die", with(Act::Exit(7)))
        .on_call("wait", [Act::complain("now it waits"), Act::hold("never")])
}
