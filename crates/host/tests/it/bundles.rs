//! Slices of servers: what they show, what they reach, and whom they start.

use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_host::{Call, CallTarget, ResolveError};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{Bundle, BundleMode, Config, Entry, MetaSection, NameFilter};
use toolgate_types::{BundleId, LayerGrade, OperationOutcome, Pattern};

use crate::gate::{Gate, Running, entry, id, json, list, server, tools, within};

pub(crate) fn bundle_id(name: &str) -> BundleId {
    BundleId::parse(name).unwrap()
}

pub(crate) fn bundle(config: &mut Config, name: &str, of: &str, mode: BundleMode, allow: &[&str]) {
    let allow = allow.iter().map(|pattern| Pattern::parse(pattern).unwrap()).collect();
    let tools = NameFilter { allow: Some(allow), deny: Vec::new() };
    let bundle = Bundle { server: id(of), mode, description: None, tools };
    let like = entry(name, server(toolgate_types::config::Transport::Builtin), LayerGrade::Person);
    let Entry { origin, fingerprint, values, .. } = like;
    config.bundles.insert(bundle_id(name), Entry { value: bundle, origin, fingerprint, values });
}

fn gate() -> Running {
    let described = Script::legacy()
        .on(
            "tools/list",
            [Act::answer(
                r#"{"tools":[{"name":"read","description":"Reads","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}},{"name":"drop"}]}"#,
            )],
        )
        .on_call("read", [Act::say("text")])
        .on_call("drop", [Act::say("gone")]);
    Gate::open()
        .server("repo", tools(&["search", "write", "read"]))
        .server("docs", described)
        .server("unused", tools(&["x"]))
        .configured(|config| {
            bundle(config, "search", "repo", BundleMode::Direct, &["search"]);
            bundle(config, "read", "repo", BundleMode::Direct, &["read"]);
            bundle(config, "docs", "docs", BundleMode::Meta, &["read"]);
            bundle(config, "docsToo", "docs", BundleMode::Meta, &["*"]);
            bundle(config, "lost", "nowhere", BundleMode::Direct, &["*"]);
        })
        .run()
}

async fn names(gate: &Running, bundles: &[&str]) -> Result<Vec<String>, ResolveError> {
    let bundles: Vec<_> = bundles.iter().map(|name| bundle_id(name)).collect();
    let resolved = within(gate.host.resolve_tools(&bundles)).await?;
    Ok(resolved.tools.tools().map(|tool| tool.name().to_owned()).collect())
}

/// Shows: P11-3, P11-10, S0-24, S0-25.
#[tokio::test(start_paused = true)]
async fn bundles_show_their_slices_sorted_and_start_only_their_servers() {
    let gate = gate();
    assert_eq!(names(&gate, &["search", "read"]).await.unwrap(), ["repo.read", "repo.search"]);
    assert_eq!((gate.peers.starts("repo"), gate.peers.starts("docs")), (1, 0));
    let with_meta = names(&gate, &["search", "docs", "docsToo"]).await.unwrap();
    assert_eq!(
        with_meta,
        ["mcp.callTool", "mcp.getToolSchema", "mcp.listTools", "mcp.searchTools", "repo.search"],
        "the meta tools once, however many meta bundles"
    );
    assert_eq!(names(&gate, &[]).await.unwrap(), [""; 0], "nothing resolves to nothing");
    assert_eq!(gate.peers.starts("unused"), 0);
    let unknown = names(&gate, &["absent"]).await.unwrap_err();
    assert_eq!(unknown, ResolveError::UnknownBundle(bundle_id("absent")));
    let lost = names(&gate, &["lost"]).await.unwrap_err();
    assert_eq!(lost.to_string(), "Unknown server 'nowhere' of bundle 'lost'");
}

#[tokio::test(start_paused = true)]
async fn two_tools_of_one_name_are_an_error_and_not_a_guess() {
    let twice = r#"{"tools":[{"name":"t"},{"name":"t"}]}"#;
    let gate = Gate::open()
        .server("one", Script::legacy().on("tools/list", [Act::answer(twice)]))
        .configured(|config| bundle(config, "all", "one", BundleMode::Direct, &["*"]))
        .run();
    let error = names(&gate, &["all"]).await.unwrap_err();
    assert!(error.to_string().starts_with("Tool name collision"), "{error}");
}

/// Shows: C28, E-4, P11-6, P11-8.
#[tokio::test(start_paused = true)]
async fn tools_behind_a_meta_bundle_are_listed_described_and_called_under_either_name() {
    let gate = gate();
    let bundles = ["docs", "docsToo"].map(bundle_id);
    let view = within(gate.host.resolve_tools(&bundles)).await.unwrap().tools;
    let ask = async |name: &str, arguments: &str| {
        let entry = Arc::clone(view.resolve(name).unwrap());
        let call = Call::new(CallTarget::Listed(entry)).arguments(json(arguments));
        match within(gate.host.call(call)).await.unwrap() {
            OperationOutcome::Done(done) => structured(done.result.get()),
            other => panic!("{other:?}"),
        }
    };
    let both = [("mcp.listTools", "mcp_list_tools"), ("mcp.callTool", "mcp_call_tool")];
    for (dotted, underscored) in both {
        assert!(Arc::ptr_eq(view.resolve(dotted).unwrap(), view.resolve(underscored).unwrap()));
    }
    let listed = ask("mcp_list_tools", r#"{"serverId":"docs"}"#).await;
    assert_eq!(listed, r#"{"tools":[{"name":"read","description":"Reads"}]}"#);
    let schema = ask("mcp_get_tool_schema", r#"{"serverId":"docs","toolName":"read"}"#).await;
    assert_eq!(
        schema,
        r#"{"ok":true,"toolName":"read","description":"Reads","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#
    );
    // One search is enough to call, and what is hidden, or elsewhere, is not found.
    let found = ask("mcp.searchTools", r#"{"query":"reading something"}"#).await;
    assert_eq!(
        found,
        r#"{"tools":[{"serverId":"docs","toolName":"read","description":"Reads","inputSchema":{"type":"object"}}]}"#
    );
    assert_eq!(ask("mcp_search_tools", r#"{"query":"drop search"}"#).await, r#"{"tools":[]}"#);
    let unasked = ask("mcp.searchTools", r#"{"query":"read","limit":0}"#).await;
    assert!(unasked.contains("Invalid input for mcp.searchTools."), "{unasked}");
    let called = ask("mcp.callTool", r#"{"serverId":"docs","toolName":"read","args":{}}"#).await;
    assert!(called.starts_with(r#"{"ok":true,"result":{"content""#), "{called}");
    for tool in ["drop", "absent"] {
        let arguments = format!(r#"{{"serverId":"docs","toolName":"{tool}"}}"#);
        let refused = ask("mcp.callTool", &arguments).await;
        assert_eq!(
            refused,
            format!(
                r#"{{"ok":false,"error":"Tool '{tool}' is not allowed or does not exist on server 'docs'."}}"#
            )
        );
    }
    let other = ask("mcp.callTool", r#"{"serverId":"repo","toolName":"read"}"#).await;
    assert!(other.contains("MCP serverId 'repo' is not enabled for meta-tool access."), "{other}");
    let wrong = ask("mcp.callTool", r#"{"serverId":7}"#).await;
    assert!(wrong.contains("Invalid input for mcp.callTool."), "{wrong}");
    // The call that was meant is recorded beside the call of the meta tool.
    let told = gate.events.all();
    for meant in ["drop", "absent", "read", "/"] {
        let line = format!("ended call {meant}: Failed(NotFound)");
        assert!(told.contains(&line), "{meant}: {told:?}");
    }
    assert_eq!(gate.peers.received("docs", "\"drop\""), 0);
}

/// Shows: P11-5.
#[tokio::test(start_paused = true)]
async fn there_are_four_meta_tools_with_these_arguments_and_these_answers() {
    let names: Vec<String> = (0..130).rev().map(|number| format!("t{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list(&names))])
        .on_call("t001", [Act::say("first")])
        .on_call("t002", [Act::refuse(-32000, "out of order")]);
    let gate = Gate::open()
        .server("one", script)
        .configured(|config| bundle(config, "all", "one", BundleMode::Meta, &["*"]))
        .run();
    let view = within(gate.host.resolve_tools(&[bundle_id("all")])).await.unwrap().tools;
    let listed: Vec<_> = view.tools().map(|tool| tool.name().to_owned()).collect();
    let meta = ["mcp.callTool", "mcp.getToolSchema", "mcp.listTools", "mcp.searchTools"];
    assert_eq!(listed, meta, "and no other");
    let ask = async |name: &str, arguments: &str| {
        let entry = Arc::clone(view.resolve(name).unwrap());
        let call = Call::new(CallTarget::Listed(entry)).arguments(json(arguments));
        match within(gate.host.call(call)).await.unwrap() {
            OperationOutcome::Done(done) => structured(done.result.get()),
            other => panic!("{other:?}"),
        }
    };
    let page = async |more: &str| {
        let answer = ask("mcp.listTools", &format!(r#"{{"serverId":"one"{more}}}"#)).await;
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let rows = answer["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let number = |range: std::ops::Range<usize>| -> Vec<String> {
        range.map(|number| format!("t{number:03}")).collect()
    };
    assert_eq!(page(r#","limit":2"#).await, number(0..2), "sorted, though they came otherwise");
    assert_eq!(page(r#","offset":1,"limit":1"#).await, number(1..2));
    assert_eq!(page(r#","offset":0,"limit":128"#).await, number(0..128));
    assert_eq!(page(r#","offset":128,"limit":128"#).await, number(128..130));
    assert_eq!(page(r#","offset":200"#).await, [""; 0]);
    for wrong in [r#","offset":-1"#, r#","limit":0"#, r#","limit":129"#, r#","limit":"2""#] {
        let answer = ask("mcp.listTools", &format!(r#"{{"serverId":"one"{wrong}}}"#)).await;
        assert_eq!(answer, r#"{"ok":false,"error":"Invalid input for mcp.listTools."}"#, "{wrong}");
    }
    let of = |tool: &str| format!(r#"{{"serverId":"one","toolName":"{tool}"}}"#);
    let schema = ask("mcp.getToolSchema", &of("t001")).await;
    assert_eq!(
        schema,
        r#"{"ok":true,"toolName":"t001","description":null,"inputSchema":{"type":"object"},"outputSchema":null}"#
    );
    let gone =
        r#"{"ok":false,"error":"Tool 'gone' is not allowed or does not exist on server 'one'."}"#;
    assert_eq!(ask("mcp.getToolSchema", &of("gone")).await, gone);
    assert_eq!(ask("mcp.callTool", &of("gone")).await, gone);
    let called = ask("mcp.callTool", r#"{"serverId":"one","toolName":"t001","args":{"n":1.50}}"#);
    let called = called.await;
    assert!(called.starts_with(r#"{"ok":true,"result":{"content""#), "{called}");
    assert!(called.contains("first"), "{called}");
    assert_eq!(gate.peers.received("one", r#""arguments":{"n":1.50}"#), 1);
    let refused = ask("mcp.callTool", &of("t002")).await;
    assert!(refused.starts_with(r#"{"ok":false,"error":""#), "{refused}");
    assert!(refused.contains("out of order"), "{refused}");
}

/// Shows: P11-9.
#[tokio::test(start_paused = true)]
async fn what_is_reached_through_the_meta_tools_is_cut_to_size_and_time() {
    let long = "d".repeat(1000);
    let schema = format!(r#"{{"type":"object","description":"{}"}}"#, "s".repeat(70_000));
    let tools = format!(
        r#"{{"tools":[{{"name":"big","description":"{long}","inputSchema":{schema}}},{{"name":"slow"}}]}}"#
    );
    let script = Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on_call("big", [Act::say(&"r".repeat(70_000))])
        .on_call("slow", [Act::hold("never")]);
    let gate = Gate::open()
        .server("one", script)
        .configured(|config| bundle(config, "all", "one", BundleMode::Meta, &["*"]))
        .run();
    let view = within(gate.host.resolve_tools(&[bundle_id("all")])).await.unwrap().tools;
    let ask = async |name: &str, arguments: &str| {
        let entry = Arc::clone(view.resolve(name).unwrap());
        let call = Call::new(CallTarget::Listed(entry)).arguments(json(arguments));
        match within(gate.host.call(call)).await.unwrap() {
            OperationOutcome::Done(done) => structured(done.result.get()),
            other => panic!("{other:?}"),
        }
    };
    let listed = ask("mcp.listTools", r#"{"serverId":"one"}"#).await;
    assert!(listed.contains(&"d".repeat(400)) && !listed.contains(&"d".repeat(401)));
    let schema = ask("mcp.getToolSchema", r#"{"serverId":"one","toolName":"big"}"#).await;
    assert!(schema.contains(r#""inputSchema":{"note":"truncated","jsonPreview":""#));
    let called = ask("mcp.callTool", r#"{"serverId":"one","toolName":"big"}"#).await;
    assert!(called.starts_with(r#"{"ok":true,"result":{"note":"truncated","jsonPreview":""#));
    assert!(called.len() < 70_000, "{}", called.len());
    let began = tokio::time::Instant::now();
    let slow = ask("mcp.callTool", r#"{"serverId":"one","toolName":"slow"}"#).await;
    assert!(slow.starts_with(r#"{"ok":false"#), "{slow}");
    assert_eq!(began.elapsed().as_secs(), 30);
}

/// Whatever is found, its schemas stay within a size; what does not fit says so, and is there for the asking.
#[tokio::test(start_paused = true)]
async fn what_a_search_finds_is_bounded_as_a_whole() {
    let tool = |number: usize| {
        let schema = format!(r#"{{"type":"object","title":"{}"}}"#, "s".repeat(5_000));
        let described = format!("Sends a letter. {}", "d".repeat(1_000));
        format!(r#"{{"name":"send_{number}","description":"{described}","inputSchema":{schema}}}"#)
    };
    let listed: Vec<String> = (0..30).map(tool).collect();
    let listed = format!(r#"{{"tools":[{}]}}"#, listed.join(","));
    let gate = Gate::open()
        .server("post", Script::legacy().on("tools/list", [Act::answer(listed)]))
        .configured(|config| bundle(config, "all", "post", BundleMode::Meta, &["*"]))
        .run();
    let view = within(gate.host.resolve_tools(&[bundle_id("all")])).await.unwrap().tools;
    let entry = Arc::clone(view.resolve("mcp_search_tools").unwrap());
    let call = Call::new(CallTarget::Listed(entry));
    let call = call.arguments(json(r#"{"query":"send a letter","limit":20}"#));
    let OperationOutcome::Done(done) = within(gate.host.call(call)).await.unwrap() else {
        panic!()
    };
    let found = structured(done.result.get());
    assert!(found.len() < 45_000, "{}", found.len());
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let found = found["tools"].as_array().unwrap();
    assert_eq!(found.len(), 20);
    for (place, tool) in found.iter().enumerate() {
        assert_eq!(tool["description"].as_str().unwrap().len(), 400);
        let schema = &tool["inputSchema"];
        match place {
            0..4 => assert_eq!(schema["title"].as_str().unwrap().len(), 5_000),
            _ => assert_eq!(schema["note"], "truncated", "{place}"),
        }
    }
}

/// What a server would take from a call is one object that everybody reads alike.
#[tokio::test(start_paused = true)]
async fn arguments_for_a_tool_behind_are_an_object_with_no_key_twice() {
    let gate = gate();
    let view = within(gate.host.resolve_tools(&[bundle_id("docs")])).await.unwrap().tools;
    let ask = async |args: &str| {
        let entry = Arc::clone(view.resolve("mcp.callTool").unwrap());
        let arguments = format!(r#"{{"serverId":"docs","toolName":"read","args":{args}}}"#);
        let call = Call::new(CallTarget::Listed(entry)).arguments(json(&arguments));
        match within(gate.host.call(call)).await.unwrap() {
            OperationOutcome::Done(done) => structured(done.result.get()),
            other => panic!("{other:?}"),
        }
    };
    for args in [r#""{}""#, "[]", "[{}]", "7", "true"] {
        let refused = ask(args).await;
        assert_eq!(refused, r#"{"ok":false,"error":"Invalid input for mcp.callTool."}"#, "{args}");
    }
    let twice = [
        r#"{"a":1,"a":2}"#,
        r#"{"x":[{"b":{"c":1,"c":1}}]}"#,
        r#"{"a":1,"\u0061":2}"#,
        "{},\"args\":{}",
    ];
    for args in twice {
        let refused = ask(args).await;
        assert!(refused.starts_with(r#"{"ok":false,"error":"Invalid input"#), "{args}: {refused}");
        assert!(refused.contains("stands twice"), "{args}: {refused}");
    }
    assert_eq!(gate.peers.received("docs", "tools/call"), 0);
    let called = ask(r#"{"a":{"a":[{"a":1},{"a":1}]}}"#).await;
    assert!(called.starts_with(r#"{"ok":true"#), "{called}");
    assert_eq!(gate.peers.received("docs", "tools/call"), 1);
}

/// Shows: P11-9.
#[tokio::test(start_paused = true)]
async fn each_of_these_limits_is_the_persons_and_none_is_no_limit() {
    let names: Vec<String> = (0..450).map(|number| format!("t{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ask = async |gate: &Running, name: &str, arguments: &str| -> serde_json::Value {
        let view = within(gate.host.resolve_tools(&[bundle_id("all")])).await.unwrap().tools;
        let entry = Arc::clone(view.resolve(name).unwrap());
        let call = Call::new(CallTarget::Listed(entry)).arguments(json(arguments));
        match within(gate.host.call(call)).await.unwrap() {
            OperationOutcome::Done(done) => {
                serde_json::from_str(&structured(done.result.get())).unwrap()
            }
            other => panic!("{other:?}"),
        }
    };
    let gate = |change: fn(&mut MetaSection)| {
        let script = Script::legacy()
            .on("tools/list", [Act::answer(list(&names))])
            .on_call("t000", [Act::say(&"r".repeat(70_000))]);
        Gate::open().server("one", script).configured(move |config| {
            bundle(config, "all", "one", BundleMode::Meta, &["*"]);
            change(&mut config.gateway.meta);
        })
    };
    let usual = gate(|_| {}).run();
    let (mut seen, mut offset, mut pages) = (0, 0, Vec::new());
    loop {
        let arguments = format!(r#"{{"serverId":"one","offset":{offset}}}"#);
        let page = ask(&usual, "mcp.listTools", &arguments).await;
        seen += page["tools"].as_array().unwrap().len();
        pages.push((page["more"] == true, page["nextOffset"].as_u64()));
        match page["nextOffset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!((seen, pages), (450, vec![(true, Some(200)), (true, Some(400)), (false, None)]));
    let few = gate(|meta| {
        meta.listed_tools = Some(7);
        meta.result_chars = Some(50);
    });
    let few = few.run();
    let page = ask(&few, "mcp.listTools", r#"{"serverId":"one","limit":128}"#).await;
    assert_eq!((page["tools"].as_array().unwrap().len(), &page["nextOffset"]), (7, &7.into()));
    let called = ask(&few, "mcp.callTool", r#"{"serverId":"one","toolName":"t000"}"#).await;
    let result = &called["result"];
    assert_eq!(result["note"], "truncated");
    assert_eq!(result["jsonPreview"].as_str().unwrap().chars().count(), 50);
    let all = gate(|meta| {
        meta.listed_tools = None;
        meta.result_chars = None;
    });
    let all = all.run();
    let page = ask(&all, "mcp.listTools", r#"{"serverId":"one"}"#).await;
    assert_eq!(page["tools"].as_array().unwrap().len(), 450);
    assert_eq!(page.get("more"), None);
    let called = ask(&all, "mcp.callTool", r#"{"serverId":"one","toolName":"t000"}"#).await;
    assert_eq!(called["result"]["content"][0]["text"].as_str().unwrap().len(), 70_000);
}

pub(crate) fn structured(result: &str) -> String {
    let parts: IndexMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(result).unwrap();
    parts["structuredContent"].get().to_owned()
}
