//! Requests in several rounds: what a server wants to know first, and the request with the answers.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};

use super::Caller;
use crate::gate::{Gate, Running, asked_by, list, within};

const FORM: &str = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":1.0}}}}}"#;
const SAMPLE: &str =
    r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1.0}}"#;
const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities":"#;

fn required(requests: &str) -> String {
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{{requests}}},"requestState":"st\u00e4te \/ 1","later":{{"n":1.50}}}}"#
    )
}

/// A server that wants to know something before it does anything at all.
fn asking(requests: &str) -> Script {
    let done = |members: &str| [Act::answer(format!(r#"{{{members},"resultType":"complete"}}"#))];
    let held = r#","ttlMs":0,"cacheScope":"private""#;
    Script::modern()
        .offering(r#"{"tools":{},"resources":{},"prompts":{}}"#)
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"p"}]}"#)])
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
        .on_when("tools/call", "requestState", done(r#""content":[]"#))
        .on_when("prompts/get", "requestState", done(r#""messages":[]"#))
        .on_when("resources/read", "requestState", done(&format!(r#""contents":[]{held}"#)))
        .on("tools/call", [Act::answer(required(requests))])
        .on("prompts/get", [Act::answer(required(requests))])
        .on("resources/read", [Act::answer(required(requests))])
}

fn eliciting() -> Value {
    json!({"elicitation": {"form": {}}})
}

async fn gate(requests: &str) -> Running {
    Gate::with("one", asking(requests)).run().await
}

/// Shows: E-1, E-8, S4-20.
#[tokio::test]
async fn a_question_reaches_the_caller_and_its_answer_the_server_byte_for_byte() {
    let gate = gate(&format!(r#""who \u00e9":{FORM}"#)).await;
    let caller = Caller::of(&gate).able(eliciting());
    for (method, members) in [
        ("tools/call", r#""name":"one__t","arguments":{"a":1.0}"#),
        ("prompts/get", r#""name":"one__p""#),
        ("resources/read", r#""uri":"x:1""#),
    ] {
        let asked = caller.raw(json!(1), method, members).await;
        assert_eq!(asked.status, StatusCode::OK);
        let text = asked.text().await;
        // But for whose question it is, which comes first.
        let named = FORM.replace("Who?", &asked_by("one", "Who?"));
        let expected = required(&format!("\"who \u{e9}\":{named}"));
        let expected = expected.strip_suffix('}').unwrap();
        assert!(
            text.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{expected},"#)),
            "{text}"
        );
        assert!(!text.contains("ttlMs"), "nothing to keep: {text}");
        let answers = r#""inputResponses":{"who \u00e9":{"action":"accept","content":{"n":1.0,"b":10000000000000000000001}}},"requestState":"st\u00e4te \/ 1""#;
        let again = caller.raw(json!(2), method, &format!("{members},{answers}")).await;
        let answer = again.answer().await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        let peer = gate.peers.last("one").await;
        let fits = |line: &&String| line.contains(method) && line.contains("requestState");
        let seen = peer.seen();
        let seen = seen.iter().find(fits).unwrap();
        for member in [
            r#"{"action":"accept","content":{"n":1.0,"b":10000000000000000000001}}"#,
            r#""requestState":"st\u00e4te \/ 1""#,
        ] {
            assert!(seen.contains(member), "{seen}");
        }
        let read: Value = serde_json::from_str(seen).unwrap();
        assert_eq!(read["params"]["inputResponses"]["who \u{e9}"]["action"], "accept");
    }
}

/// A state without a question, and answers without a state.
#[tokio::test]
async fn either_half_of_a_retry_may_be_missing() {
    let script = Script::modern()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on_call("t", [Act::answer(r#"{"content":[],"resultType":"complete"}"#)]);
    let gate = Gate::with("one", script).run().await;
    let caller = Caller::of(&gate);
    for (half, other) in [
        (r#""requestState":"s""#, "inputResponses"),
        (r#""inputResponses":{"k":{"roots":[]}}"#, "requestState"),
    ] {
        caller.raw(json!(1), "tools/call", &format!(r#""name":"one__t",{half}"#)).await;
        let seen = within(gate.peers.last("one").await.received(half)).await;
        assert!(!seen.contains(other), "{seen}");
    }
}

/// Shows: S4-40.
#[tokio::test]
async fn a_server_is_told_what_its_own_caller_can_do_and_of_nobody_else() {
    let script = Script::modern().on("tools/list", [Act::answer(list(&["t"]))]).on_call(
        "t",
        [Act::hold("both"), Act::answer(r#"{"content":[],"resultType":"complete"}"#)],
    );
    let gate = Gate::with("one", script).run().await;
    let caller = Caller::of(&gate);
    caller.names("tools/list").await;
    let everything = json!({
        "elicitation": {"url": {}},
        "roots": {},
        "sampling": {"tools": {}},
        "extensions": {"com.example/x": {}},
    });
    let mut calls = Vec::new();
    for (tag, capabilities) in [("ada", everything), ("bob", eliciting()), ("eve", json!({}))] {
        let caller = caller.able(capabilities);
        calls.push(tokio::spawn(async move { caller.call("one__t", json!({"tag": tag})).await }));
    }
    let peer = gate.peers.last("one").await;
    for (tag, told) in [
        (
            "ada",
            r#"{"elicitation":{"url":{}},"roots":{},"sampling":{"tools":{}},"extensions":{"com.example/x":{}}}"#,
        ),
        ("bob", r#"{"elicitation":{"form":{}}}"#),
        ("eve", "{}"),
    ] {
        let seen = within(peer.received(tag)).await;
        assert!(seen.contains(&format!("{CAPABILITIES}{told}")), "{tag}: {seen}");
        assert!(!seen.contains(r#""name":"caller""#), "the gate is the client: {seen}");
    }
    for call in calls {
        peer.signal("both");
        within(call).await.unwrap();
    }
}

/// Shows: S4-40.
#[tokio::test]
async fn a_callers_model_is_offered_only_to_servers_that_may_use_it() {
    let script = || {
        let done = Act::answer(r#"{"content":[],"resultType":"complete"}"#);
        Script::modern().on("tools/list", [Act::answer(list(&["t"]))]).on_call("t", [done])
    };
    let gate = Gate::empty()
        .server_with("may", script(), |server| server.sampling = true)
        .server_with("not", script(), |server| server.sampling = false)
        .run()
        .await;
    let caller = Caller::of(&gate).able(json!({"sampling": {}, "roots": {}}));
    for (server, told) in [("may", r#"{"roots":{},"sampling":{}}"#), ("not", r#"{"roots":{}}"#)] {
        caller.call(&format!("{server}__t"), json!({})).await;
        let seen = within(gate.peers.last(server).await.received("tools/call")).await;
        assert!(seen.contains(&format!("{CAPABILITIES}{told}")), "{server}: {seen}");
    }
}

/// Whatever the server asks, a caller is not asked what it did not say it could answer.
///
/// Shows: S4-40.
#[tokio::test]
async fn a_question_that_the_caller_cannot_answer_does_not_reach_it() {
    let url = FORM.replace("form", "url");
    let (roots, odd) = (r#"{"method":"roots/list"}"#, r#"{"method":"no/such"}"#);
    let forms = || json!({"elicitation": {"form": {}}});
    for (asked, able, lacking) in [
        (format!(r#""a":{SAMPLE}"#), forms(), json!({"sampling": {}})),
        (format!(r#""a":{roots}"#), forms(), json!({"roots": {}})),
        (format!(r#""a":{FORM},"b":{SAMPLE}"#), forms(), json!({"sampling": {}})),
        (format!(r#""a":{FORM},"b":{url}"#), forms(), json!({"elicitation": {"url": {}}})),
        (
            format!(r#""a":{url},"b":{FORM}"#),
            json!({"elicitation": {"url": {}}}),
            json!({"elicitation": {"form": {}}}),
        ),
    ] {
        let gate = gate(&asked).await;
        let reply = Caller::of(&gate).able(able).calling("one__t", json!({})).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{asked}");
        let answer = reply.json().await;
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": lacking}), "{answer}");
    }
    let gate = gate(&format!(r#""a":{odd}"#)).await;
    let answer = Caller::of(&gate).able(forms()).call("one__t", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
}

/// A person who cannot be asked has not agreed; the server is told so and goes on.
#[tokio::test]
async fn a_form_for_a_caller_without_a_person_is_cancelled() {
    let gate = gate(&format!(r#""who":{FORM}"#)).await;
    let answer = Caller::of(&gate).call("one__t", json!({})).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let peer = gate.peers.last("one").await;
    let seen = within(peer.received("inputResponses")).await;
    assert!(seen.contains(r#"{"who":{"action":"cancel"}}"#), "{seen}");
}

/// Asking without being allowed to leads nowhere, in either era.
#[tokio::test]
async fn a_server_that_may_not_use_a_callers_model_does_not_reach_it_by_asking() {
    let modern = asking(&format!(r#""model":{SAMPLE}"#));
    let legacy = Script::legacy().on("tools/list", [Act::answer(list(&["t"]))]).on_call(
        "t",
        [
            Act::ask("sampling/createMessage", r#"{"messages":[],"maxTokens":1}"#),
            Act::answer(r#"{"content":[],"structuredContent":${answer}}"#),
        ],
    );
    let gate = Gate::empty()
        .server_with("new", modern, |server| server.sampling = false)
        .server_with("old", legacy, |server| server.sampling = false)
        .run()
        .await;
    let able = json!({"sampling": {}});
    let answer = Caller::of(&gate).able(able.clone()).call("new__t", json!({})).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer["result"].get("inputRequests").is_none(), "{answer}");
    let client = gate.client().initialize_as("2025-11-25", &able).await;
    let reply = client.calling("old__t", json!({})).await;
    assert!(!reply.is_stream(), "nothing is asked");
    let answer = reply.json().await;
    assert!(answer["result"]["structuredContent"]["error"].is_object(), "{answer}");
}
