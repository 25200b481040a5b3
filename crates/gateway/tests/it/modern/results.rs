//! Answers: what the era wants in them is there, and everything else is as the server wrote it.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::web::WebManners;
use toolgate_testkit::{Act, Script, everything};

use super::{Caller, VERSION};
use crate::gate::{Gate, list, tools, within};

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Every request that has a result, and whether the result says how long it holds.
fn requests() -> [(&'static str, Value, bool); 9] {
    let reference = json!({"type": "ref/prompt", "name": "one__test_prompt_with_arguments"});
    let argument = json!({"name": "arg1", "value": "x"});
    [
        ("server/discover", json!({}), true),
        ("tools/list", json!({}), true),
        ("resources/list", json!({}), true),
        ("resources/templates/list", json!({}), true),
        ("prompts/list", json!({}), true),
        ("tools/call", json!({"name": "one__test_simple_text"}), false),
        ("resources/read", json!({"uri": "test://static-text"}), true),
        ("prompts/get", json!({"name": "one__test_simple_prompt"}), false),
        ("completion/complete", json!({"ref": reference, "argument": argument}), false),
    ]
}

#[tokio::test]
async fn every_result_says_its_kind_who_gives_it_and_that_it_is_for_its_caller_alone() {
    for script in [everything::legacy(), everything::modern()] {
        let gate = Gate::with("one", script).run().await;
        let caller = Caller::of(&gate);
        for (method, params, holds) in requests() {
            let reply = caller.request(json!("r"), method, params).await;
            assert_eq!(reply.status, StatusCode::OK, "{method}");
            let answer = reply.answer().await;
            assert_eq!(answer["id"], "r");
            let result = &answer["result"];
            assert_eq!(result["resultType"], "complete", "{method}: {answer}");
            assert_eq!(result["_meta"][SERVER_INFO]["name"], "toolgate", "{method}: {answer}");
            let ttl = &result["ttlMs"];
            assert_eq!(ttl.is_u64(), holds, "{method}: {answer}");
            // Whatever the server says: what a caller sees depends on who it is.
            let scope = if holds { json!("private") } else { Value::Null };
            assert_eq!(result["cacheScope"], scope, "{method}: {answer}");
        }
    }
}

/// Shows: E-1.
#[tokio::test]
async fn discovery_tells_what_is_spoken_and_offered_without_asking_anybody() {
    let instructed = Script::modern()
        .on("tools/list", [Act::answer(list(&["t"]))])
        .on("server/discover", [Act::answer(format!(r#"{{"resultType":"complete","supportedVersions":["{VERSION}"],"capabilities":{{"tools":{{}}}},"instructions":"Be kind.","ttlMs":0,"cacheScope":"private"}}"#))]);
    let gate = Gate::with("one", instructed).run().await;
    let caller = Caller::of(&gate);
    let discovered = async || caller.ask("server/discover", json!({})).await["result"].clone();
    let result = discovered().await;
    let versions = json!([VERSION, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
    assert_eq!(result["supportedVersions"], versions);
    for capability in ["tools", "resources", "prompts", "completions"] {
        assert!(result["capabilities"][capability].is_object(), "{capability}");
    }
    assert_eq!(gate.peers.received("one", ""), 0, "nothing was started for it");
    assert_eq!(result.get("instructions"), None);
    caller.names("tools/list").await;
    let said = discovered().await["instructions"].as_str().unwrap().to_owned();
    assert!(said.ends_with("\n\n## Server `one`\n\n> Be kind."), "{said}");
}

/// Shows: E-1.
#[tokio::test]
async fn a_list_holds_for_as_long_as_configured_and_not_at_all_while_a_server_is_missing() {
    let slow = Script::legacy().on("tools/list", [Act::hold("go"), Act::answer(list(&["late"]))]);
    let gate = Gate::with("one", tools(&["t"])).server("two", slow).run().await;
    let caller = Caller::of(&gate);
    let listing = {
        let caller = caller.clone();
        tokio::spawn(async move { caller.ask("tools/list", json!({})).await })
    };
    let (one, two) = (gate.peers.last("one").await, gate.peers.last("two").await);
    within(one.received("tools/list")).await;
    within(two.received("tools/list")).await;
    // So long a list waits for one server.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    let first = within(listing).await.unwrap();
    assert_eq!(first["result"]["tools"].as_array().unwrap().len(), 1, "{first}");
    assert_eq!(first["result"]["ttlMs"], 0);
    two.signal("go");
    gate.events.heard(&["ListCame", "two"], 1).await;
    let second = caller.ask("tools/list", json!({})).await;
    assert_eq!(second["result"]["tools"].as_array().unwrap().len(), 2, "{second}");
    assert_eq!(second["result"]["ttlMs"], 30_000);
}

#[tokio::test]
async fn each_list_holds_from_the_first_time_on() {
    let gate = Gate::with("one", everything::legacy()).run().await;
    let caller = Caller::of(&gate);
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let answer = caller.ask(method, json!({})).await;
        assert_eq!(answer["result"]["ttlMs"], 30_000, "{method}");
    }
}

/// Shows: P11-11.
#[tokio::test]
async fn a_list_holds_no_longer_than_that_of_any_server_in_it() {
    let listed = |ttl: &str| Script::modern().on("tools/list", [Act::answer(listing(ttl))]);
    let site = listed("").over_http(WebManners::default()).await;
    let ttl = async |gate: Gate| {
        let gate = gate.run().await;
        let answer = Caller::of(&gate).ask("tools/list", json!({})).await;
        answer["result"]["ttlMs"].as_u64().unwrap_or_else(|| panic!("{answer}"))
    };
    let remote = || Gate::empty().remote("far", &site.url("/mcp"));
    assert_eq!(ttl(remote()).await, 60_000, "a remote one that says nothing");
    assert_eq!(ttl(remote().server("near", listed(""))).await, 30_000, "a local one");
    let said = listed(r#","ttlMs":700,"cacheScope":"public""#);
    assert_eq!(ttl(remote().server("near", said)).await, 700, "what one says itself");
    let long = listed(r#","ttlMs":9000000,"cacheScope":"public""#);
    assert_eq!(ttl(Gate::with("near", long)).await, 60_000, "never longer than is configured");
    let never = listed(r#","ttlMs":0,"cacheScope":"public""#);
    assert_eq!(ttl(remote().server("near", never)).await, 0);
}

fn listing(besides: &str) -> String {
    format!(
        r#"{{"resultType":"complete","tools":[{{"name":"t","inputSchema":{{"type":"object"}}}}]{besides}}}"#
    )
}

/// A list that nobody says has changed is asked for again when its time is over.
#[tokio::test]
async fn lists_are_asked_for_again_when_their_time_is_over() {
    let turns = |member: &str, item: &str| {
        let answer =
            |name: &str| Act::answer(format!(r#"{{"{member}":[{}]}}"#, item.replace('@', name)));
        [Act::InTurn(vec![answer("old"), answer("old"), answer("old"), answer("new")])]
    };
    let script = Script::legacy()
        .offering(r#"{"tools":{},"resources":{},"prompts":{}}"#)
        .on("tools/list", turns("tools", r#"{"name":"@","inputSchema":{"type":"object"}}"#))
        .on("prompts/list", turns("prompts", r#"{"name":"@"}"#))
        .on("resources/list", turns("resources", r#"{"uri":"x:@","name":"@"}"#));
    let gate = Gate::with("one", script)
        .limits(|limits| limits.tools_ttl = toolgate_types::Milliseconds::at_least_one(1))
        .run()
        .await;
    let caller = Caller::of(&gate);
    for method in ["tools/list", "prompts/list", "resources/list"] {
        let renewed = async { while !caller.names(method).await[0].ends_with("new") {} };
        within(renewed).await;
    }
}

#[tokio::test]
async fn what_nobody_knows_in_a_result_or_a_definition_passes_byte_for_byte() {
    let rest = r#""title":"T \u00e9","inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1.0e2}}},"future":{"z":-0.0,"a":[1.50,10000000000000000000001]},"_meta":{"com.example/k":{"b":1,"a":2}}}"#;
    let content = r#"{"content":[{"type":"text","text":"\u0041","future":1.0}],"structuredContent":[10000000000000000000001,-0.0,{"b":1,"a":2}],"later":{"y":1e3},"resultType":"complete","_meta":{"com.example/x":{"b":1.50}"#;
    let script = Script::modern()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{{"name":"odd","description":"D",{rest}],"resultType":"complete","ttlMs":60000,"cacheScope":"public"}}"#))])
        .on_call("odd", [Act::answer(format!("{content}}}}}"))]);
    let gate = Gate::with("one", script).run().await;
    let caller = Caller::of(&gate);
    let listed = caller.request(json!(1), "tools/list", json!({})).await.text().await;
    let item = format!(r#"{{"name":"one__odd","description":"D (origin: MCP one/odd)",{rest}"#);
    let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{item}],"#);
    assert!(listed.starts_with(&expected), "{listed}");
    let called = caller.calling("one__odd", json!({})).await.text().await;
    let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{content},"{SERVER_INFO}":{{"#);
    assert!(called.starts_with(&expected), "{called}");
}

#[tokio::test]
async fn a_capability_that_a_server_misses_is_told_with_the_status_the_protocol_wants() {
    let gate = Gate::with("one", everything::modern()).run().await;
    let caller = Caller::of(&gate);
    let reply = caller.calling("one__test_missing_capability", json!({})).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let answer = reply.json().await;
    let data = json!({"requiredCapabilities": {"sampling": {}}});
    assert_eq!(answer["error"]["code"], -32021);
    assert_eq!((&answer["id"], &answer["error"]["data"]), (&json!(1), &data));
    let able = caller.able(json!({"sampling": {}}));
    let reply = able.calling("one__test_missing_capability", json!({})).await;
    assert_eq!(reply.status, StatusCode::OK);
}

#[tokio::test]
async fn what_a_server_answers_with_an_error_is_no_error_of_http() {
    let refusals = [("own", -5), ("bad", -32602), ("mismatch", -32020), ("version", -32022)];
    let names = refusals.map(|(name, _)| name);
    let script = Script::legacy()
        .offering(r#"{"tools":{},"resources":{}}"#)
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/read", [Act::refuse(-32002, "gone")])
        .on("tools/list", [Act::answer(list(&names))]);
    let refuse =
        |script: Script, (name, code): (&str, i64)| script.on_call(name, [Act::refuse(code, name)]);
    let gate = Gate::with("one", refusals.into_iter().fold(script, refuse)).run().await;
    let caller = Caller::of(&gate);
    // What the server has against what this gateway said to it is no mistake of the caller.
    let ours = [("own", -5), ("bad", -32602), ("mismatch", -32603), ("version", -32603)];
    for (tool, code) in ours.into_iter().chain([("absent", -32602)]) {
        let reply = caller.calling(&format!("one__{tool}"), json!({})).await;
        assert_eq!(reply.status, StatusCode::OK, "{tool}");
        assert_eq!(reply.json().await["error"]["code"], code, "{tool}");
    }
    // Where the older era says -32002, whoever says it.
    let mut said = Vec::new();
    for uri in ["x:1", "no:such"] {
        let reply = caller.request(json!(1), "resources/read", json!({"uri": uri})).await;
        said.push(reply.json().await["error"]["code"].clone());
    }
    assert_eq!(said, [-32602, -32602]);
}
