//! Whether tools are listed themselves: as it is configured, as long as their list is, and never so that
//! less or more can be called.

use std::sync::Arc;

use tokio::time::Instant;
use toolgate_guard::StepAddress;
use toolgate_host::{Audience, AudienceAddress, Call, CallTarget, Guard, OperationOutcome};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{
    ApprovalMode, Bundle, BundleMode, Config, Exposure, NameFilter, Naming, Policy, Server,
};
use toolgate_types::{Acceptances, BundleId, LayerGrade, Milliseconds, Pattern, Trust};

use crate::gate::{Gate, Running, entry, id, json, tools, within};

const META: [&str; 4] =
    ["mcp_call_tool", "mcp_get_tool_schema", "mcp_list_tools", "mcp_search_tools"];

fn audience(exposure: Exposure) -> Audience {
    Audience { naming: Naming::Joined, resource_tools: false, exposure, ..Audience::MODEL }
}

async fn listed(gate: &Running, audience: &Audience) -> Vec<String> {
    let view = within(gate.host.list_tools(audience)).await;
    view.tools().map(|tool| tool.name().to_owned()).collect()
}

async fn call(gate: &Running, audience: &Audience, name: &str, arguments: &str) -> String {
    let target = CallTarget::Named { audience: audience.clone(), name: name.into() };
    match within(gate.host.call(Call::new(target).arguments(json(arguments)))).await {
        Ok(OperationOutcome::Done(done)) => done.result.get().to_owned(),
        other => format!("{other:?}"),
    }
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap()
}

fn written<T>(name: &str, value: T) -> toolgate_types::config::Entry<T> {
    let like = Server::new(toolgate_types::config::Transport::Builtin);
    let like = entry(name, like, LayerGrade::Person);
    let (origin, fingerprint, values) = (like.origin, like.fingerprint, like.values);
    toolgate_types::config::Entry { value, origin, fingerprint, values }
}

fn bundle(config: &mut Config, name: &str, of: &str, mode: BundleMode) {
    let bundle = Bundle { server: id(of), mode, description: None, tools: NameFilter::default() };
    config.bundles.insert(BundleId::parse(name).unwrap(), written(name, bundle));
}

fn approved(server: &mut Server) {
    server.approval = Some(ApprovalMode::Approve);
}

/// A server with so many tools.
fn many(count: usize) -> Script {
    let names: Vec<String> = (0..count).map(|number| format!("t{number:03}")).collect();
    tools(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Shows: C28.
#[tokio::test(start_paused = true)]
async fn meta_lists_the_meta_tools_and_what_is_always_visible_and_everything_can_be_called() {
    let gate = Gate::guarded(Guard::default())
        .server_with("repo", tools(&["drop", "read", "search"]), approved)
        .server_with("docs", tools(&["find", "search"]), approved)
        .configured(|config| {
            config.gateway.always_visible = vec![pattern("repo:sea*")];
            let tools = NameFilter { allow: None, deny: vec![pattern("drop")] };
            let policy = Policy { tools, ..Policy::default() };
            config.policies.push(written("policy", policy));
        })
        .run();
    let (direct, meta) = (audience(Exposure::Direct), audience(Exposure::Meta));
    let everything = ["docs__find", "docs__search", "repo__read", "repo__search"];
    assert_eq!(listed(&gate, &direct).await, everything);
    assert_eq!(listed(&gate, &meta).await, [&META[..], &["repo__search"]].concat());
    let dotted = Audience { naming: Naming::Dotted, ..meta.clone() };
    let spoken =
        ["mcp.callTool", "mcp.getToolSchema", "mcp.listTools", "mcp.searchTools", "repo.search"];
    assert_eq!(listed(&gate, &dotted).await, spoken);
    // Through the meta tools, and by the name that it would be listed by.
    let arguments = r#"{"serverId":"repo","toolName":"read","args":{}}"#;
    for audience in [&meta, &dotted] {
        let called = call(&gate, audience, "mcp_call_tool", arguments).await;
        assert!(called.contains(r#""ok":true"#), "{called}");
        let called = call(&gate, audience, "repo__read", "{}").await;
        assert!(called.contains("read") && !called.contains("Err"), "{called}");
    }
    assert_eq!(gate.peers.received("repo", "tools/call"), 4);
    // What is denied is not there either way.
    let arguments = r#"{"serverId":"repo","toolName":"drop","args":{}}"#;
    let denied = call(&gate, &meta, "mcp_call_tool", arguments).await;
    assert!(denied.contains("is not allowed or does not exist"), "{denied}");
    assert!(call(&gate, &meta, "repo__drop", "{}").await.contains("NotFound"));
    let names = call(&gate, &meta, "mcp_list_tools", r#"{"serverId":"repo"}"#).await;
    assert!(names.contains("search") && names.contains("read") && !names.contains("drop"));
    assert_eq!(gate.peers.received("repo", "tools/call"), 4);
}

#[tokio::test(start_paused = true)]
async fn an_untrusted_server_is_reached_as_it_was_whatever_is_listed() {
    let gate = Gate::guarded(Guard::default())
        .server_with("mine", tools(&["a"]), approved)
        .server_with("theirs", tools(&["b"]), |server| {
            server.declared_trust = Some(Trust::Untrusted);
        })
        .run();
    for exposure in [Exposure::Direct, Exposure::Meta] {
        let audience = audience(exposure);
        let names = listed(&gate, &audience).await;
        assert!(!names.iter().any(|name| name.starts_with("theirs")), "{names:?}");
        assert!(call(&gate, &audience, "theirs__b", "{}").await.contains("NotFound"));
        let arguments = r#"{"serverId":"theirs","toolName":"b","args":{}}"#;
        let refused = call(&gate, &audience, "mcp_call_tool", arguments).await;
        assert!(!refused.contains(r#""ok":true"#), "{refused}");
    }
    assert_eq!(gate.peers.received("theirs", "tools/call"), 0);
}

#[tokio::test(start_paused = true)]
async fn the_word_of_a_bundle_wins_over_everybody_elses() {
    let gate = Gate::open()
        .server("said", tools(&["a"]))
        .server("open", tools(&["b"]))
        .server("behind", tools(&["c"]))
        .configured(|config| {
            bundle(config, "said", "said", BundleMode::Direct);
            bundle(config, "open", "open", BundleMode::Auto);
            bundle(config, "behind", "behind", BundleMode::Meta);
        })
        .run();
    let bundles = ["said", "open", "behind"].map(|name| BundleId::parse(name).unwrap());
    let address = AudienceAddress::Bundles(bundles.to_vec());
    let at = |exposure| Audience { address: address.clone(), ..audience(exposure) };
    let direct = listed(&gate, &at(Exposure::Direct)).await;
    assert_eq!(direct, [&META[..], &["open__b", "said__a"]].concat());
    let meta = listed(&gate, &at(Exposure::Meta)).await;
    assert_eq!(meta, [&META[..], &["said__a"]].concat());
    for (server, tool) in [("open", "b"), ("behind", "c")] {
        let arguments = format!(r#"{{"serverId":"{server}","toolName":"{tool}","args":{{}}}}"#);
        let called = call(&gate, &at(Exposure::Meta), "mcp_call_tool", &arguments).await;
        assert!(called.contains(r#""ok":true"#), "{called}");
    }
    // Nothing at all where nothing is mapped.
    let step = StepAddress {
        workflow: toolgate_types::WorkflowId::parse("w").unwrap(),
        role: toolgate_types::RoleId::parse("r").unwrap(),
        step: toolgate_types::StepId::parse("s").unwrap(),
    };
    let nowhere = Audience { address: AudienceAddress::Step(step), ..audience(Exposure::Meta) };
    assert_eq!(listed(&gate, &nowhere).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn auto_is_meta_for_a_list_that_is_too_long_by_tools_or_by_tokens() {
    for (count, tokens, expected) in
        [(100, 0, 100), (101, 0, META.len()), (20, 100, META.len()), (20, 10_000, 20)]
    {
        let gate = Gate::open().server("s", many(count));
        let gate = gate.configured(|config| {
            config.gateway.meta.above_tokens = (tokens > 0).then_some(tokens);
        });
        let gate = gate.run();
        let names = listed(&gate, &audience(Exposure::Auto)).await;
        assert_eq!(names.len(), expected, "{count} tools, {tokens} tokens");
        // One server fronted as it is stays as it is.
        let bare = Audience { naming: Naming::Bare, ..audience(Exposure::Auto) };
        assert_eq!(listed(&gate, &bare).await.len(), count);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_shown_does_not_flip_before_the_configuration_changes() {
    let sizes = [many(40), many(150), many(90), many(70)];
    let config = |above: u64| {
        let mut config = Config::default();
        config.gateway.meta.above_tools = Some(above);
        config
    };
    let gate = Gate::open().scripts("s", sizes.to_vec(), |_| {}).configured(|written| {
        written.gateway = config(100).gateway;
    });
    let servers = gate.servers();
    let gate = gate.run();
    let auto = audience(Exposure::Auto);
    let again = async || {
        gate.host.reconnect(&id("s")).await;
        listed(&gate, &auto).await.len()
    };
    assert_eq!(listed(&gate, &auto).await.len(), 40);
    assert_eq!(again().await, 150, "it grew while it was shown");
    // Another audience is shown it for the first time.
    let dotted = Audience { naming: Naming::Dotted, ..auto.clone() };
    assert_eq!(listed(&gate, &dotted).await.len(), META.len());
    let load = async |above: u64| {
        let config = Config { servers: servers.clone(), ..config(above) };
        within(gate.host.reload(&config, &Acceptances::default(), None)).await;
        listed(&gate, &auto).await.len()
    };
    assert_eq!(load(100).await, 150, "nothing changed");
    assert_eq!(load(101).await, META.len(), "another configuration");
    assert_eq!(again().await, META.len(), "ninety");
    assert_eq!(load(102).await, META.len(), "ninety is not that much less");
    assert_eq!(again().await, META.len(), "seventy");
    assert_eq!(load(103).await, 70);
}

#[tokio::test(start_paused = true)]
async fn what_was_shown_before_everything_was_known_is_looked_at_again_for_the_next() {
    let gate = Gate::open().server("late", many(150)).server("here", many(10)).run();
    let auto = audience(Exposure::Auto);
    // Only one of the two was asked so far.
    within(gate.host.call(Call::new(CallTarget::exact(id("here"), "t001")))).await.unwrap();
    let shown = |audience: &Audience| gate.host.show(audience).tools().len();
    assert_eq!(shown(&auto), 10);
    assert_eq!(listed(&gate, &auto).await.len(), 160, "whoever was shown it goes on with it");
    gate.host.reconsider_exposure();
    assert_eq!(shown(&auto), META.len(), "whoever comes when nobody is there");
    gate.host.reconsider_exposure();
    assert_eq!(shown(&auto), META.len());
}

#[tokio::test(start_paused = true)]
async fn each_meta_tool_says_what_it_may_do_and_whose_tools_there_are() {
    let gate = (0..200).fold(Gate::open(), |gate, number| {
        gate.server(&format!("server-with-a-long-name-{number:03}"), many(25))
    });
    let gate = gate.run();
    let view = within(gate.host.list_tools(&audience(Exposure::Auto))).await;
    assert_eq!(view.tools().len(), META.len());
    let mut bytes = 0;
    for tool in view.tools() {
        let hints = tool.own_annotations().unwrap().get();
        let looks = tool.name() != "mcp_call_tool";
        assert_eq!(hints.contains(r#""readOnlyHint":true"#), looks, "{hints}");
        assert_eq!(hints.contains(r#""destructiveHint":true"#), !looks, "{hints}");
        bytes += tool.name().len() + tool.description().len() + tool.parameters().get().len();
        bytes += hints.len() + 60;
    }
    assert!(bytes / 4 < 1500, "{bytes} bytes for 5000 tools");
    let lists = view.resolve("mcp.listTools").unwrap().description();
    assert!(
        lists.contains("server-with-a-long-name-000, ") && lists.ends_with(" more."),
        "{lists}"
    );
    let entry = Arc::clone(view.resolve("server-with-a-long-name-199__t001").unwrap());
    let called = within(gate.host.call(Call::new(CallTarget::Listed(entry)))).await;
    assert!(matches!(called, Ok(OperationOutcome::Done(_))), "{called:?}");
}

/// A tool that is only not listed has as long as any other that is called through the meta tools; called
/// by its name, it has its own time.
///
/// Shows: P11-9.
#[tokio::test(start_paused = true)]
async fn a_call_through_the_meta_tools_has_their_time_whyever_its_tool_is_not_listed() {
    let list = r#"{"tools":[{"name":"slow","inputSchema":{"type":"object"}}]}"#;
    let script = Script::legacy()
        .on("tools/list", [Act::answer(list)])
        .on_call("slow", [Act::hold("never")]);
    let patient = |server: &mut Server| {
        approved(server);
        server.timeouts.tool = Milliseconds::at_least_one(90_000);
    };
    for disabled in [false, true] {
        let gate = Gate::guarded(Guard::default())
            .server_with("one", script.clone(), patient)
            .configured(move |config| {
                config.gateway.meta.above_tools = Some(0);
                if disabled {
                    config.gateway.meta.call_timeout = None;
                }
            })
            .run();
        for exposure in [Exposure::Meta, Exposure::Auto] {
            let audience = audience(exposure);
            assert_eq!(listed(&gate, &audience).await, META);
            let began = Instant::now();
            let arguments = r#"{"serverId":"one","toolName":"slow","args":{}}"#;
            let called = call(&gate, &audience, "mcp_call_tool", arguments).await;
            assert!(called.contains(r#""ok":false"#), "{called}");
            assert_eq!(began.elapsed().as_secs(), if disabled { 90 } else { 30 });
            let began = Instant::now();
            let called = call(&gate, &audience, "one__slow", "{}").await;
            assert!(called.contains("Err"), "{called}");
            assert_eq!(began.elapsed().as_secs(), 90);
        }
    }
}
