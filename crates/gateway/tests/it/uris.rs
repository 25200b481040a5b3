//! A resource is its server's: of two that offer one URI, neither answers for the other.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};
use toolgate_types::Pattern;
use toolgate_types::config::{Exposure, NameFilter, Server};

use crate::client::Client;
use crate::gate::{Gate, within};

/// A server that offers this, and says its name with everything that it is asked.
fn library(name: &str, uris: &[&str], templates: &[&str]) -> Script {
    let items = |key: &str, all: &[&str]| {
        let item = |uri: &&str| format!(r#"{{"{key}":"{uri}","name":"n","size":1.0}}"#);
        all.iter().map(item).collect::<Vec<_>>().join(",")
    };
    let tool = r#"{"tools":[{"name":"show","inputSchema":{"type":"object"},"_meta":{"x":1,"ui":{"resourceUri":"ui://app/page","visibility":["model"]}}},{"name":"update","inputSchema":{"type":"object"}}]}"#;
    Script::legacy()
        .offering(r#"{"tools":{},"resources":{"subscribe":true},"completions":{}}"#)
        .on("tools/list", [Act::answer(tool)])
        .on("resources/list", [Act::answer(format!(r#"{{"resources":[{}]}}"#, items("uri", uris)))])
        .on(
            "resources/templates/list",
            [Act::answer(format!(
                r#"{{"resourceTemplates":[{}]}}"#,
                items("uriTemplate", templates)
            ))],
        )
        .on(
            "resources/read",
            [Act::answer(format!(
                r#"{{"contents":[{{"uri":"${{message:/params/uri}}","text":"of {name}"}},{{"uri":"x:other","text":""}}]}}"#
            ))],
        )
        .on("resources/subscribe", [Act::answer("{}")])
        .on("resources/unsubscribe", [Act::answer("{}")])
        .on(
            "completion/complete",
            [Act::answer(format!(
                r#"{{"completion":{{"values":["{name}","${{message:/params/ref/uri}}"]}}}}"#
            ))],
        )
        .on_call(
            "update",
            [
                Act::notify("notifications/resources/updated", "${arguments}"),
                Act::say("done"),
            ],
        )
}

async fn ask(client: &Client, method: &str, params: Value) -> Value {
    client.request(json!(1), method, params).await.answer().await
}

async fn read(client: &Client, uri: &str) -> Value {
    ask(client, "resources/read", json!({"uri": uri})).await
}

async fn uris(client: &Client, list: &str) -> Vec<String> {
    let answer = ask(client, list, json!({})).await;
    let (member, key) = match list {
        "resources/list" => ("resources", "uri"),
        _ => ("resourceTemplates", "uriTemplate"),
    };
    let items = answer["result"][member].as_array().unwrap_or_else(|| panic!("{answer}"));
    items.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

fn deny(server: &mut Server, pattern: &str) {
    server.resources = NameFilter { allow: None, deny: vec![Pattern::parse(pattern).unwrap()] };
}

const PAGE: &str = "ui://app/page";
const A_PAGE: &str = "ui://toolgate/of/a/ui://app/page";
const B_PAGE: &str = "ui://toolgate/of/b/ui://app/page";

#[tokio::test]
async fn shadowing_a_uri_that_two_servers_offer_is_read_by_its_servers_address_only() {
    let gate = Gate::with("b", library("b", &[PAGE, "b:1"], &["b://{x}", "f:///{x}"]))
        .server("a", library("a", &[PAGE, "a:1"], &["a://{x}", "f:///{x}"]))
        .run()
        .await;
    let client = gate.client().initialize().await;
    assert_eq!(uris(&client, "resources/list").await, ["a:1", "b:1", A_PAGE, B_PAGE]);
    let expected = ["a://{x}", "b://{x}", "toolgate://of/a/f:///{x}", "toolgate://of/b/f:///{x}"];
    assert_eq!(uris(&client, "resources/templates/list").await, expected);
    for (uri, server) in [
        (A_PAGE, "a"),
        (B_PAGE, "b"),
        ("a:1", "a"),
        ("b://anything", "b"),
        ("toolgate://of/a/f:///1", "a"),
        ("toolgate://of/b/f:///1", "b"),
        ("toolgate://of/b/b:1", "b"),
    ] {
        let answer = read(&client, uri).await;
        let contents = &answer["result"]["contents"];
        assert_eq!(contents[0]["text"], format!("of {server}"), "{uri}: {answer}");
        assert_eq!(contents[0]["uri"], uri, "as it was asked for");
        assert_eq!(contents[1]["uri"], "x:other", "and nothing else");
    }
    for uri in [PAGE, "UI://app/page", "ui://app//page", "f:///1"] {
        let error = read(&client, uri).await["error"]["message"].as_str().unwrap().to_owned();
        assert!(error.contains("more than one server"), "{uri}: {error}");
        assert!(!error.contains("`a`") && !error.contains("`b`"), "{error}");
    }
    // Each tool shows the page of its own server.
    let tools = ask(&client, "tools/list", json!({})).await["result"]["tools"].clone();
    let page = |name: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool["_meta"].to_string()
    };
    for (name, uri) in [("a__show", A_PAGE), ("b__show", B_PAGE)] {
        let meta = format!(r#"{{"x":1,"ui":{{"resourceUri":"{uri}","visibility":["model"]}}}}"#);
        assert_eq!(page(name), meta);
    }
}

/// Whoever denies, hides or lost it keeps it all the same.
#[tokio::test]
async fn shadowing_a_server_that_denies_or_is_down_is_not_answered_for() {
    let (a, b) = (library("a", &[PAGE, "a:1"], &["t://{x}"]), library("b", &[PAGE], &["t://{x}"]));
    let denying = Gate::with("b", b.clone())
        .server_with("a", a.clone(), |server| deny(server, "*"))
        .run()
        .await;
    let hiding = Gate::with("b", b.clone()).server("a", a.clone()).role("r", &["b"]).run().await;
    let down = Gate::with("b", b).server("a", a).run().await;
    let first = down.client().initialize().await;
    uris(&first, "resources/list").await;
    uris(&first, "resources/templates/list").await;
    down.peers.last("a").await.end();
    let places = [(&denying, "/mcp"), (&hiding, "/mcp/r"), (&down, "/mcp")];
    for (gate, path) in places {
        let client = gate.client_at(path).initialize().await;
        for uri in [PAGE, "t://1", "UI://APP/page"] {
            let answer = read(&client, uri).await;
            assert!(answer["error"].is_object(), "{path} {uri}: {answer}");
            let subscribed = ask(&client, "resources/subscribe", json!({"uri": uri})).await;
            assert!(subscribed["error"].is_object(), "{path} {uri}: {subscribed}");
        }
        let text = read(&client, B_PAGE).await.to_string();
        assert!(text.contains("of b"), "{text}");
        assert_eq!(gate.peers.received("b", "resources/subscribe"), 0);
    }
    for (gate, path) in &places[..2] {
        let client = gate.client_at(path).initialize().await;
        for uri in [PAGE, A_PAGE, "a:1", "toolgate://of/a/a:1"] {
            let error = read(&client, uri).await["error"]["message"].to_string();
            assert!(error.contains("there is no") && !error.contains("more than"), "{error}");
        }
        assert_eq!(uris(&client, "resources/list").await, [B_PAGE]);
    }
}

/// The page that a tool or its result names leads to that tool's own server, and nowhere where it may
/// not be read; everything around it stays.
///
/// Shows: E-8.
#[tokio::test]
async fn pages_in_meta_are_those_of_the_tools_server_and_gone_where_they_are_denied() {
    let shows = |name: &str| {
        let result = r#"{"content":[],"_meta":{"x":1.50,"ui":{"resourceUri":"ui://app/page","more":[1]},"ui/resourceUri":"ui://app/page"}}"#;
        library(name, &[PAGE], &[]).on_call("show", [Act::answer(result)])
    };
    let metas = async |client: &Client, tool: &str| {
        let tools = ask(client, "tools/list", json!({})).await["result"]["tools"].clone();
        let listed = tools.as_array().unwrap().iter().find(|one| one["name"] == tool).unwrap();
        let called = client.call(tool, json!({})).await;
        (listed["_meta"].clone(), called["result"]["_meta"].clone())
    };
    let through = async |client: &Client, server: &str| {
        let meant = json!({"serverId": server, "toolName": "show", "args": {}});
        let called = client.call("mcp_call_tool", meant).await["result"].clone();
        let text = called["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{called}"));
        let result = &called["structuredContent"]["result"];
        assert_eq!(serde_json::from_str::<Value>(text).unwrap()["result"], *result, "{called}");
        result["_meta"].clone()
    };
    let alone = Gate::with("a", shows("a")).run().await;
    let client = alone.client().initialize().await;
    let (listed, called) = metas(&client, "a__show").await;
    assert_eq!(listed["ui"]["resourceUri"], PAGE, "one server alone: as it came");
    let whole =
        json!({"x": 1.50, "ui": {"resourceUri": PAGE, "more": [1]}, "ui/resourceUri": PAGE});
    assert_eq!(called, whole);
    let two = Gate::with("a", shows("a"))
        .server_with("b", shows("b"), |server| deny(server, "ui://*"))
        .run()
        .await;
    let client = two.client().initialize().await;
    let (listed, called) = metas(&client, "a__show").await;
    assert_eq!(listed["ui"]["resourceUri"], A_PAGE);
    assert_eq!(
        (&called["ui"]["resourceUri"], &called["ui/resourceUri"]),
        (&json!(A_PAGE), &json!(A_PAGE))
    );
    assert_eq!(read(&client, A_PAGE).await["result"]["contents"][0]["text"], "of a");
    let (listed, called) = metas(&client, "b__show").await;
    assert_eq!(listed, json!({"x": 1, "ui": {"visibility": ["model"]}}), "it may not be read");
    assert_eq!(called, json!({"x": 1.50, "ui": {"more": [1]}}));
    // The same in the result of a meta tool.
    let folded = Gate::with("a", shows("a"))
        .server_with("b", shows("b"), |server| deny(server, "ui://*"))
        .configured(|config| config.gateway.exposure = Exposure::Meta)
        .run()
        .await;
    let client = folded.client().initialize().await;
    uris(&client, "resources/list").await;
    let moved =
        json!({"x": 1.50, "ui": {"resourceUri": A_PAGE, "more": [1]}, "ui/resourceUri": A_PAGE});
    assert_eq!(through(&client, "a").await, moved);
    assert_eq!(through(&client, "b").await, json!({"x": 1.50, "ui": {"more": [1]}}));
}

#[tokio::test]
async fn shadowing_a_template_takes_nothing_that_another_lists() {
    let gate = Gate::with("a", library("a", &["repo://acme/app"], &[]))
        .server("evil", library("evil", &["toolgate://of/a/repo://acme/app"], &["repo://{+x}"]))
        .run()
        .await;
    let client = gate.client().initialize().await;
    let listed = uris(&client, "resources/list").await;
    let wrapped = "toolgate://of/evil/toolgate://of/a/repo://acme/app";
    assert_eq!(listed, ["toolgate://of/a/repo://acme/app", wrapped]);
    let own = read(&client, "toolgate://of/a/repo://acme/app").await.to_string();
    assert!(own.contains("of a"), "{own}");
    let own = read(&client, wrapped).await.to_string();
    assert!(own.contains("of evil"), "{own}");
    assert!(read(&client, "repo://acme/app").await["error"].is_object());
    let reference = json!({"type": "ref/resource", "uri": "toolgate://of/evil/repo://{+x}"});
    let params = json!({"ref": reference, "argument": {"name": "x", "value": "y"}});
    let completed = ask(&client, "completion/complete", params).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["evil", "repo://{+x}"]));
    let reference = json!({"type": "ref/resource", "uri": "repo://acme/app"});
    let params = json!({"ref": reference, "argument": {"name": "x", "value": "y"}});
    assert!(ask(&client, "completion/complete", params).await["error"].is_object());
}

#[tokio::test]
async fn shadowing_news_of_a_uri_that_two_offer_come_from_the_server_that_was_asked() {
    let gate = Gate::with("b", library("b", &["x:1"], &[]))
        .server("a", library("a", &["x:1"], &[]))
        .run()
        .await;
    let client = gate.client().initialize().await;
    let params = json!({"uri": "toolgate://of/a/x:1"});
    let answer = ask(&client, "resources/subscribe", params.clone()).await;
    assert!(answer["result"].is_object(), "{answer}");
    assert_eq!(gate.peers.received("b", "resources/subscribe"), 0);
    let mut news = client.get_stream().await;
    for server in ["b", "a"] {
        client.call(&format!("{server}__update"), json!({"uri": "x:1"})).await;
    }
    let told = within(news.message()).await;
    assert_eq!(told["params"]["uri"], "toolgate://of/a/x:1", "{told}");
    ask(&client, "resources/unsubscribe", params).await;
    assert_eq!(gate.peers.received("a", "resources/unsubscribe"), 1);
}

/// Every way to ask for it, in spellings that a server could take for the same.
#[tokio::test]
async fn resource_spellings_what_is_denied_is_neither_read_nor_subscribed_nor_completed() {
    let files = library("files", &["file:///etc/secret", "file:///ok"], &["file:///{dir}/{x}"]);
    let gate = Gate::empty()
        .server_with("files", files, |server| deny(server, "file:///etc/*"))
        .guarded()
        .run()
        .await;
    let client = gate.client().initialize().await;
    assert_eq!(uris(&client, "resources/list").await, ["file:///ok"]);
    for uri in [
        "file:///etc/secret",
        "FILE:///etc/secret",
        "file://localhost/etc/secret",
        "file:///etc/%73ecret",
        "file:///%2565tc/secret",
        "file:////etc//secret",
        "file:///ok/../etc/secret",
        "file:///etc\\secret",
        "toolgate://of/files/file:///etc/secret",
        "toolgate://of/files/FILE:///etc/secret",
        "toolgate://of/files//etc/secret",
    ] {
        for method in ["resources/read", "resources/subscribe"] {
            let answer = ask(&client, method, json!({"uri": uri})).await;
            assert!(answer["error"].is_object(), "{method} {uri}: {answer}");
        }
        let reference = json!({"type": "ref/resource", "uri": uri});
        let params = json!({"ref": reference, "argument": {"name": "x", "value": "y"}});
        let answer = ask(&client, "completion/complete", params).await;
        assert!(answer["error"].is_object(), "complete {uri}: {answer}");
    }
    let reference = json!({"type": "ref/resource", "uri": "file:///{dir}/{x}"});
    let complete = async |dir: &str| {
        let context = json!({"arguments": {"dir": dir}});
        let argument = json!({"name": "x", "value": "s"});
        let params = json!({"ref": reference, "argument": argument, "context": context});
        ask(&client, "completion/complete", params).await
    };
    assert!(complete("home").await["result"].is_object());
    for dir in ["etc", "%65tc", "ETC", "x/../etc"] {
        assert!(complete(dir).await["error"].is_object(), "{dir}");
    }
    let log = gate.peers.last("files").await.seen().join("\n");
    for method in ["resources/read", "resources/subscribe"] {
        assert!(!log.contains(method), "{log}");
    }
    assert_eq!(log.matches("completion/complete").count(), 1, "{log}");
}
