//! What a caller sees and may do depends on its address, its token and its client's name.

pub(crate) mod house;
mod steps;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{BundleMode, ClientSettings, Naming};

use self::house::House;
use crate::gate::{list, tools};
use crate::modern::Caller;

use BundleMode::{Direct, Meta};

const META_TOOLS: [&str; 4] =
    ["mcp_call_tool", "mcp_get_tool_schema", "mcp_list_tools", "mcp_search_tools"];

/// A server with one of everything, named after itself, and with nothing else.
fn library(name: &str) -> Script {
    let offered = |text: &str| [Act::answer(text.replace('@', name))];
    let completed = r#"{"completion":{"values":["@"]}}"#;
    tools(&["read", "write"])
        .offering(r#"{"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{}}"#)
        .on("resources/list", offered(r#"{"resources":[{"uri":"@:1","name":"@"}]}"#))
        .on(
            "resources/templates/list",
            offered(r#"{"resourceTemplates":[{"uriTemplate":"@://{x}","name":"@"}]}"#),
        )
        .on_when("resources/read", name, offered(r#"{"contents":[{"uri":"@:1","text":"@"}]}"#))
        .on("resources/read", [Act::refuse(-32002, "not here")])
        .on_when("resources/subscribe", name, offered("{}"))
        .on("resources/unsubscribe", offered("{}"))
        .on("prompts/list", offered(r#"{"prompts":[{"name":"greet"}]}"#))
        .on("prompts/get", offered(r#"{"messages":[],"description":"@"}"#))
        .on_when("completion/complete", "greet", offered(completed))
        .on_when("completion/complete", &format!("{name}://"), offered(completed))
        .on("completion/complete", [Act::refuse(-32602, "not here")])
}

/// A reader who reads books, and a writer who writes them and reaches the maps through meta tools.
fn house() -> House {
    House::new()
        .server("books", library("books"))
        .server("maps", library("maps"))
        .role("reader", &[("books", Direct, &["read"])])
        .role("writer", &[("books", Direct, &["*"]), ("maps", Meta, &["read"])])
        .role("nobody", &[])
        .token("ada", None, None)
        .token("bob", Some(&["reader"]), None)
        .token("eve", Some(&["reader", "writer"]), None)
}

async fn meta(caller: &Caller, tool: &str, arguments: Value) -> Value {
    let answer = caller.call(tool, arguments).await;
    answer["result"]["structuredContent"].clone()
}

/// Shows: S0-24, S0-25.
#[tokio::test]
async fn a_role_lists_the_tools_of_its_bundles_and_the_way_to_the_others() {
    let open = house().open().await;
    let writer =
        [META_TOOLS.map(str::to_owned).to_vec(), strings(&["books__read", "books__write"])];
    let mut writer = writer.concat();
    writer.sort();
    for (path, expected) in [
        ("/mcp", strings(&["books__read", "books__write", "maps__read", "maps__write"])),
        ("/mcp/reader", strings(&["books__read"])),
        ("/mcp/writer", writer),
        ("/mcp/nobody", Vec::new()),
    ] {
        for _ in 0..2 {
            assert_eq!(open.caller("ada", path).names("tools/list").await, expected, "{path}");
        }
    }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Shows: P11-5, P11-6.
#[tokio::test]
async fn tools_behind_a_meta_bundle_are_reached_through_the_meta_tools_alone() {
    let open = house().open().await;
    let writer = open.caller("ada", "/mcp/writer");
    let listed = meta(&writer, "mcp_list_tools", json!({"serverId": "maps"})).await;
    assert_eq!(listed["tools"][0]["name"], "read", "{listed}");
    assert_eq!(listed["tools"].as_array().unwrap().len(), 1, "{listed}");
    let arguments = json!({"serverId": "maps", "toolName": "read", "args": {}});
    let called = meta(&writer, "mcp_call_tool", arguments).await;
    assert_eq!(called["ok"], true, "{called}");
    for tool in ["write", "absent"] {
        let arguments = json!({"serverId": "maps", "toolName": tool, "args": {}});
        let called = meta(&writer, "mcp_call_tool", arguments).await;
        let why = format!("Tool '{tool}' is not allowed or does not exist on server 'maps'.");
        assert_eq!(called, json!({"ok": false, "error": why}));
    }
}

/// However many tools there are, the way to them takes the same little room in a list: under 1 500 tokens by
/// the least favourable count of three letters each.
#[tokio::test]
async fn a_way_to_a_thousand_tools_is_listed_in_little_and_says_the_worst_of_a_call() {
    let names: Vec<String> = (0..1_000).map(|number| format!("tool_{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let house = House::new().server("maps", tools(&names)).token("ada", None, None);
    let open = house.role("all", &[("maps", Meta, &["*"])]).open().await;
    let ada = open.caller("ada", "/mcp/all");
    assert_eq!(ada.names("tools/list").await, META_TOOLS);
    let answer = ada.ask("tools/list", json!({})).await;
    let listed = answer["result"]["tools"].as_array().unwrap();
    assert!(answer.to_string().len() < 3 * 1_500, "{answer}");
    for tool in listed {
        let is_call = tool["name"] == "mcp_call_tool";
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], !is_call, "{tool}");
        assert_eq!(hints["openWorldHint"], is_call, "{tool}");
        assert_eq!(hints["destructiveHint"] == true, is_call, "{tool}");
    }
    let wanted = json!({"query": "tool 7", "limit": 1});
    let found = meta(&ada, "mcp_search_tools", wanted).await;
    assert_eq!(found["tools"][0]["toolName"], "tool_7", "{found}");
    assert_eq!(found["tools"][0]["inputSchema"], json!({"type": "object"}), "{found}");
}

/// Every way to name something, and what it is called where it does not exist.
fn reaches() -> Vec<(&'static str, Value)> {
    let complete =
        |reference: Value| json!({"ref": reference, "argument": {"name": "x", "value": "y"}});
    vec![
        ("tools/call", json!({"name": "@__read"})),
        ("tools/call", json!({"name": "@.read"})),
        ("tools/call", json!({"name": "mcp__@__read"})),
        ("resources/read", json!({"uri": "@:1"})),
        ("resources/read", json!({"uri": "@://x"})),
        ("prompts/get", json!({"name": "@__greet"})),
        ("completion/complete", complete(json!({"type": "ref/prompt", "name": "@__greet"}))),
        ("completion/complete", complete(json!({"type": "ref/resource", "uri": "@://{x}"}))),
    ]
}

async fn reach(caller: &Caller, method: &str, params: &Value, server: &str) -> Value {
    let params: Value = serde_json::from_str(&params.to_string().replace('@', server)).unwrap();
    let mut answer = caller.ask(method, params).await;
    if let Some(data) = answer["error"].get_mut("data") {
        data["correlationId"] = json!("");
    }
    let text = answer.to_string().replace(server, "@");
    serde_json::from_str(&text).unwrap()
}

/// Shows: S4-43.
#[tokio::test]
async fn what_is_hidden_from_a_role_and_what_does_not_exist_read_the_same() {
    let open = house().open().await;
    let (all, reader) = (open.caller("ada", "/mcp"), open.caller("ada", "/mcp/reader"));
    for (method, params) in reaches() {
        let seen = reach(&all, method, &params, "maps").await;
        assert!(seen["result"].is_object(), "{method} {params}: {seen}");
        let seen = reach(&reader, method, &params, "books").await;
        assert!(seen["result"].is_object(), "{method} {params}: {seen}");
        let hidden = reach(&reader, method, &params, "maps").await;
        let absent = reach(&reader, method, &params, "gone").await;
        assert!(hidden["error"].is_object(), "{method} {params}: {hidden}");
        assert_eq!(hidden, absent, "{method} {params}");
    }
    let written = reader.call("books__write", json!({})).await;
    let absent = reader.call("books__other", json!({})).await;
    let code = |answer: &Value| answer["error"]["code"].as_i64();
    assert_eq!((code(&written), code(&absent)), (Some(-32602), Some(-32602)), "{written} {absent}");
    for (method, names) in
        [("prompts/list", strings(&["books__greet"])), ("resources/list", strings(&["books"]))]
    {
        assert_eq!(reader.names(method).await, names, "{method}");
    }
    let templates = reader.ask("resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"][0]["name"], "books");
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 1);
}

/// Shows: S4-43.
#[tokio::test]
async fn a_role_cannot_listen_to_what_it_cannot_see() {
    let open = house().open().await;
    let reader = open.caller("ada", "/mcp/reader");
    let filter = json!({"resourceSubscriptions": ["books:1", "maps:1", "gone:1"]});
    let params = json!({"notifications": filter});
    let mut stream = reader.request(json!(1), "subscriptions/listen", params).await;
    let agreed = stream.message().await["params"]["notifications"].clone();
    assert_eq!(agreed["resourceSubscriptions"], json!(["books:1"]));
}

#[tokio::test]
async fn a_token_of_some_roles_opens_no_other_address() {
    let open = house().open().await;
    for (token, path, expected) in [
        ("ada", "/mcp", StatusCode::OK),
        ("ada", "/mcp/writer", StatusCode::OK),
        ("ada", "/mcp/absent", StatusCode::NOT_FOUND),
        ("bob", "/mcp/reader", StatusCode::OK),
        ("bob", "/mcp/writer", StatusCode::NOT_FOUND),
        ("bob", "/mcp", StatusCode::NOT_FOUND),
        ("bob", "/mcp/absent", StatusCode::NOT_FOUND),
        ("eve", "/mcp/writer", StatusCode::OK),
        ("eve", "/mcp", StatusCode::NOT_FOUND),
        ("nobody", "/mcp/reader", StatusCode::UNAUTHORIZED),
    ] {
        let caller = open.caller(token, path);
        let reply = caller.request(json!(1), "tools/list", json!({})).await;
        assert_eq!(reply.status, expected, "{token} at {path}");
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
        let reply = open.client(token, path).request(json!(1), "initialize", params).await;
        assert_eq!(reply.status, expected, "{token} at {path}, in the older way");
    }
    // A session is of the address where it was opened.
    let session = open.client("eve", "/mcp/reader").initialize().await;
    let elsewhere = session.at("/mcp/writer").request(json!(1), "tools/list", json!({})).await;
    assert_eq!(elsewhere.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_client_gets_names_and_results_as_the_settings_of_its_name_say() {
    let long = "x".repeat(4000);
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&["long"]))])
        .on_call("long", [Act::say(&long)]);
    let dotted = ClientSettings { naming: Some(Naming::Dotted), ..ClientSettings::default() };
    let brief = ClientSettings { result_bytes: Some(1000), ..ClientSettings::default() };
    let open = House::new()
        .server("one", script)
        .client("dotted", dotted)
        .client("brief", brief)
        .token("ada", None, None)
        .token("bob", None, Some("dotted"))
        .token("eve", None, Some("brief"))
        .token("dan", None, Some("unknown"))
        .open()
        .await;
    for (token, name, is_whole) in [
        ("ada", "one__long", true),
        ("bob", "one.long", true),
        ("eve", "one__long", false),
        ("dan", "one__long", true),
    ] {
        let caller = open.caller(token, "/mcp");
        assert_eq!(caller.names("tools/list").await, [name], "{token}");
        // What a client says of itself changes nothing.
        let info = json!({"name": "dotted", "version": "0"});
        let caller = caller.saying("io.modelcontextprotocol/clientInfo", info);
        assert_eq!(caller.names("tools/list").await, [name], "{token}");
        let answer = caller.call(name, json!({})).await;
        assert_eq!(answer.to_string().contains(&long), is_whole, "{token}: {answer}");
        assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    }
}

/// By the name that the person gave the client, and by nothing that it says of itself.
///
/// Shows: S1-87.
#[tokio::test]
async fn a_client_that_knows_only_tools_gets_resources_and_prompts_as_tools() {
    let [on, off] = [true, false].map(|resource_tools| {
        let resource_tools = Some(resource_tools);
        ClientSettings { resource_tools, ..ClientSettings::default() }
    });
    let open = house()
        .client("simple", on)
        .client("other", off)
        .token("sim", None, Some("simple"))
        .token("win", None, Some("windsurf"))
        .token("off", None, Some("other"))
        .open()
        .await;
    let own = [
        "mcp_prompt_get",
        "mcp_prompts_list",
        "mcp_resource_read",
        "mcp_resource_templates_list",
        "mcp_resources_list",
    ];
    for (token, has_them) in [("sim", true), ("win", true), ("off", false), ("ada", false)] {
        let info = json!({"name": "windsurf", "version": "0"});
        let caller =
            open.caller(token, "/mcp/reader").saying("io.modelcontextprotocol/clientInfo", info);
        let listed = caller.names("tools/list").await;
        let mut expected = strings(if has_them { &own } else { &[] });
        expected.insert(0, "books__read".to_owned());
        assert_eq!(listed, expected, "{token}");
    }
    // They show what the role shows.
    let caller = open.caller("sim", "/mcp/reader");
    let listed = caller.call("mcp_prompts_list", json!({})).await.to_string();
    assert!(listed.contains("books") && !listed.contains("maps"), "{listed}");
    let got = json!({"server": "maps", "name": "greet"});
    let hidden = caller.call("mcp_prompt_get", got).await;
    let absent = caller.call("mcp_prompt_get", json!({"server": "gone", "name": "greet"})).await;
    let code = |answer: &Value| answer["error"]["code"].as_i64();
    assert_eq!(code(&hidden), code(&absent), "{hidden} {absent}");
    assert!(!hidden.to_string().contains("messages"), "{hidden}");
}

/// One host, and lists that are written once for all who see the same.
#[tokio::test]
async fn cross_client_leak_lists_of_two_audiences_are_never_mixed_up() {
    let open = house().open().await;
    let paths = ["/mcp/reader", "/mcp/writer", "/mcp", "/mcp/nobody"];
    let methods = ["tools/list", "prompts/list", "resources/list"];
    let mut first = Vec::new();
    for round in 0..3 {
        let mut asking = tokio::task::JoinSet::new();
        for (place, path) in paths.iter().enumerate() {
            for method in methods {
                let caller = open.caller("ada", path);
                let asked = async move { (place, method, caller.names(method).await) };
                asking.spawn(asked);
            }
        }
        let mut all = Vec::new();
        while let Some(one) = asking.join_next().await {
            all.push(one.unwrap());
        }
        all.sort();
        if round == 0 {
            first.clone_from(&all);
        }
        assert_eq!(all, first);
    }
    for (place, method, names) in first {
        let sees_maps = names.iter().any(|name| name.starts_with("maps"));
        // The writer reaches the maps: their tools another way, the rest as it is.
        let may = place == 2 || (place == 1 && method != "tools/list");
        assert_eq!(sees_maps, may, "{} {method}: {names:?}", paths[place]);
    }
}

#[tokio::test]
async fn records_name_what_was_called_and_who_called_it_how() {
    let named = ClientSettings::default();
    let open = house().client("codex", named).token("dan", None, Some("codex")).open().await;
    open.caller("bob", "/mcp/reader").call("books__read", json!({})).await;
    let arguments = json!({"serverId": "maps", "toolName": "read", "args": {}});
    open.caller("eve", "/mcp/writer").call("mcp_call_tool", arguments).await;
    let old = open.client("dan", "/mcp").initialize().await;
    old.call("books__write", json!({})).await;
    let session = old.session().to_owned();
    let read = json!({"uri": "maps:1"});
    open.caller("dan", "/mcp").ask("resources/read", read).await;
    let records = open.records().await;
    let is_of_meta =
        |entry: &&toolgate_store::AuditEntry| entry.tool.as_deref() == Some("mcp_call_tool");
    assert_eq!(records.iter().find(is_of_meta), None, "only what it called");
    let find = |server: &str, tool: &str| {
        let is_it = |(_, entry): &(usize, &toolgate_store::AuditEntry)| {
            (entry.server.as_deref(), entry.tool.as_deref()) == (Some(server), Some(tool))
        };
        let found = records.iter().enumerate().find(is_it);
        found.unwrap_or_else(|| panic!("{server} {tool}: {records:?}")).1
    };
    for (server, tool, principal, client, role, era, in_session) in [
        ("books", "read", "bob", "caller", Some("reader"), "modern", None),
        ("maps", "read", "eve", "caller", Some("writer"), "modern", None),
        ("books", "write", "dan", "codex", None, "legacy", Some(session.as_str())),
        ("maps", "maps:1", "dan", "codex", None, "modern", None),
    ] {
        let entry = find(server, tool);
        assert_eq!(entry.principal, principal, "{entry:?}");
        assert_eq!(entry.client.as_deref(), Some(client), "{entry:?}");
        assert_eq!(entry.role.as_deref(), role, "{entry:?}");
        assert_eq!(entry.session.as_deref(), in_session, "{entry:?}");
        assert_eq!(entry.workspace.as_deref(), Some("/folder"), "{entry:?}");
        assert!(entry.body.contains(&format!(r#""era":"{era}""#)), "{entry:?}");
    }
}
