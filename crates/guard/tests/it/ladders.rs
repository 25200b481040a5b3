//! The two ladders of approval, step by step.

use std::path::Path;

use serde_json::value::RawValue;
use toolgate_guard::{
    Administrator, Annotation, CommandFacts, DecisionReason, HiddenReason, LadderRuling,
    MatterDetail, PolicyCase, PolicyMatter, SessionGrant, decide,
};
use toolgate_types::Trust::{Trusted, Untrusted};
use toolgate_types::config::{
    ApprovalMode, CallRule, NamedHost, NetworkAccess, Policy, RuleEffect, SandboxProfile,
    SideEffect, SideEffects, ToolSettings,
};
use toolgate_types::{Digest, Pattern, Principal, ServerId, SessionId, ToolHints};

use crate::world::{self, WORKSPACE, World, accepted, deny, id, patterns, process, server};

const NOW: Digest = Digest([1; 32]);
static READS: SideEffects = SideEffects::Declared(Vec::new());

fn case<'a>(matter: PolicyMatter<'a>, principal: &'a Principal) -> PolicyCase<'a> {
    world::case(matter, principal, NOW)
}

/// What is decided about a tool of `git`.
fn ruling(world: &World, mode: Option<ApprovalMode>, hints: ToolHints) -> LadderRuling {
    let git = id("git");
    let what = MatterDetail::ServerTool { server: &git, mode, tool_mode: None, hints };
    let rules = world.rules();
    decide(&rules, &case(PolicyMatter { name: "read", what }, &Principal::local_user()))
}

fn command(world: &World, facts: CommandFacts<'_>) -> LadderRuling {
    let matter = PolicyMatter { name: "run", what: MatterDetail::CommandTool(facts) };
    decide(&world.rules(), &case(matter, &Principal::local_user()))
}

fn harmless(side_effects: &SideEffects) -> CommandFacts<'_> {
    CommandFacts {
        side_effects,
        profile: SandboxProfile::Default,
        network: &NetworkAccess::Off,
        requires_approval: false,
        cwd: Path::new(WORKSPACE),
    }
}

fn says(read_only: Option<bool>, destructive: Option<bool>, open_world: Option<bool>) -> ToolHints {
    ToolHints { read_only, destructive, idempotent: None, open_world }
}

fn untrusted() -> World {
    World::default().server("git", Untrusted, |known| known.accepted = accepted(&["read"]))
}

/// Shows: S1-81, C17.
#[test]
fn a_servers_tool_is_asked_for_where_nothing_is_configured() {
    let reads = says(Some(true), Some(false), Some(false));
    assert_eq!(
        ruling(&World::with(Trusted), None, reads),
        LadderRuling::Ask(DecisionReason::Default)
    );
    assert_eq!(ruling(&untrusted(), None, reads), LadderRuling::Ask(DecisionReason::Default));
}

/// Shows: S4-19, C17.
#[test]
fn the_mode_of_a_trusted_server_decides_before_the_default() {
    let world = World::with(Trusted);
    let deletes = says(Some(false), Some(true), Some(true));
    let reads = says(Some(true), None, None);
    let prompt = LadderRuling::Ask(DecisionReason::Prompt { of_tool: false });
    assert_eq!(ruling(&world, Some(ApprovalMode::Prompt), reads), prompt);
    let approved = LadderRuling::Allow(DecisionReason::Approved { of_tool: false });
    assert_eq!(ruling(&world, Some(ApprovalMode::Approve), deletes), approved);
}

/// Shows: S4-19, S4-42.
#[test]
fn in_mode_auto_the_annotations_of_a_trusted_server_decide() {
    let auto = |read_only, destructive, open_world| {
        let hints = says(read_only, destructive, open_world);
        ruling(&World::with(Trusted), Some(ApprovalMode::Auto), hints)
    };
    let (yes, no) = (Some(true), Some(false));
    let passes = LadderRuling::Allow(DecisionReason::Annotated(Annotation::ReadOnly));
    assert_eq!(auto(yes, None, None), passes);
    assert_eq!(auto(yes, no, no), passes);
    for (hints, annotation) in [
        ((None, None, None), Annotation::Missing),
        ((None, no, no), Annotation::Missing),
        ((no, no, no), Annotation::NotReadOnly),
        ((no, yes, no), Annotation::Destructive),
        ((yes, yes, no), Annotation::Destructive),
        ((yes, no, yes), Annotation::OpenWorld),
        ((None, None, yes), Annotation::OpenWorld),
    ] {
        let asks = LadderRuling::Ask(DecisionReason::Annotated(annotation));
        assert_eq!(auto(hints.0, hints.1, hints.2), asks, "{hints:?}");
    }
}

/// Shows: S1-83, S4-42, C17.
#[test]
fn an_untrusted_server_is_asked_for_whatever_the_mode_and_its_annotations_say() {
    let harmless = says(Some(true), Some(false), Some(false));
    for mode in [ApprovalMode::Auto, ApprovalMode::Approve] {
        let asked = LadderRuling::Ask(DecisionReason::ModeNeedsTrust(mode));
        assert_eq!(ruling(&untrusted(), Some(mode), harmless), asked);
    }
    let prompt = LadderRuling::Ask(DecisionReason::Prompt { of_tool: false });
    assert_eq!(ruling(&untrusted(), Some(ApprovalMode::Prompt), harmless), prompt);
}

#[test]
fn the_mode_of_a_tool_goes_before_that_of_its_server() {
    let git = id("git");
    let mut entry = server(process("srv", &[]));
    entry.approval = Some(ApprovalMode::Approve);
    let of_tool = ToolSettings { approval: Some(ApprovalMode::Prompt), ..ToolSettings::default() };
    entry.tool_settings.insert("push".to_owned(), of_tool);
    let rules = World::with(Trusted).rules();
    let ruling = |name| {
        let what = MatterDetail::tool_of(&git, &entry, name, ToolHints::default());
        decide(&rules, &case(PolicyMatter { name, what }, &Principal::local_user()))
    };
    assert_eq!(ruling("push"), LadderRuling::Ask(DecisionReason::Prompt { of_tool: true }));
    assert_eq!(ruling("read"), LadderRuling::Allow(DecisionReason::Approved { of_tool: false }));
}

/// Shows: C17, S2-14.
#[test]
fn a_deny_is_the_first_step_of_both_ladders() {
    let world = World::with(Trusted).policy(deny(&["read", "run"]));
    let denied = ruling(&world, Some(ApprovalMode::Approve), says(Some(true), None, None));
    assert!(
        matches!(denied, LadderRuling::Deny(DecisionReason::Hidden(HiddenReason::Denied(_)))),
        "{denied:?}"
    );
    let denied = command(&world, harmless(&READS));
    assert!(
        matches!(denied, LadderRuling::Deny(DecisionReason::Hidden(HiddenReason::Denied(_)))),
        "{denied:?}"
    );
}

/// Shows: G3, C17.
#[test]
fn a_command_tool_of_high_risk_is_asked_for_whatever_its_entry_says() {
    let world = World::default();
    let writes = SideEffects::Declared(vec![SideEffect::FsRead, SideEffect::FsWrite]);
    let network = SideEffects::Declared(vec![SideEffect::Network]);
    let named = NetworkAccess::Named(vec![NamedHost::parse("api.github.com").unwrap()]);
    for risky in [
        harmless(&writes),
        harmless(&network),
        harmless(&SideEffects::NotDeclared),
        CommandFacts { network: &NetworkAccess::Everything, ..harmless(&READS) },
        CommandFacts { network: &named, ..harmless(&READS) },
        CommandFacts { profile: SandboxProfile::None, ..harmless(&READS) },
    ] {
        let ruling = command(&world, risky);
        assert!(
            matches!(ruling, LadderRuling::Ask(DecisionReason::HighRisk(_))),
            "{risky:?}: {ruling}"
        );
    }
    let reads = SideEffects::Declared(vec![SideEffect::FsRead]);
    let allowed = LadderRuling::Allow(DecisionReason::RequiresNoApproval);
    assert_eq!(command(&world, harmless(&reads)), allowed);
    assert_eq!(command(&world, harmless(&READS)), allowed);
    let careful = CommandFacts { requires_approval: true, ..harmless(&reads) };
    assert_eq!(command(&world, careful), LadderRuling::Ask(DecisionReason::RequiresApproval));
}

fn granted(tool: &str) -> SessionGrant {
    SessionGrant {
        principal: Principal::local_user(),
        session: SessionId("s".to_owned()),
        owner: "git".to_owned(),
        tool: tool.to_owned(),
        definition: NOW,
    }
}

/// Shows: C18.
#[test]
fn a_grant_is_for_one_session_one_caller_one_tool_and_one_definition() {
    let (rules, git) = (World::with(Trusted).server("other", Trusted, |_| {}).rules(), id("git"));
    let (me, session) = (Principal::local_user(), SessionId("s".to_owned()));
    let tool = |server| MatterDetail::ServerTool {
        server,
        mode: None,
        tool_mode: None,
        hints: ToolHints::default(),
    };
    let grants = [granted("push")];
    let mine = PolicyCase {
        session: Some(&session),
        grants: &grants,
        unlike: None,
        ..case(PolicyMatter { name: "push", what: tool(&git) }, &me)
    };
    assert_eq!(decide(&rules, &mine), LadderRuling::Allow(DecisionReason::SessionGrant));
    let (somebody, later, other) = (Principal::named("ci"), SessionId("t".to_owned()), id("other"));
    for (what, asked) in [
        (
            "another tool",
            PolicyCase { matter: PolicyMatter { name: "read", what: tool(&git) }, ..mine },
        ),
        (
            "another server",
            PolicyCase { matter: PolicyMatter { name: "push", what: tool(&other) }, ..mine },
        ),
        ("another definition", PolicyCase { definition: Digest([2; 32]), ..mine }),
        ("another session", PolicyCase { session: Some(&later), ..mine }),
        ("no session", PolicyCase { session: None, ..mine }),
        ("another caller", PolicyCase { principal: &somebody, ..mine }),
        ("no grant", PolicyCase { grants: &[], unlike: None, ..mine }),
    ] {
        assert_eq!(decide(&rules, &asked), LadderRuling::Ask(DecisionReason::Default), "{what}");
    }
    let denying = World::with(Trusted).policy(deny(&["push"])).rules();
    assert!(matches!(decide(&denying, &mine), LadderRuling::Deny(_)), "no grant undoes a deny");
}

/// Shows: C18, G3.
#[test]
fn a_grant_satisfies_high_risk_but_not_a_tool_outside_the_sandbox() {
    let rules = World::default().rules();
    let (me, session) = (Principal::local_user(), SessionId("s".to_owned()));
    let grants = [SessionGrant { owner: "local".to_owned(), ..granted("run") }];
    let writes = SideEffects::Declared(vec![SideEffect::FsWrite]);
    let ruling = |facts, session| {
        let matter = PolicyMatter { name: "run", what: MatterDetail::CommandTool(facts) };
        decide(&rules, &PolicyCase { session, grants: &grants, unlike: None, ..case(matter, &me) })
    };
    let kept = LadderRuling::Allow(DecisionReason::SessionGrant);
    assert_eq!(ruling(harmless(&writes), Some(&session)), kept);
    assert!(ruling(harmless(&writes), None).may_be_kept());
    let careful = CommandFacts { requires_approval: true, ..harmless(&READS) };
    assert_eq!(ruling(careful, Some(&session)), kept);
    let unconfined = CommandFacts { profile: SandboxProfile::None, ..harmless(&READS) };
    let asked = ruling(unconfined, Some(&session));
    assert!(matches!(asked, LadderRuling::Ask(DecisionReason::HighRisk(_))), "{asked}");
    assert!(!asked.may_be_kept(), "so `session` is not offered");
}

#[test]
fn what_the_administrator_forces_is_asked_for_each_time() {
    let administrator = Administrator {
        force_approval: patterns(&["git:re*", "local:run"]),
        ..Administrator::default()
    };
    let world = World::with(Trusted).administrator(administrator);
    let asked = ruling(&world, Some(ApprovalMode::Approve), says(Some(true), None, None));
    assert!(matches!(asked, LadderRuling::Ask(DecisionReason::Forced(_))), "{asked}");
    assert!(!asked.may_be_kept());
    let asked = command(&world, harmless(&READS));
    assert!(matches!(asked, LadderRuling::Ask(DecisionReason::Forced(_))), "{asked}");
    let (rules, git, me) = (world.rules(), id("git"), Principal::local_user());
    let (session, grants) = (SessionId("s".to_owned()), [granted("read")]);
    let what = MatterDetail::ServerTool {
        server: &git,
        mode: None,
        tool_mode: None,
        hints: ToolHints::default(),
    };
    let case = case(PolicyMatter { name: "read", what }, &me);
    let case = PolicyCase { session: Some(&session), grants: &grants, unlike: None, ..case };
    assert!(matches!(decide(&rules, &case), LadderRuling::Ask(_)), "no grant stands for it");
}

#[test]
fn a_visible_resource_or_prompt_is_allowed_and_a_hidden_one_denied() {
    let ruled = |world: &World, what: fn(&ServerId) -> MatterDetail<'_>| {
        let git = id("git");
        let matter = PolicyMatter { name: "doc", what: what(&git) };
        decide(&world.rules(), &case(matter, &Principal::local_user()))
    };
    let kinds: [fn(&ServerId) -> MatterDetail<'_>; 2] =
        [|server| MatterDetail::Resource { server }, |server| MatterDetail::Prompt { server }];
    for what in kinds {
        assert_eq!(
            ruled(&World::with(Trusted), what),
            LadderRuling::Allow(DecisionReason::Visible)
        );
        let hidden = LadderRuling::Deny(DecisionReason::Hidden(HiddenReason::Unnamed));
        assert_eq!(ruled(&World::with(Untrusted), what), hidden);
    }
}

#[test]
fn a_command_tool_whose_folder_is_not_allowed_is_denied() {
    let within = |folders: &[&str]| {
        let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
        World {
            policies: vec![Policy { allowed_cwds: Some(folders), ..Policy::default() }],
            ..World::default()
        }
    };
    let runs = |world: &World, cwd: &str| {
        let facts = CommandFacts { cwd: Path::new(cwd), ..harmless(&READS) };
        !matches!(command(world, facts), LadderRuling::Deny(DecisionReason::FolderNotAllowed(_)))
    };
    let world = within(&[".", "/srv/data"]);
    for cwd in ["/code/project", "/code/project/sub", "/srv/data/x", "/code/project/a/../b"] {
        assert!(runs(&world, cwd), "{cwd}");
    }
    for cwd in ["/code", "/code/project-evil", "/code/project/..", "/srv", "sub", ""] {
        assert!(!runs(&world, cwd), "{cwd}");
    }
    let both = World {
        policies: [world.policies, within(&["sub"]).policies].concat(),
        ..World::default()
    };
    assert!(runs(&both, "/code/project/sub"));
    assert!(!runs(&both, "/code/project"), "each layer's list holds");
    assert!(!runs(&within(&["/"]), "sub"), "a folder that is not known is in none");
}

#[test]
fn a_path_argument_outside_the_allowed_folders_is_denied_and_named() {
    let policy = Policy { allowed_arg_paths: Some(vec!["docs".to_owned()]), ..Policy::default() };
    let rules = World { policies: vec![policy], ..World::default() }.rules();
    let me = Principal::local_user();
    let ruling = |arguments: &str| {
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        let matter =
            PolicyMatter { name: "run", what: MatterDetail::CommandTool(harmless(&READS)) };
        decide(&rules, &PolicyCase { arguments: Some(&arguments), ..case(matter, &me) })
    };
    let allowed = LadderRuling::Allow(DecisionReason::RequiresNoApproval);
    assert_eq!(ruling(r#"{"target":"docs/a.md","count":3,"word":"hello"}"#), allowed);
    let denied = ruling(r#"{"target":"docs/../secret.md"}"#);
    assert_eq!(
        denied.to_string(),
        "deny: the path in argument `target` is not in the list of folders for path arguments of \
         the policy"
    );
}

#[test]
fn every_ruling_reads_as_a_sentence() {
    let world = World::with(Trusted);
    let auto = ruling(&world, Some(ApprovalMode::Auto), says(None, Some(true), None));
    assert_eq!(
        auto.to_string(),
        "ask: `approval = \"auto\"`, and the server says that the tool may destroy something"
    );
    let risky =
        CommandFacts { network: &NetworkAccess::Everything, ..harmless(&SideEffects::NotDeclared) };
    assert_eq!(
        command(&world, risky).to_string(),
        "ask: of high risk: the network is open to it, it does not declare its effects"
    );
    let approve = ruling(&untrusted(), Some(ApprovalMode::Approve), ToolHints::default());
    assert_eq!(
        approve.to_string(),
        "ask: `approval = \"approve\"` counts for trusted servers only"
    );
}

/// Rules about calls, of this policy.
fn ruled(mut world: World, rules: &[(&str, RuleEffect)]) -> World {
    let rule = |(tool, then): &(&str, RuleEffect)| CallRule {
        tool: Pattern::parse(tool).unwrap(),
        when: Vec::new(),
        definition: None,
        then: *then,
    };
    let rules = rules.iter().map(rule).collect();
    world.policies.push(Policy { rules, ..Policy::default() });
    world
}

#[test]
fn a_rule_about_calls_allows_what_is_asked_for_and_widens_nothing_else() {
    let trusted = || World::default().server("git", Trusted, |_| {});
    let reads = says(Some(true), Some(false), Some(false));
    let unknown = says(None, None, None);
    let allow = [("git:read", RuleEffect::Allow)];
    let word = |world: &World, mode, hints| ruling(world, mode, hints).as_str();
    let world = ruled(trusted(), &allow);
    assert_eq!(word(&world, None, unknown), "allow");
    assert_eq!(word(&world, Some(ApprovalMode::Prompt), unknown), "allow");
    assert_eq!(word(&world, Some(ApprovalMode::Auto), unknown), "allow");
    assert_eq!(word(&ruled(trusted(), &[("git:write", RuleEffect::Allow)]), None, unknown), "ask");
    // Neither what is not trusted, nor what is hidden, nor what an administrator wants asked.
    assert_eq!(word(&ruled(untrusted(), &allow), None, reads), "ask");
    let mut hidden = ruled(trusted(), &allow);
    hidden.policies.push(Policy { tools: deny(&["read"]), ..Policy::default() });
    assert!(matches!(ruling(&hidden, None, reads), LadderRuling::Deny(DecisionReason::Hidden(_))));
    let forced = World {
        administrator: Some(Administrator {
            force_approval: patterns(&["git:read"]),
            ..Administrator::default()
        }),
        ..ruled(trusted(), &allow)
    };
    assert!(matches!(ruling(&forced, None, reads), LadderRuling::Ask(DecisionReason::Forced(_))));
    // A deny wins over everything, and what asks over what is approved beforehand.
    let both = ruled(world, &[("read", RuleEffect::Deny)]);
    let denied = ruling(&both, Some(ApprovalMode::Approve), reads);
    assert!(matches!(denied, LadderRuling::Deny(DecisionReason::Rule(_))), "{denied}");
    let asks = ruled(trusted(), &[("read", RuleEffect::Ask), ("git:*", RuleEffect::Allow)]);
    let asked = ruling(&asks, Some(ApprovalMode::Approve), reads);
    assert!(matches!(asked, LadderRuling::Ask(DecisionReason::Rule(_))), "{asked}");
}
