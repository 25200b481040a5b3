//! Requests that do not say of themselves what they must, or say two things.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script};

use super::{Caller, VERSION};
use crate::client::{Client, Reply};
use crate::gate::{Gate, Running, tools};

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Status, code and id of a refusal.
async fn refusal(reply: Reply) -> (StatusCode, i64, Value) {
    let status = reply.status;
    let answer = reply.json().await;
    let code = answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    (status, code, answer["id"].clone())
}

async fn gate() -> Running {
    Gate::with("one", tools(&["echo"])).run().await
}

/// Shows: E-1.
#[tokio::test]
async fn a_request_that_does_not_say_what_it_speaks_and_can_do_is_refused() {
    let gate = gate().await;
    let client = Caller::of(&gate).headed("tools/list", None);
    for params in [
        json!({}),
        json!({"_meta": {}}),
        json!({"_meta": null}),
        json!({"_meta": {CAPABILITIES_KEY: {}}}),
        json!({"_meta": {VERSION_KEY: VERSION}}),
        json!({"_meta": {VERSION_KEY: VERSION, CAPABILITIES_KEY: []}}),
        json!({"_meta": {VERSION_KEY: 5, CAPABILITIES_KEY: {}}}),
    ] {
        let reply = client.request(json!("a"), "tools/list", params.clone()).await;
        let expected = (StatusCode::BAD_REQUEST, -32602, json!("a"));
        assert_eq!(refusal(reply).await, expected, "{params}");
    }
    let bare = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
    let expected = (StatusCode::BAD_REQUEST, -32602, json!(7));
    assert_eq!(refusal(client.post(bare).await).await, expected);
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_answered_with_those_that_are() {
    let gate = gate().await;
    for version in ["1900-01-01", "2027-01-01", "2025-11-25", "DRAFT-2026-v1"] {
        let caller = Caller::of(&gate).saying(VERSION_KEY, json!(version));
        let client = caller.headed("tools/list", None).header("mcp-protocol-version", version);
        let reply = client.post(caller.message(&json!(3), "tools/list", "")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST);
        let answer = reply.json().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(3), &json!(-32022)));
        let data = &answer["error"]["data"];
        assert_eq!(data["requested"], version);
        let supported = json!([VERSION, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
        assert_eq!(data["supported"], supported);
    }
}

/// Something on the way may have decided by a header.
///
/// Shows: E-1.
#[tokio::test]
async fn a_header_that_says_something_else_than_the_body_is_refused() {
    let gate = gate().await;
    let caller = Caller::of(&gate);
    let fine = caller.headed("tools/call", Some("one__echo"));
    let body = caller.message(&json!(4), "tools/call", r#""name":"one__echo""#);
    assert_eq!(fine.post(&body).await.status, StatusCode::OK);
    let encoded = fine.header("mcp-name", "=?base64?b25lX19lY2hv?=");
    assert_eq!(encoded.post(&body).await.status, StatusCode::OK, "the other form of the same");
    let wrong: [(&str, Client); 14] = [
        ("no version", fine.without("mcp-protocol-version")),
        ("another version", fine.header("mcp-protocol-version", "2025-11-25")),
        ("no version at all", fine.header("mcp-protocol-version", "")),
        ("an unknown version", fine.header("mcp-protocol-version", "2027-01-01")),
        ("no method", fine.without("mcp-method")),
        ("another method", fine.header("mcp-method", "tools/list")),
        ("a method in other letters", fine.header("mcp-method", "Tools/Call")),
        ("two methods", fine.header("Mcp-Method", "tools/call")),
        ("no name", fine.without("mcp-name")),
        ("another name", fine.header("mcp-name", "one__other")),
        ("another name, encoded", fine.header("mcp-name", "=?base64?b25lX19vdGhlcg==?=")),
        ("no base64", fine.header("mcp-name", "=?base64?###?=")),
        ("base64 in other letters", fine.header("mcp-name", "=?BASE64?b25lX19lY2hv?=")),
        ("two names", fine.header("Mcp-Name", "one__echo")),
    ];
    for (what, client) in wrong {
        let expected = (StatusCode::BAD_REQUEST, -32020, json!(4));
        assert_eq!(refusal(client.post(&body).await).await, expected, "{what}");
    }
    assert_eq!(gate.peers.received("one", "tools/call"), 2, "nothing of it was carried out");
}

/// Names that cannot stand in a header as they are.
#[tokio::test]
async fn a_name_with_odd_letters_is_mirrored_in_its_encoded_form() {
    let uri = "x:\u{e4} b";
    let script = Script::legacy()
        .offering(r#"{"resources":{}}"#)
        .on(
            "resources/list",
            [Act::answer(format!(r#"{{"resources":[{{"uri":"{uri}","name":"x"}}]}}"#))],
        )
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on("resources/read", [Act::answer(r#"{"contents":[]}"#)]);
    let gate = Gate::with("one", script).run().await;
    let caller = Caller::of(&gate);
    let client = caller.headed("resources/read", Some("=?base64?eDrDpCBi?="));
    let body = caller.message(&json!(1), "resources/read", &format!(r#""uri":"{uri}""#));
    let answer = client.post(body).await.json().await;
    assert_eq!(answer["result"]["contents"], json!([]), "{answer}");
}

/// Shows: E-1.
#[tokio::test]
async fn parameters_that_a_tool_wants_mirrored_are_checked_and_mirrored_anew() {
    let tool = r#"{"tools":[{"name":"sql","inputSchema":{"type":"object","properties":{"region":{"type":["string","null"],"x-mcp-header":"Region"},"in":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},"q":{"type":"string"}}}}],"ttlMs":60000,"cacheScope":"private","resultType":"complete"}"#;
    let script = Script::modern()
        .on("tools/list", [Act::answer(tool)])
        .on_call("sql", [Act::answer(r#"{"content":[],"resultType":"complete"}"#)]);
    let site = script.over_http(WebManners::default()).await;
    let gate = Gate::empty().remote("db", &site.url("/mcp")).run().await;
    let caller = Caller::of(&gate);
    assert_eq!(caller.names("tools/list").await, ["db__sql"]);
    let bare = caller.headed("tools/call", Some("db__sql"));
    let call = async |client: &Client, arguments: &str| {
        let members = format!(r#""name":"db__sql","arguments":{arguments}"#);
        let reply = client.post(caller.message(&json!(1), "tools/call", &members)).await;
        let (status, answer) = (reply.status, reply.json().await);
        (status, answer["error"]["code"].as_i64())
    };
    let both = bare.header("mcp-param-region", "eu").header("mcp-param-n", "42");
    let (fine, refused) = ((StatusCode::OK, None), (StatusCode::BAD_REQUEST, Some(-32020)));
    let arguments = r#"{"region":"eu","in":{"n":42},"q":"select"}"#;
    assert_eq!(call(&both, arguments).await, fine);
    let visit = site.visited(|visit| visit.posts("tools/call")).await;
    assert_eq!((visit.header("mcp-name"), visit.header("mcp-param-region")), ("sql", "eu"));
    assert_eq!(visit.header("mcp-param-n"), "42");
    for (client, arguments, expected) in [
        (both.header("mcp-param-region", "=?base64?ZXU=?="), arguments, fine),
        (both.header("mcp-param-n", "42.0"), arguments, fine),
        (bare.clone(), r#"{"q":"select"}"#, fine),
        (bare.clone(), r#"{"region":null}"#, fine),
        (both.without("mcp-param-region"), arguments, refused),
        (both.without("mcp-param-n"), arguments, refused),
        (both.header("mcp-param-region", "us"), arguments, refused),
        (both.header("mcp-param-region", "=?base64?dXM=?="), arguments, refused),
        (both.header("mcp-param-n", "43"), arguments, refused),
        (bare.header("mcp-param-region", "eu"), r#"{"q":"select"}"#, refused),
    ] {
        assert_eq!(call(&client, arguments).await, expected, "{client:?} {arguments}");
    }
}

#[tokio::test]
async fn a_method_that_is_unknown_or_went_with_the_sessions_is_not_found() {
    let gate = gate().await;
    let caller = Caller::of(&gate);
    for (method, params) in [
        ("no/such", json!({})),
        ("tasks/list", json!({})),
        ("initialize", json!({"protocolVersion": VERSION, "capabilities": {}})),
        ("ping", json!({})),
        ("logging/setLevel", json!({"level": "info"})),
        ("resources/subscribe", json!({"uri": "x:1"})),
        ("resources/unsubscribe", json!({"uri": "x:1"})),
        ("roots/list", json!({})),
    ] {
        let reply = caller.request(json!("m"), method, params).await;
        assert_eq!(reply.header("mcp-session-id"), None);
        let expected = (StatusCode::NOT_FOUND, -32601, json!("m"));
        assert_eq!(refusal(reply).await, expected, "{method}");
    }
}

#[tokio::test]
async fn parameters_of_the_wrong_kind_are_refused() {
    let gate = gate().await;
    let caller = Caller::of(&gate);
    for (method, members) in [
        ("tools/call", ""),
        ("tools/call", r#""name":"one__echo","arguments":[]"#),
        ("tools/call", r#""name":"one__echo","inputResponses":[]"#),
        ("resources/read", ""),
        ("prompts/get", ""),
        ("completion/complete", r#""ref":{}"#),
        ("subscriptions/listen", ""),
        ("subscriptions/listen", r#""notifications":true"#),
        ("subscriptions/listen", r#""notifications":{"resourceSubscriptions":"x:1"}"#),
    ] {
        let reply = caller.raw(json!(1), method, members).await;
        let expected = (StatusCode::BAD_REQUEST, -32602, json!(1));
        assert_eq!(refusal(reply).await, expected, "{method} {members}");
    }
}

#[tokio::test]
async fn a_notification_is_accepted_and_an_answer_to_nothing_is_not() {
    let gate = gate().await;
    let client = Caller::of(&gate).headed("notifications/cancelled", None);
    let told = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}});
    assert_eq!(client.post(told).await.status, StatusCode::ACCEPTED);
    let answer = client.post(json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.json().await["error"]["code"], -32600);
}

/// A session that came along by mistake means nothing, whosever it is.
#[tokio::test]
async fn a_session_id_is_ignored_and_none_is_given_out() {
    let gate = gate().await;
    let old = gate.client().initialize().await;
    for session in [old.session(), "made up"] {
        let caller = Caller::new(gate.client().header("mcp-session-id", session));
        let reply = caller.calling("one__echo", json!({})).await;
        assert_eq!((reply.status, reply.header("mcp-session-id")), (StatusCode::OK, None));
    }
}
