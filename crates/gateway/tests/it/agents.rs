//! Clients that behave as real agents do, at a gate with servers of either era and of both.

use serde_json::{Value, json};
use tokio::net::UnixStream;
use toolgate_testkit::agents::{ClaudeLike, CodexLike, Link};
use toolgate_testkit::{Act, Script, everything};

use crate::gate::{Gate, Running, within};
use crate::lines::attached;

const ASKING: &str = "test_input_required_result_elicitation";
const NAMED: &str = "one__test_input_required_result_elicitation";

fn servers() -> [(&'static str, Script); 3] {
    [
        ("legacy", everything::legacy()),
        ("modern", everything::modern()),
        ("both", everything::both()),
    ]
}

/// Both ways to a gate.
fn links(gate: &Running) -> [(&'static str, Link); 2] {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let gateway = gate.gateway.clone();
    tokio::spawn(async move {
        let (reader, writer) = theirs.into_split();
        gateway.converse(attached(), reader, writer).await.map(drop)
    });
    let (reader, writer) = ours.into_split();
    let web = Link::over_http(gate.address, "/mcp", None);
    [("lines", Link::over_lines(reader, writer)), ("http", web)]
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

/// Shows: E-1, E-8, C20.
#[tokio::test]
async fn a_client_like_claude_code_speaks_the_modern_era_and_is_asked_by_servers_of_either() {
    for (era, script) in servers() {
        let gate = Gate::with("one", script).run().await;
        for (way, link) in links(&gate) {
            let answer = Some(json!({"name": "Ada"}));
            let mut client = within(ClaudeLike::connect(link, answer)).await;
            assert!(client.is_modern(), "{era}, {way}");
            assert!(client.tools().iter().any(|tool| tool == NAMED), "{era}, {way}");
            let said = within(client.call("one__test_simple_text", json!({}))).await.unwrap();
            assert_eq!(text(&said), "This is a simple text response for testing.", "{era}, {way}");
            within(client.call(NAMED, json!({}))).await.unwrap();
            assert_eq!(client.shown().len(), 1, "{era}, {way}: {:?}", client.shown());
            assert!(client.shown()[0].contains("What is your name?"), "{era}, {way}");
            within(client.end()).await;
        }
        let calls = gate.peers.received("one", ASKING);
        assert!(calls > 0, "{era}");
    }
}

/// Shows: E-8, C20, S4-20.
#[tokio::test]
async fn a_client_like_codex_is_asked_by_servers_of_either_era() {
    for (era, script) in servers() {
        let gate = Gate::with("one", script).run().await;
        for (way, link) in links(&gate) {
            let answer = Some(json!({"name": "Ada"}));
            let mut client = within(CodexLike::connect(link, answer)).await;
            assert!(client.tools().iter().any(|tool| tool == NAMED), "{era}, {way}");
            let said = within(client.call("one__test_simple_text", json!({}))).await.unwrap();
            assert_eq!(text(&said), "This is a simple text response for testing.", "{era}, {way}");
            within(client.call(NAMED, json!({}))).await.unwrap();
            assert_eq!(client.shown().len(), 1, "{era}, {way}: {:?}", client.shown());
            within(client.end()).await;
        }
    }
}

/// A server whose second list has a tool more, and that tells when `grow` was called.
fn growing() -> Script {
    let tool = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let first = format!(r#"{{"tools":[{}]}}"#, tool("grow"));
    let second = format!(r#"{{"tools":[{},{}]}}"#, tool("grow"), tool("grown"));
    let changed = Act::notify("notifications/tools/list_changed", "{}");
    Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::InTurn(vec![Act::answer(first), Act::answer(second)])])
        .on_call("grow", [changed, Act::say("grown")])
        .on_call("grown", [Act::say("new")])
}

#[tokio::test]
async fn a_client_like_claude_code_lists_again_and_calls_what_is_new() {
    for turn in 0..2 {
        let gate = Gate::with("one", growing()).run().await;
        let (way, link) = links(&gate).into_iter().nth(turn).unwrap();
        let mut client = within(ClaudeLike::connect(link, None)).await;
        assert_eq!(client.tools(), ["one__grow"], "{way}");
        within(client.call("one__grow", json!({}))).await.unwrap();
        within(client.relists()).await;
        assert_eq!(client.tools(), ["one__grow", "one__grown"], "{way}");
        let said = within(client.call("one__grown", json!({}))).await.unwrap();
        assert_eq!(text(&said), "new", "{way}");
    }
}

#[tokio::test]
async fn a_client_like_codex_keeps_its_tools_until_the_next_turn() {
    for turn in 0..2 {
        let gate = Gate::with("one", growing()).run().await;
        let (way, link) = links(&gate).into_iter().nth(turn).unwrap();
        let mut client = within(CodexLike::connect(link, None)).await;
        within(client.call("one__grow", json!({}))).await.unwrap();
        within(client.hears_of_a_change()).await;
        assert_eq!(client.tools(), ["one__grow"], "{way}");
        within(client.begin_turn()).await;
        assert_eq!(client.tools(), ["one__grow", "one__grown"], "{way}");
    }
}

#[tokio::test]
async fn without_a_person_both_clients_decline() {
    let gate = Gate::with("one", everything::legacy()).run().await;
    let [(_, lines), (_, web)] = links(&gate);
    let mut claude = within(ClaudeLike::connect(lines, None)).await;
    let said = within(claude.call(NAMED, json!({}))).await.unwrap();
    assert!(text(&said).contains("decline"), "{said}");
    let mut codex = within(CodexLike::connect(web, None)).await;
    let said = within(codex.call(NAMED, json!({}))).await.unwrap();
    assert!(text(&said).contains("decline"), "{said}");
}

#[tokio::test]
async fn a_client_like_claude_code_falls_back_where_a_server_knows_no_modern_era() {
    let (pipe, peer) = everything::legacy().over_pipe();
    let (reader, writer) = tokio::io::split(pipe);
    let link = Link::over_lines(reader, writer);
    let mut client = within(ClaudeLike::connect(link, None)).await;
    assert!(!client.is_modern());
    within(client.call("test_simple_text", json!({}))).await.unwrap();
    let call = within(peer.received("tools/call")).await;
    assert!(call.contains(r#""claudecode/toolUseId":"toolu_01""#), "{call}");
}

#[tokio::test]
async fn the_session_of_a_client_like_codex_ends_with_it() {
    let site = growing().speaking("2025-06-18").over_http(Default::default()).await;
    let address = site.url("").trim_start_matches("http://").parse().unwrap();
    let client = within(CodexLike::connect(Link::over_http(address, "/mcp", None), None)).await;
    within(client.end()).await;
    let left = within(site.visited(|visit| visit.method == "DELETE")).await;
    assert_eq!(left.header("mcp-session-id"), "session-1");
}
