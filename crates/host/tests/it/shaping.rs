//! Tools that the entry of their server has shown and called otherwise: what callers see, what the
//! server gets, and what a person approves.

use std::sync::Arc;

use toolgate_host::{Audience, Call, CallTarget, Guard};
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{
    ApprovalMode, BundleMode, Naming, Server, ShownToolName, ToolSettings, ToolShaping,
};
use toolgate_types::{Code, OperationOutcome};

use crate::approving::{DENY, ONCE, Shop, asking, caller, options};
use crate::bundles::{bundle, bundle_id, structured};
use crate::gate::{Gate, Running, id, json, within};
use crate::policy::{deny, written};

/// One that searches and one that removes, both in a repository that callers need not know.
fn repository() -> Script {
    let schema = r#"{"type":"object","properties":{"repo":{"type":"string"},"q":{"type":"string"},"limit":{"type":"integer"}},"required":["repo","q"],"additionalProperties":false}"#;
    let tool = |name: &str| {
        format!(r#"{{"name":"{name}","description":"Long words.","inputSchema":{schema}}}"#)
    };
    let list = format!(r#"{{"tools":[{},{}]}}"#, tool("search_v2"), tool("remove"));
    Script::legacy().on("tools/list", [Act::answer(list)]).on("tools/call", [Act::say("found")])
}

fn shape(rename: Option<&str>, hidden: &[&str], defaults: &[(&str, &str)]) -> ToolSettings {
    let defaults = defaults.iter().map(|(name, value)| ((*name).to_owned(), json(value)));
    let shaping = ToolShaping {
        rename: rename.map(|name| ShownToolName::parse(name).unwrap()),
        description: Some("Searches.".to_owned()),
        hidden: hidden.iter().map(|name| (*name).to_owned()).collect(),
        defaults: defaults.collect(),
    };
    ToolSettings { shaping: Some(Arc::new(shaping)), ..ToolSettings::default() }
}

fn searching(server: &mut Server) {
    let shape = shape(Some("search"), &["repo"], &[("repo", r#""ours""#), ("limit", "5")]);
    server.tool_settings.insert("search_v2".to_owned(), shape);
}

fn named(name: &str, arguments: &str) -> Call {
    let target = CallTarget::Named { audience: Audience::named(Naming::Joined), name: name.into() };
    Call::new(target).arguments(json(arguments))
}

async fn code(gate: &Running, call: Call) -> Result<(), (Code, String)> {
    within(gate.host.call(call)).await.map(|_| ()).map_err(|error| (error.code, error.message))
}

#[tokio::test(start_paused = true)]
async fn callers_see_and_call_the_shaped_tool_and_the_server_gets_the_whole_call() {
    let gate = Gate::open().server_with("repo", repository(), searching).run();
    let view = within(gate.host.list_tools(&Audience::named(Naming::Joined))).await;
    let names: Vec<_> = view.tools().map(|tool| tool.name().to_owned()).collect();
    assert!(names.contains(&"repo__search".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("search_v2")), "{names:?}");
    let tool = view.resolve("repo__search").unwrap();
    assert_eq!(tool.description(), "Searches. (origin: MCP repo/search)");
    assert_eq!(
        tool.parameters().get(),
        r#"{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer","default":5}},"required":["q"],"additionalProperties":false}"#
    );
    let definition = tool.definition().unwrap();
    assert!(definition.raw.get().contains("Long words."), "the server's own is kept for pins");
    assert_eq!(&*definition.key, "search_v2");
    assert_eq!(view.flaws(), [""; 0]);
    for form in [Naming::Dotted, Naming::Qualified, Naming::Hashed, Naming::Bare] {
        let view = within(gate.host.list_tools(&Audience::named(form))).await;
        let found = view.tools().find(|tool| tool.name_at_server() == "search").unwrap();
        assert!(!found.name().contains("v2"), "{}", found.name());
        let definition = view.resolve(found.name()).unwrap().definition().unwrap();
        assert_eq!(&*definition.key, "search_v2");
    }
    code(&gate, named("repo__search", r#"{"q":"x"}"#)).await.unwrap();
    let sent = gate.peers.last("repo").received("tools/call").await;
    assert!(sent.contains(r#""name":"search_v2""#), "{sent}");
    assert!(sent.contains(r#""arguments":{"q":"x","repo":"ours","limit":5}"#), "{sent}");
    // What the caller says of its own counts, and `null` is nothing said.
    code(&gate, named("repo__search", r#"{"q":"y","limit":null}"#)).await.unwrap();
    assert_eq!(gate.peers.received("repo", r#"{"q":"y","repo":"ours","limit":5}"#), 1);
    code(&gate, named("repo__search", r#"{"q":"z","limit":7}"#)).await.unwrap();
    assert_eq!(gate.peers.received("repo", r#"{"q":"z","limit":7,"repo":"ours"}"#), 1);
}

#[tokio::test(start_paused = true)]
async fn what_callers_are_not_shown_does_not_exist_for_them() {
    let gate = Gate::open().server_with("repo", repository(), searching).run();
    let hidden = code(&gate, named("repo__search", r#"{"q":"x","repo":"theirs"}"#)).await;
    let (kind, why) = hidden.unwrap_err();
    assert_eq!(kind, Code::InvalidArgument);
    assert!(why.contains("the parameter `repo` cannot be given"), "{why}");
    for name in ["repo__search_v2", "repo.search_v2", "mcp__repo__search_v2", "search_v2"] {
        let (kind, _) = code(&gate, named(name, r#"{"q":"x"}"#)).await.unwrap_err();
        assert_eq!(kind, Code::NotFound, "{name}");
    }
    assert_eq!(gate.peers.received("repo", "tools/call"), 0);
    // A program that embeds the host names tools as their server does; the shape holds there too.
    let exact = |arguments| {
        Call::new(CallTarget::exact(id("repo"), "search_v2")).arguments(json(arguments))
    };
    assert!(code(&gate, exact(r#"{"q":"x","repo":"theirs"}"#)).await.is_err());
    code(&gate, exact(r#"{"q":"x"}"#)).await.unwrap();
    assert_eq!(gate.peers.received("repo", r#""repo":"ours""#), 1);
}

/// A name that policy or an entry trusts is the server's own, whoever is given it.
#[tokio::test(start_paused = true)]
async fn a_name_that_is_given_takes_no_trust_with_it() {
    let posing = |server: &mut Server| {
        server.approval = Some(ApprovalMode::Prompt);
        let approved = Some(ApprovalMode::Approve);
        let trusted = ToolSettings { approval: approved, ..ToolSettings::default() };
        server.tool_settings.insert("search_v2".to_owned(), trusted);
        let shape = shape(Some("search_v2"), &[], &[("repo", r#""ours""#)]);
        server.tool_settings.insert("remove".to_owned(), shape);
    };
    let gate = Gate::guarded(Guard::default()).server_with("repo", repository(), posing).run();
    let call = || named("repo__search_v2", r#"{"q":"x"}"#);
    let (kind, _) = code(&gate, call()).await.unwrap_err();
    assert_eq!(kind, Code::PermissionDenied, "it is `remove`, which asks");
    let view = within(gate.host.list_tools(&Audience::named(Naming::Joined))).await;
    let aside = "repo: search_v2: `search_v2` is the name that its entry gives to `remove`";
    assert_eq!(view.set_aside(), [aside]);
    // Patterns mean the server's own names too.
    let hides = Gate::open()
        .server_with("repo", repository(), searching)
        .configured(|config| config.policies = vec![written("deny", deny("repo:search_v2"))])
        .run();
    let view = within(hides.host.list_tools(&Audience::named(Naming::Joined))).await;
    assert!(view.resolve("repo__search").is_none());
    let shows = Gate::open()
        .server_with("repo", repository(), searching)
        .configured(|config| config.policies = vec![written("deny", deny("repo:search"))])
        .run();
    let view = within(shows.host.list_tools(&Audience::named(Naming::Joined))).await;
    assert!(view.resolve("repo__search").is_some());
}

/// What is asked, shown and sent is one call: the one with everything filled in.
#[tokio::test(start_paused = true)]
async fn a_person_approves_the_call_as_it_is_sent() {
    let shop = Shop::around(ONCE, asking().server_with("repo", repository(), searching));
    let call = || named("repo__search", r#"{"q":"x"}"#).options(options(caller(Some("s"))));
    assert_eq!(shop.call(call()).await, "done");
    let [shown] = &shop.person.texts()[..] else { panic!("one form") };
    assert!(shown.contains("search_v2") && shown.contains("Long words."), "{shown}");
    assert!(shown.contains("ours") && shown.contains("limit"), "{shown}");
    assert_eq!(shop.gate.peers.received("repo", r#"{"q":"x","repo":"ours","limit":5}"#), 1);
    shop.person.says(DENY);
    assert_eq!(shop.call(call()).await, "denied");
    assert_eq!(shop.gate.peers.received("repo", "tools/call"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_shape_that_cannot_work_is_told_and_its_calls_are_refused() {
    let lost = |server: &mut Server| {
        server.tool_settings.insert("search_v2".to_owned(), shape(None, &["repo"], &[]));
        let unfit = shape(None, &[], &[("limit", r#""many""#)]);
        server.tool_settings.insert("remove".to_owned(), unfit);
    };
    let gate = Gate::open().server_with("repo", repository(), lost).run();
    let view = within(gate.host.list_tools(&Audience::named(Naming::Joined))).await;
    assert_eq!(
        view.flaws(),
        [
            "repo: search_v2: `repo` is hidden, the tool requires it, and it has no `default`",
            "repo: remove: the `default` of `limit` does not fit its schema",
        ]
    );
    for name in ["repo__search_v2", "repo__remove"] {
        let (kind, why) = code(&gate, named(name, r#"{"q":"x"}"#)).await.unwrap_err();
        assert_eq!(kind, Code::InvalidArgument);
        assert!(why.contains("the configuration of this tool is wrong"), "{why}");
    }
    assert_eq!(gate.peers.received("repo", "tools/call"), 0);
}

#[tokio::test(start_paused = true)]
async fn the_meta_tools_know_the_shaped_tool_alone() {
    let gate = Gate::open()
        .server_with("repo", repository(), searching)
        .configured(|config| bundle(config, "all", "repo", BundleMode::Meta, &["*"]))
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
    let listed = ask("mcp_list_tools", r#"{"serverId":"repo"}"#).await;
    assert!(listed.contains("Searches.") && !listed.contains("search_v2"), "{listed}");
    let found = ask("mcp_search_tools", r#"{"query":"searching","limit":1}"#).await;
    assert!(found.contains(r#""toolName":"search","description":"Searches.""#), "{found}");
    assert!(!found.contains("search_v2") && !found.contains("\"repo\":"), "{found}");
    let schema = |tool: &str| format!(r#"{{"serverId":"repo","toolName":"{tool}"}}"#);
    let told = ask("mcp_get_tool_schema", &schema("search")).await;
    assert!(told.contains("Searches.") && !told.contains("\"repo\""), "{told}");
    let unknown = ask("mcp_get_tool_schema", &schema("search_v2")).await;
    assert!(unknown.contains("is not allowed or does not exist"), "{unknown}");
    let found = ask("mcp_search_tools", r#"{"query":"searches"}"#).await;
    assert!(found.contains(r#""toolName":"search""#) && found.contains("Searches."), "{found}");
    assert!(!found.contains("search_v2") && !found.contains("ours"), "{found}");
    let arguments = r#"{"serverId":"repo","toolName":"search","args":{"q":"x"}}"#;
    assert!(ask("mcp_call_tool", arguments).await.contains("found"));
    assert_eq!(gate.peers.received("repo", r#"{"q":"x","repo":"ours","limit":5}"#), 1);
    let own = r#"{"serverId":"repo","toolName":"search_v2","args":{"q":"x"}}"#;
    assert!(ask("mcp_call_tool", own).await.contains("is not allowed or does not exist"));
}
