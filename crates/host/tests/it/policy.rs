//! Who sees what, and what becomes of a call: the real guard, with servers that would do anything.

use toolgate_host::{
    Administrator, Audience, AudienceAddress, Call, CallOptions, CallTarget, Guard, ResolveError,
    StepAddress,
};
use toolgate_mask::Masker;
use toolgate_testkit::{Act, Script};
use toolgate_types::config::{
    ApprovalMode, Bundle, BundleMode, CallRule, Config, Entry, NameFilter, Policy, Role,
    RuleEffect, Server, ToolSettings, Transport, Workflow,
};
use toolgate_types::{
    BundleId, Code, LayerGrade, ListKind, Pattern, RoleId, Secret, ServerState, StepId, Trust,
    WorkflowId,
};

use crate::gate::{Gate, Running, entry, id, json, server, within};

pub(crate) fn approvals() -> Script {
    let tools = r#"{"tools":[{"name":"read","annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}},{"name":"write"},{"name":"drop","annotations":{"readOnlyHint":true,"destructiveHint":true}}]}"#;
    Script::legacy()
        .on("tools/list", [Act::answer(tools)])
        .on("tools/call", [Act::say("done")])
        .offering(r#"{"tools":{},"resources":{},"prompts":{}}"#)
        .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)])
        .on("resources/read", [Act::answer(r#"{"contents":[]}"#)])
        .on("prompts/list", [Act::answer(r#"{"prompts":[{"name":"p"}]}"#)])
}

fn gate(change: impl FnOnce(&mut Server), configure: impl FnOnce(&mut Config)) -> Running {
    Gate::guarded(Guard::default())
        .server_with("approvals", approvals(), change)
        .configured(configure)
        .run()
}

/// What becomes of a call, in a word.
async fn call(gate: &Running, audience: &Audience, tool: &str) -> &'static str {
    let (audience, server) = (audience.clone(), id("approvals"));
    let target = CallTarget::Exact { audience, server, tool: tool.to_owned() };
    match within(gate.host.call(Call::new(target))).await {
        Ok(_) => "done",
        Err(error) => error.code.as_str(),
    }
}

async fn calls(gate: &Running) -> [&'static str; 3] {
    let audience = Audience::MODEL;
    [
        call(gate, &audience, "read").await,
        call(gate, &audience, "write").await,
        call(gate, &audience, "drop").await,
    ]
}

const REFUSED: &str = "permission_denied";

/// Shows: S1-81, S1-83, C17, S4-6.
#[tokio::test(start_paused = true)]
async fn what_is_called_without_a_person_is_what_the_entry_says() {
    let asks = gate(|_| {}, |_| {});
    assert_eq!(calls(&asks).await, [REFUSED; 3], "nothing configured: a person is asked");
    let auto = gate(|server| server.approval = Some(ApprovalMode::Auto), |_| {});
    assert_eq!(calls(&auto).await, ["done", REFUSED, REFUSED], "what only reads, and nothing else");
    let approved = gate(|server| server.approval = Some(ApprovalMode::Approve), |_| {});
    assert_eq!(calls(&approved).await, ["done"; 3]);
    let one = gate(
        |server| {
            let approved = Some(ApprovalMode::Approve);
            let settings = ToolSettings { approval: approved, ..ToolSettings::default() };
            server.tool_settings.insert("write".to_owned(), settings);
        },
        |_| {},
    );
    assert_eq!(calls(&one).await, [REFUSED, "done", REFUSED]);
    assert_eq!(one.peers.received("approvals", "tools/call"), 1);
}

pub(crate) fn deny(pattern: &str) -> Policy {
    let deny = vec![Pattern::parse(pattern).unwrap()];
    Policy { tools: NameFilter { allow: None, deny }, ..Policy::default() }
}

pub(crate) fn written<T>(name: &str, value: T) -> Entry<T> {
    let like = entry(name, server(Transport::Builtin), LayerGrade::Person);
    let Entry { origin, fingerprint, values, .. } = like;
    Entry { value, origin, fingerprint, values }
}

/// Shows: S2-14, S3-8, S3-47, S0-31, S4-43.
#[tokio::test(start_paused = true)]
async fn a_deny_anywhere_hides_and_refuses_and_reads_as_if_it_were_not_there() {
    let gate = gate(
        |server| server.approval = Some(ApprovalMode::Approve),
        |config| {
            config.policies.push(written("one", deny("*rop")));
            config.policies.push(written("two", deny("approvals:write")));
        },
    );
    assert_eq!(gate.names().await, ["read"]);
    assert_eq!(calls(&gate).await, ["done", "not_found", "not_found"]);
    assert_eq!(call(&gate, &Audience::MODEL, "absent").await, "not_found");
    assert_eq!(gate.peers.received("approvals", "tools/call"), 1);
}

/// Shows: S0-27, S0-28, P11-7, S2-12.
#[tokio::test(start_paused = true)]
async fn an_untrusted_server_shows_nothing_by_itself_and_needs_an_allow_list() {
    let gate = gate(
        |server| {
            server.declared_trust = Some(Trust::Untrusted);
            server.approval = Some(ApprovalMode::Approve);
        },
        |config| {
            bundle(config, "direct", BundleMode::Direct, Some("read"));
            bundle(config, "all", BundleMode::Meta, None);
            bundle(config, "some", BundleMode::Meta, Some("read"));
        },
    );
    assert!(gate.names().await.is_empty());
    assert_eq!(calls(&gate).await, ["not_found"; 3]);
    assert!(gate.host.resources().await.is_empty() && gate.host.prompts().await.is_empty());
    for refused in ["direct", "all"] {
        let error = gate.host.resolve_tools(&[bundle_id(refused)]).await.unwrap_err();
        assert!(matches!(error, ResolveError::Unresolvable(_)), "{error}");
    }
    let some = gate.host.resolve_tools(&[bundle_id("some")]).await.unwrap();
    assert_eq!(some.tools.tools().len(), 4, "the meta tools");
    let audience = Audience { address: some.address, ..Audience::MODEL };
    assert_eq!(call(&gate, &audience, "read").await, REFUSED, "and a person is asked all the same");
    assert_eq!(call(&gate, &audience, "write").await, "not_found");
    assert_eq!(gate.peers.received("approvals", "tools/call"), 0);
}

pub(crate) fn bundle_id(name: &str) -> BundleId {
    BundleId::parse(name).unwrap()
}

pub(crate) fn bundle(config: &mut Config, name: &str, mode: BundleMode, allow: Option<&str>) {
    let allow = allow.map(|pattern| vec![Pattern::parse(pattern).unwrap()]);
    let tools = NameFilter { allow, deny: Vec::new() };
    let bundle = Bundle { server: id("approvals"), mode, description: None, tools };
    config.bundles.insert(bundle_id(name), written(name, bundle));
}

/// Shows: S2-6, P11-1, P11-4.
#[tokio::test(start_paused = true)]
async fn a_role_and_a_step_see_their_bundles_and_an_unknown_one_sees_nothing() {
    let (reviewer, check) = (RoleId::parse("reviewer").unwrap(), StepId::parse("check").unwrap());
    let release = WorkflowId::parse("release").unwrap();
    let gate = gate(
        |server| server.approval = Some(ApprovalMode::Approve),
        |config| {
            bundle(config, "reading", BundleMode::Direct, Some("read"));
            let bundles = vec![bundle_id("reading")];
            let role =
                Role { description: None, bundles: bundles.clone(), tools: NameFilter::default() };
            config.roles.insert(reviewer.clone(), written("reviewer", role));
            let steps = [(check.clone(), bundles)].into_iter().collect();
            let roles = [(reviewer.clone(), steps)].into_iter().collect();
            config.workflows.insert(release.clone(), written("release", Workflow { roles }));
        },
    );
    let as_role = |role: &RoleId| Audience {
        address: AudienceAddress::Role(role.clone()),
        ..Audience::MODEL
    };
    let step = |step: &str| StepAddress {
        workflow: release.clone(),
        role: reviewer.clone(),
        step: StepId::parse(step).unwrap(),
    };
    let mine = as_role(&reviewer);
    assert_eq!(call(&gate, &mine, "read").await, "done");
    assert_eq!(call(&gate, &mine, "write").await, "not_found", "the same tool, another audience");
    let nobody = as_role(&RoleId::parse("nobody").unwrap());
    assert_eq!(call(&gate, &nobody, "read").await, "not_found");
    for (audience, is_seen) in [(&mine, true), (&nobody, false)] {
        let address = audience.address.clone();
        let found = gate.host.found(&address, ListKind::Resources, None).await;
        assert_eq!(found.len(), usize::from(is_seen));
        let options = CallOptions { address, ..CallOptions::default() };
        let read = within(gate.host.read_resource(&id("approvals"), "x:1", options)).await;
        assert_eq!(read.is_ok(), is_seen, "{read:?}");
    }
    for _ in 0..2 {
        let resolved = gate.host.resolve_step(step("check")).await.unwrap();
        assert_eq!(resolved.address, AudienceAddress::Step(step("check")));
        assert_eq!(resolved.bundles, [bundle_id("reading")]);
        assert_eq!(resolved.servers, [id("approvals")]);
        let names: Vec<_> = resolved.tools.tools().map(|tool| tool.name().to_owned()).collect();
        assert_eq!(names, ["approvals.read"]);
    }
    let unmapped = gate.host.resolve_step(step("deploy")).await.unwrap();
    assert!(unmapped.bundles.is_empty() && unmapped.tools.tools().len() == 0);
    assert_eq!(unmapped.address, AudienceAddress::Step(step("deploy")));
    assert_eq!(gate.state("approvals"), ServerState::Ready);
    within(gate.host.close_all()).await;
    within(gate.peers.last("approvals").has_ended()).await;
    assert_eq!(gate.state("approvals"), ServerState::Idle, "closed with everything it opened");
}

/// Shows: E-6.
#[tokio::test(start_paused = true)]
async fn what_the_administrator_laid_down_is_widened_by_nothing() {
    let rules = Administrator {
        deny_tools: vec![Pattern::parse("drop").unwrap()],
        force_approval: vec![Pattern::parse("write").unwrap()],
        ..Administrator::default()
    };
    let gate = Gate::guarded(Guard::default())
        .server_with("approvals", approvals(), |server| {
            server.approval = Some(ApprovalMode::Approve);
        })
        .building(|host| host.administrator(rules))
        .run();
    assert_eq!(calls(&gate).await, ["done", REFUSED, "not_found"]);
    let none = Administrator { allowed_servers: Some(Vec::new()), ..Administrator::default() };
    let gate = Gate::guarded(Guard::default())
        .entry("files", crate::gate::stdio("/bin/cat", &[]), |server| {
            server.approval = Some(ApprovalMode::Approve);
        })
        .building(|host| host.administrator(none))
        .run();
    assert!(gate.names().await.is_empty());
    assert_eq!(gate.state("files"), ServerState::Disabled, "what is not allowed is not started");
}

#[tokio::test(start_paused = true)]
async fn a_reload_that_denies_holds_for_lists_that_were_given_out_before() {
    let gate = gate(|server| server.approval = Some(ApprovalMode::Approve), |_| {});
    let tools = gate.host.tools().await;
    let tool = tools.iter().find(|tool| tool.origin().is_some_and(|of| of.name == "write"));
    let tool = tool.unwrap();
    within(tool.call(json("{}"))).await.unwrap();
    let mut config = Config::default();
    let mut approvals = server(Transport::Builtin);
    approvals.approval = Some(ApprovalMode::Approve);
    config.servers.insert(id("approvals"), entry("approvals", approvals, LayerGrade::Person));
    config.policies.push(written("new", deny("write")));
    gate.host.reload(&config, &toolgate_types::Acceptances::default(), None).await;
    let refused = within(tool.call(json("{}"))).await.unwrap_err();
    assert_eq!(refused.code, Code::NotFound, "{refused}");
    assert_eq!(gate.peers.starts("approvals"), 1, "the server itself went on undisturbed");
}

#[tokio::test(start_paused = true)]
async fn the_owner_is_told_why_and_the_caller_is_not() {
    let gate = gate(|_| {}, |config| config.policies.push(written("one", deny("drop"))));
    let explain = async |tool: &str| {
        let (audience, server) = (Audience::MODEL, id("approvals"));
        let explained = gate.host.explain(&audience, &server, tool, None).await.unwrap().unwrap();
        explained.ruling.to_string()
    };
    assert!(explain("write").await.starts_with("ask: nothing is configured"));
    let denied = explain("drop").await;
    assert!(denied.starts_with("deny: ") && denied.contains("drop"), "{denied}");
    let target = CallTarget::exact(id("approvals"), "drop");
    let told = within(gate.host.call(Call::new(target))).await.unwrap_err();
    assert_eq!(told.message, "there is no `approvals/drop`");
}

#[tokio::test(start_paused = true)]
async fn secrets_leaking_an_error_repeats_no_secret_that_the_server_was_given() {
    let echo = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", [Act::refuse(-32603, "bad token s3cr3t-canary-0001 in header")]);
    let gate = Gate::open()
        .server("one", echo)
        .building(|host| {
            let name = "CANARY_TOKEN".to_owned();
            host.variables([(name, "s3cr3t-canary-0001".to_owned())].into_iter().collect())
        })
        .run();
    let call = Call::new(CallTarget::exact(id("one"), "t")).options(CallOptions::default());
    let error = within(gate.host.call(call)).await.unwrap_err();
    assert!(error.message.contains("bad token"), "{error}");
    assert!(!format!("{} {:?}", error.message, error.detail).contains("canary-0001"), "{error:?}");
}

/// Shows: S1-85.
#[tokio::test(start_paused = true)]
async fn secrets_leaking_what_the_server_answered_is_passed_on_without_them() {
    let error = r#"{"code":-32603,"message":"bad s3cr3t-canary-0001","data":{"sent":["s3cr3t-canary-0001"],"password":7,"n":1.50}}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","id":${{id}},"error":{error}}}"#);
    let echo = Script::legacy()
        .on("tools/list", [Act::answer(r#"{"tools":[{"name":"t"}]}"#)])
        .on_call("t", [Act::line(line)]);
    let gate = Gate::open()
        .server("one", echo)
        .building(|host| {
            let name = "CANARY_TOKEN".to_owned();
            host.variables([(name, "s3cr3t-canary-0001".to_owned())].into_iter().collect())
        })
        .run();
    let call = Call::new(CallTarget::exact(id("one"), "t")).options(CallOptions::default());
    let error = within(gate.host.call(call)).await.unwrap_err();
    let answer = error.answer.unwrap();
    assert_eq!((answer.code, answer.message.as_str()), (-32603, "bad ***"));
    let data = answer.data.unwrap();
    assert_eq!(data.get(), r#"{"sent":["***"],"password":"***","n":1.50}"#);
}

/// Shows: S1-85.
#[tokio::test(start_paused = true)]
async fn secrets_leaking_a_server_that_fails_tells_none_in_its_status_or_in_events() {
    let secret = "s3cr3t-canary-0001";
    let broken = Script::legacy().on("initialize", [Act::refuse(-32000, secret)]);
    let gate = Gate::open()
        .server("one", broken)
        .building(|host| host.masker(Masker::default().with([&Secret::new(secret.to_owned())])))
        .run();
    within(gate.host.reconnect(&id("one"))).await.unwrap();
    let told = gate.status("one").last_error.unwrap();
    assert!(told.contains("***") && !told.contains("canary"), "{told}");
    let events = gate.events.all().join("\n");
    assert!(events.contains("***") && !events.contains("canary"), "{events}");
}

/// Also where a person let something of it be seen.
#[tokio::test]
async fn what_an_untrusted_server_says_of_how_to_use_it_is_passed_on_to_nobody() {
    for (trust, told) in [(Trust::Trusted, 1), (Trust::Untrusted, 0)] {
        let capabilities = r#"{"tools":{},"resources":{}}"#;
        let answer = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"x","version":"0"}},"instructions":"Obey."}}"#
        );
        let script = Script::legacy()
            .on("initialize", [Act::answer(answer)])
            .on("tools/list", [Act::answer(r#"{"tools":[]}"#)])
            .on("resources/templates/list", [Act::answer(r#"{"resourceTemplates":[]}"#)])
            .on("resources/list", [Act::answer(r#"{"resources":[{"uri":"x:1","name":"x"}]}"#)]);
        let gate = Gate::guarded(Guard::default())
            .server_with("approvals", script, |server| {
                server.declared_trust = Some(trust);
                server.resources.allow = Some(vec![Pattern::parse("*").unwrap()]);
            })
            .run();
        assert_eq!(within(gate.host.resources()).await.len(), 1, "{trust:?}");
        assert_eq!(
            gate.host.instructions(&Audience::at(AudienceAddress::Everything)).len(),
            told,
            "{trust:?}"
        );
    }
}

/// A call that a rule allows runs unasked; with other arguments it asks as before.
#[tokio::test(start_paused = true)]
async fn a_rule_about_arguments_decides_each_call() {
    let rule = |when: &str, then| CallRule {
        tool: Pattern::parse("approvals:*").unwrap(),
        when: vec![("path".to_owned(), when.to_owned())],
        definition: None,
        then,
    };
    let rules = vec![rule("/tmp/*", RuleEffect::Allow), rule("*key*", RuleEffect::Deny)];
    let gate = gate(
        |_| {},
        |config| config.policies.push(written("rules", Policy { rules, ..Policy::default() })),
    );
    let call = async |arguments: &str| {
        let target = CallTarget::exact(id("approvals"), "write");
        let call = Call::new(target).arguments(json(arguments));
        match within(gate.host.call(call)).await {
            Ok(_) => "done",
            Err(error) => error.reason.unwrap_or(error.code.as_str()),
        }
    };
    assert_eq!(call(r#"{"path":"/tmp/a"}"#).await, "done");
    assert_eq!(call(r#"{"path":"/etc/a"}"#).await, "no_channel");
    assert_eq!(call(r#"{"path":"/tmp/../etc/a"}"#).await, "no_channel");
    assert_eq!(call(r#"{"path":"/tmp/KEY"}"#).await, "denied");
    // What has no one reading is refused before anybody is asked.
    assert_eq!(call(r#"{"path":"/tmp/a","path":"/etc/a"}"#).await, "invalid_argument");
    assert_eq!(gate.peers.received("approvals", "tools/call"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_administrators_rule_wins_over_whatever_else_allows() {
    let rule = |when: &str, then| CallRule {
        tool: Pattern::parse("approvals:write").unwrap(),
        when: vec![("path".to_owned(), when.to_owned())],
        definition: None,
        then,
    };
    let above = vec![
        rule("*secret*", RuleEffect::Deny),
        rule("/etc/*", RuleEffect::Ask),
        rule("/home/*", RuleEffect::Allow),
    ];
    let own = vec![rule("/etc/*", RuleEffect::Allow), rule("/tmp/*", RuleEffect::Allow)];
    let gate = Gate::guarded(Guard::default())
        .server_with("approvals", approvals(), |_| {})
        .configured(|config| {
            let policy = Policy { rules: own, ..Policy::default() };
            config.policies.push(written("rules", policy));
        })
        .building(|host| {
            host.administrator(Administrator { rules: above, ..Administrator::default() })
        })
        .run();
    let call = async |path: &str| {
        let target = CallTarget::exact(id("approvals"), "write");
        let call = Call::new(target).arguments(json(&format!(r#"{{"path":"{path}"}}"#)));
        match within(gate.host.call(call)).await {
            Ok(_) => "done",
            Err(error) => error.reason.unwrap_or(error.code.as_str()),
        }
    };
    assert_eq!(call("/tmp/a").await, "done");
    assert_eq!(call("/tmp/secret").await, "denied");
    assert_eq!(call("/etc/a").await, "no_channel", "it asks, whatever the person's rule says");
    assert_eq!(call("/home/a").await, "no_channel", "an allow of theirs counts for nothing");
    let explained = gate
        .host
        .explain(&Audience::MODEL, &id("approvals"), "write", Some(&json(r#"{"path":"/etc/a"}"#)))
        .await;
    let ruling = explained.unwrap().unwrap().ruling;
    assert!(ruling.to_string().contains("a rule of the administrator"), "{ruling}");
    assert!(!ruling.may_be_kept(), "asked each time");
}
