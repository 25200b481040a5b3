//! The four lists and the greeting: sorted, in pages, and as the servers wrote them.

use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};
use toolgate_types::Trust;
use toolgate_types::config::Exposure;

use crate::client::Client;
use crate::gate::{Gate, list, tools, within};

async fn listed(client: &Client, what: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), None::<Value>);
    let member = what.split_once('/').unwrap().0;
    loop {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        let answer = client.request(json!(1), what, params).await.answer().await;
        let result = &answer["result"];
        all.extend(result[member].as_array().unwrap_or_else(|| panic!("{answer}")).clone());
        match result.get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => return all,
        }
    }
}

fn names(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["name"].as_str().unwrap()).collect()
}

/// Shows: E-3.
#[tokio::test]
async fn tools_come_sorted_in_pages_that_hold_each_of_them_once() {
    let many: Vec<String> = (0..2300).map(|number| format!("t{}", number * 7919 % 2300)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let gate = Gate::with("b", tools(&many)).server("a", tools(&["z", "y"]));
    let gate = gate.configured(|config| config.gateway.exposure = Exposure::Direct).run().await;
    let client = gate.client().initialize().await;
    let first = client.request(json!(1), "tools/list", json!({})).await.json().await;
    assert_eq!(first["result"]["tools"].as_array().unwrap().len(), 1000);
    let all = listed(&client, "tools/list").await;
    let mut expected: Vec<String> = many.iter().map(|name| format!("b__{name}")).collect();
    expected.extend(["a__y".to_owned(), "a__z".to_owned()]);
    expected.sort();
    assert_eq!(names(&all), expected);
    // The same for everybody, each time.
    let other = gate.client().initialize().await;
    assert_eq!(listed(&other, "tools/list").await, all);
    for cursor in [json!("no cursor of ours"), json!("%%%"), json!(5)] {
        let params = json!({"cursor": cursor});
        let answer = client.request(json!(1), "tools/list", params).await.json().await;
        assert_eq!(answer["error"]["code"], -32602, "{cursor}");
    }
}

/// Shows: S0-8.
#[tokio::test]
async fn a_definition_passes_as_it_was_written_but_for_its_name_and_origin() {
    let rest = r#""description":"D (origin: MCP one/odd)","title":"T \u00e9","inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1.0e2,"default":10000000000000000000001}},"$defs":{"z":true,"a":false}},"outputSchema":{"type":"object","x":1.50},"annotations":{"readOnlyHint":true,"own":[1]},"icons":[{"src":"https://x.example/i.png","sizes":["48x48"]}],"execution":{"taskSupport":"optional"},"_meta":{"com.example/k":{"b":1,"a":2}},"future":{"z":-0.0}}"#;
    let own = rest.replace(" (origin: MCP one/odd)", "");
    let script = Script::legacy()
        .on("tools/list", [Act::answer(format!(r#"{{"tools":[{{"name":"odd",{own}]}}"#))]);
    let gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize().await;
    let text = client.request(json!(1), "tools/list", json!({})).await.text().await;
    let item = format!(r#"{{"name":"one__odd",{rest}"#);
    assert_eq!(text, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{item}]}}}}"#));
}

#[tokio::test]
async fn an_output_schema_is_listed_unless_the_entry_says_otherwise() {
    let tool =
        r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"x":1.50}"#;
    let script =
        Script::legacy().on("tools/list", [Act::answer(format!(r#"{{"tools":[{tool}]}}"#))]);
    let gate = Gate::with("shown", script.clone())
        .server_with("plain", script, |server| server.omit_output_schemas = true)
        .run()
        .await;
    let client = gate.client().initialize().await;
    let all = listed(&client, "tools/list").await;
    assert_eq!(names(&all), ["plain__t", "shown__t"]);
    assert_eq!([all[0].get("outputSchema"), all[0].get("x")], [None, Some(&json!(1.5))]);
    assert_eq!(all[1]["outputSchema"], json!({"type": "object"}));
}

#[tokio::test]
async fn resources_templates_and_prompts_of_all_servers_are_listed_and_reached() {
    let library = |name: &str| {
        let offered = |text: &str| Act::answer(text.replace('@', name));
        Script::legacy()
            .offering(r#"{"resources":{},"prompts":{},"completions":{}}"#)
            .on(
                "resources/list",
                [offered(r#"{"resources":[{"uri":"@:1","name":"one","size":1.0}]}"#)],
            )
            .on(
                "resources/templates/list",
                [offered(r#"{"resourceTemplates":[{"uriTemplate":"@://{x}","name":"t"}]}"#)],
            )
            .on("prompts/list", [offered(r#"{"prompts":[{"name":"greet","title":"@"}]}"#)])
            .on("resources/read", [offered(r#"{"contents":[{"uri":"@:1","text":"of @"}]}"#)])
            .on("prompts/get", [offered(r#"{"messages":[],"description":"by @"}"#)])
            .on("completion/complete", [offered(r#"{"completion":{"values":["@"]}}"#)])
    };
    let gate = Gate::with("b", library("b")).server("a", library("a")).run().await;
    let client = gate.client().initialize().await;
    let resources = listed(&client, "resources/list").await;
    let uris: Vec<_> = resources.iter().map(|item| item["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ["a:1", "b:1"]);
    assert_eq!(names(&listed(&client, "prompts/list").await), ["a__greet", "b__greet"]);
    let answer = client.request(json!(1), "resources/templates/list", json!({})).await.json().await;
    assert_eq!(answer["result"]["resourceTemplates"].as_array().unwrap().len(), 2);
    let ask = async |method: &str, params: Value| {
        let answer = client.request(json!(1), method, params).await.answer().await;
        answer["result"].to_string()
    };
    for server in ["a", "b"] {
        let uri = format!("{server}:1");
        let read = ask("resources/read", json!({"uri": uri})).await;
        assert!(read.contains(&format!("of {server}")), "{read}");
        let uri = format!("{server}://anything");
        let read = ask("resources/read", json!({"uri": uri})).await;
        assert!(read.contains(&format!("of {server}")), "{read}");
        let name = format!("{server}__greet");
        let got = ask("prompts/get", json!({"name": name})).await;
        assert!(got.contains(&format!("by {server}")), "{got}");
        let reference = json!({"type": "ref/prompt", "name": name});
        let argument = json!({"name": "x", "value": "y"});
        let params = json!({"ref": reference, "argument": argument});
        let completed = ask("completion/complete", params).await;
        assert!(completed.contains(&format!(r#"["{server}"]"#)), "{completed}");
    }
}

#[tokio::test]
async fn instructions_of_the_servers_that_run_come_with_their_origin() {
    let instructed = |words: &str| {
        let answer = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"x","version":"0"}},"instructions":"{words}"}}"#
        );
        tools(&["t"]).on("initialize", [Act::answer(answer)])
    };
    let gate = Gate::with("one", instructed("Be kind."))
        .server("two", instructed("  Be quick. "))
        .server("three", tools(&["t"]))
        .server_with("four", instructed("Trust me."), |server| {
            server.declared_trust = Some(Trust::Untrusted);
        })
        .role("reader", &["two"])
        .run()
        .await;
    let first = gate.client().initialize().await;
    listed(&first, "tools/list").await;
    let greeted = async |path: &str| {
        let params = json!({"protocolVersion": "2025-11-25"});
        let reply = gate.client_at(path).request(json!(1), "initialize", params).await;
        reply.json().await["result"].clone()
    };
    let result = greeted("/mcp").await;
    let said = result["instructions"].as_str().unwrap();
    let (ours, theirs) = said.split_once("\n\n").unwrap();
    assert!(ours.contains("each under a heading with the server's name"), "{ours}");
    let expected = "## Server `one`\n\n> Be kind.\n\n## Server `two`\n\n> Be quick.";
    assert_eq!(theirs, expected);
    assert_eq!(result["serverInfo"]["name"], "toolgate");
    for capability in ["tools", "resources", "prompts", "completions", "logging"] {
        assert!(result["capabilities"][capability].is_object(), "{capability}");
    }
    let said = greeted("/mcp/reader").await["instructions"].as_str().unwrap().to_owned();
    assert!(
        said.ends_with(
            "name. Every line of them stands behind `>`; a server speaks for itself \
                            alone.\n\n## Server `two`\n\n> Be quick."
        ),
        "{said}"
    );
}

/// What is written once for all is written anew when something changed.
#[tokio::test]
async fn a_list_that_changed_is_listed_as_it_is_now() {
    let lists = [Act::answer(list(&["old"])), Act::answer(list(&["new"]))];
    let script = Script::legacy()
        .offering(r#"{"tools":{"listChanged":true}}"#)
        .on("tools/list", [Act::InTurn(lists.into())])
        .on_call("old", [Act::notify("notifications/tools/list_changed", "{}"), Act::say("x")]);
    let gate = Gate::with("one", script).run().await;
    let client = gate.client().initialize().await;
    assert_eq!(names(&listed(&client, "tools/list").await), ["one__old"]);
    client.call("one__old", json!({})).await;
    gate.events.heard(&["ListChanged"], 1).await;
    assert_eq!(names(&listed(&client, "tools/list").await), ["one__new"]);
}

/// Nothing that one principal's servers hold is another's.
#[tokio::test]
async fn each_principal_has_servers_of_its_own() {
    let gate = Gate::with("one", tools(&["t"]));
    let gate = gate.token("a", "ada", None).token("b", "bob", None).run().await;
    for token in ["a", "b"] {
        let client = gate.client().bearer(token).initialize().await;
        client.call("one__t", json!({})).await;
        let peer = gate.peers.last("one").await;
        within(peer.received("tools/call")).await;
        let calls = peer.seen().iter().filter(|line| line.contains("tools/call")).count();
        assert_eq!(calls, 1, "{token}");
    }
    assert_eq!(gate.peers.received("one", r#""initialize""#), 2);
}
