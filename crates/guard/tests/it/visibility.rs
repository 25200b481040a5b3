//! What an audience sees: bundles, lists of all owners, trust.

use std::path::Path;

use toolgate_guard::{
    Administrator, AudienceRules, ConfiguredValue, HiddenReason, MatterKind, MatterOwner,
    ToolExposure, Unresolvable, Visibility, VisibilityInputs,
};
use toolgate_types::LayerGrade;
use toolgate_types::Trust::{Trusted, Untrusted};
use toolgate_types::config::{BundleMode, NameFilter, Policy};

use crate::world::{WORKSPACE, World, accepted, allow, deny, entry, id, origin, patterns};

const TOOLS: [&str; 3] = ["read", "write", "delete"];

fn why(exposed: ToolExposure) -> HiddenReason {
    match exposed {
        ToolExposure::Hidden { why } => why,
        shown => panic!("it is shown: {shown:?}"),
    }
}

#[test]
fn a_direct_bundle_shows_tools_themselves_and_a_meta_bundle_through_the_meta_tools() {
    let direct = World::with(Trusted).bundle("b", "git", BundleMode::Direct, NameFilter::default());
    assert_eq!(direct.exposes("git", "read"), ToolExposure::Direct);
    let meta = World::with(Trusted).bundle("b", "git", BundleMode::Meta, NameFilter::default());
    assert_eq!(meta.exposes("git", "read"), ToolExposure::Meta);
    let both = meta.bundle("c", "git", BundleMode::Direct, allow(&["read"]));
    assert_eq!(both.exposes("git", "read"), ToolExposure::Direct);
    assert_eq!(both.exposes("git", "write"), ToolExposure::Meta);
}

/// Shows: S0-26, S0-27.
#[test]
fn lists_hold_names_of_the_server_and_no_list_means_all() {
    let world = World::with(Trusted).bundle("b", "git", BundleMode::Direct, NameFilter::default());
    assert_eq!(world.shown(&TOOLS), TOOLS);
    let world = World::with(Trusted).bundle("b", "git", BundleMode::Direct, allow(&["read"]));
    assert_eq!(world.shown(&["read", "git.read", "git__read", "mcp__git__read"]), ["read"]);
}

#[test]
fn nobody_has_to_ask_about_each_tool_of_a_server_that_nothing_is_said_of() {
    let is_all = |world: &World| {
        let visibility = world.visibility().unwrap();
        visibility.of_server(MatterOwner::Server(&id("git"))).is_all_direct()
    };
    let all = || NameFilter::default();
    assert!(is_all(&World::with(Trusted)));
    assert!(is_all(&World::with(Trusted).bundle("b", "git", BundleMode::Direct, all())));
    assert!(!is_all(&World::with(Untrusted)));
    assert!(!is_all(&World::with(Trusted).bundle("b", "git", BundleMode::Meta, all())));
    assert!(!is_all(&World::with(Trusted).bundle("b", "git", BundleMode::Direct, allow(&["*"]))));
    assert!(!is_all(&World::with(Trusted).bundle("b", "git", BundleMode::Direct, deny(&["x"]))));
}

#[test]
fn where_the_servers_of_another_audience_stand_is_taken_for_the_same_servers_alone() {
    let hidden = |name| {
        World::default().server("git", Trusted, |_| {}).server(name, Trusted, |it| {
            it.entry.tools = deny(&["*"]);
        })
    };
    let known = hidden("db").rules();
    let beside = |world: World| {
        let places = known.visibility().places();
        AudienceRules::beside(&world.inputs(), Path::new(WORKSPACE), Some(places)).unwrap()
    };
    let shown = |rules: &AudienceRules, server| {
        let exposed =
            rules.visibility().exposes(MatterOwner::Server(&id(server)), MatterKind::Tool, "read");
        exposed == ToolExposure::Direct
    };
    let same = beside(hidden("db"));
    assert!(std::ptr::eq(&**same.visibility().places(), &**known.visibility().places()));
    assert!(shown(&same, "git") && !shown(&same, "db"));
    let renamed = beside(hidden("files"));
    assert!(shown(&renamed, "git") && !shown(&renamed, "files") && !shown(&renamed, "db"));
    let mut turned = hidden("db");
    turned.servers.reverse();
    let turned = beside(turned);
    assert!(shown(&turned, "git") && !shown(&turned, "db"));
    assert!(!shown(&beside(World::default()), "git"));
}

/// Shows: S0-28, P11-7.
#[test]
fn a_bundle_of_an_untrusted_server_is_meta_and_names_its_tools() {
    let resolved = |mode, tools| {
        let world = World::with(Untrusted).bundle("b", "git", mode, tools);
        world.visibility().map(|_| ()).map_err(|problems| problems[0].to_string())
    };
    assert_eq!(resolved(BundleMode::Meta, allow(&["read"])), Ok(()));
    for (mode, tools, word) in [
        (BundleMode::Direct, allow(&["read"]), "direct"),
        (BundleMode::Meta, NameFilter::default(), "allow_tools"),
        (BundleMode::Meta, deny(&["delete"]), "allow_tools"),
        (BundleMode::Meta, allow(&[]), "allow_tools"),
    ] {
        let problem = resolved(mode, tools).unwrap_err();
        assert!(problem.contains("'b'") && problem.contains("'git'"), "{problem}");
        assert!(problem.contains(word), "{problem}");
    }
}

#[test]
fn all_bundles_that_do_not_resolve_are_reported_at_once() {
    let world = World::with(Untrusted)
        .bundle("one", "git", BundleMode::Direct, allow(&["read"]))
        .bundle("two", "git", BundleMode::Meta, NameFilter::default())
        .bundle("three", "nowhere", BundleMode::Meta, allow(&["read"]));
    let problems = world.visibility().unwrap_err();
    assert_eq!(problems.len(), 3);
    assert!(
        matches!(&problems[2], Unresolvable::UnknownServer { server, .. } if *server == id("nowhere"))
    );
}

/// Shows: S0-30, P11-8.
#[test]
fn several_meta_bundles_of_a_server_let_through_what_each_allows_and_none_denies() {
    let world = World::with(Trusted)
        .bundle("a", "git", BundleMode::Meta, NameFilter::default())
        .bundle("b", "git", BundleMode::Meta, allow(&["read", "write", "delete"]))
        .bundle("c", "git", BundleMode::Meta, allow(&["read", "delete", "push"]))
        .bundle("d", "git", BundleMode::Meta, deny(&["delete"]));
    assert_eq!(world.shown(&["read", "write", "delete", "push", "other"]), ["read"]);
    let apart = World::with(Trusted).bundle("a", "git", BundleMode::Meta, allow(&["read"])).bundle(
        "b",
        "git",
        BundleMode::Meta,
        allow(&["write"]),
    );
    assert!(apart.shown(&TOOLS).is_empty(), "an empty intersection allows nothing");
    let none = World::with(Trusted).bundle("a", "git", BundleMode::Meta, allow(&[]));
    assert!(none.shown(&TOOLS).is_empty(), "an empty list allows nothing");
}

/// Shows: P11-10, C10.
#[test]
fn several_direct_bundles_of_a_server_are_a_union_before_the_outer_lists() {
    let world = World::with(Trusted)
        .bundle("a", "git", BundleMode::Direct, allow(&["read"]))
        .bundle("b", "git", BundleMode::Direct, allow(&["write", "delete"]));
    assert_eq!(world.shown(&["read", "write", "delete", "push"]), TOOLS);
    let narrowed = world.policy(allow(&["read", "write", "push"]));
    assert_eq!(narrowed.shown(&["read", "write", "delete", "push"]), ["read", "write"]);
    let denied = narrowed.bundle("c", "git", BundleMode::Direct, deny(&["write"]));
    assert_eq!(denied.shown(&["read", "write", "delete", "push"]), ["read", "push"]);
}

/// Shows: S0-31, S2-14, S3-47.
#[test]
fn a_deny_overrides_an_allow_in_the_same_list_and_in_any_other() {
    let both = NameFilter { allow: Some(patterns(&TOOLS)), deny: patterns(&["delete"]) };
    let expected = ["read", "write"];
    let bundled = World::with(Trusted).bundle("b", "git", BundleMode::Direct, both.clone());
    assert_eq!(bundled.shown(&TOOLS), expected);
    assert_eq!(World::with(Trusted).policy(both.clone()).shown(&TOOLS), expected);
    assert_eq!(World::with(Trusted).role(both.clone()).shown(&TOOLS), expected);
    let own = World::default().server("git", Trusted, |known| known.entry.tools = both);
    assert_eq!(own.shown(&TOOLS), expected);
    let apart = World::with(Trusted).policy(allow(&TOOLS)).policy(deny(&["git:del*"]));
    assert_eq!(apart.shown(&TOOLS), expected);
    assert_eq!(
        World::with(Trusted).role(allow(&TOOLS)).policy(deny(&["delete"])).shown(&TOOLS),
        expected
    );
}

/// Shows: C10.
#[test]
fn every_allow_list_that_exists_has_to_name_a_tool() {
    let all = ["a", "b", "c", "d", "e", "all"];
    let world = World::default()
        .server("git", Trusted, |known| known.entry.tools = allow(&["b", "c", "d", "e", "all"]))
        .bundle("x", "git", BundleMode::Direct, allow(&["a", "c", "d", "e", "all"]))
        .role(allow(&["a", "b", "d", "e", "all"]))
        .policy(allow(&["a", "b", "c", "e", "all"]))
        .policy(allow(&["a", "b", "c", "d", "all"]));
    assert_eq!(world.shown(&all), ["all"]);
}

/// Shows: C8.
#[test]
fn without_bundles_a_server_is_as_its_trust_says() {
    let trusted = World::with(Trusted);
    assert_eq!(trusted.exposes("git", "anything"), ToolExposure::Direct);
    let untrusted =
        World::default().server("git", Untrusted, |known| known.accepted = accepted(&["read"]));
    assert_eq!(untrusted.exposes("git", "read"), ToolExposure::Meta);
    assert_eq!(why(untrusted.exposes("git", "write")), HiddenReason::NotAccepted);
    let unseen = why(World::with(Untrusted).exposes("git", "read"));
    assert_eq!(unseen, HiddenReason::NothingAccepted);
    assert!(unseen.to_string().contains("toolgate trust"), "the owner is told what to do");
}

#[test]
fn a_bundle_shows_no_tool_of_an_untrusted_server_that_was_not_accepted() {
    let world = World::default()
        .server("git", Untrusted, |known| known.accepted = accepted(&["read"]))
        .bundle("b", "git", BundleMode::Meta, allow(&["read", "write"]));
    assert_eq!(world.shown(&TOOLS), ["read"]);
    let nothing_known =
        World::with(Untrusted).bundle("b", "git", BundleMode::Meta, allow(&["read", "write"]));
    assert_eq!(nothing_known.shown(&TOOLS), ["read", "write"], "the bundle is a person's word too");
}

#[test]
fn what_is_in_no_selected_bundle_is_hidden_also_a_command_tool() {
    let world = World::with(Trusted).server("other", Trusted, |_| {}).bundle(
        "b",
        "git",
        BundleMode::Direct,
        NameFilter::default(),
    );
    assert_eq!(why(world.exposes("other", "read")), HiddenReason::NoBundle);
    let visibility = world.visibility().unwrap();
    assert_eq!(
        why(visibility.exposes(MatterOwner::Local, MatterKind::Tool, "run")),
        HiddenReason::NoBundle
    );
    assert_eq!(
        why(visibility.exposes(MatterOwner::Server(&id("other")), MatterKind::Resource, "x:y")),
        HiddenReason::NoBundle
    );
    let nothing = World { bundles: Some(Vec::new()), ..World::with(Trusted) };
    assert_eq!(why(nothing.exposes("git", "read")), HiddenReason::NoBundle);
    assert_eq!(why(World::with(Trusted).exposes("nowhere", "read")), HiddenReason::UnknownServer);
}

/// Shows: S3-8, S3-47.
#[test]
fn the_lists_of_a_policy_hide_command_tools_as_well() {
    let shown = |world: &World, name: &str| {
        world.visibility().unwrap().exposes(MatterOwner::Local, MatterKind::Tool, name)
            == ToolExposure::Direct
    };
    let world = World::default().policy(deny(&["rm", "local:deploy_*"]));
    assert!(shown(&world, "run_tests"));
    assert!(!shown(&world, "rm"));
    assert!(!shown(&world, "deploy_all"));
    let world = world.policy(allow(&["local:run_*", "rm"]));
    assert!(shown(&world, "run_tests"));
    assert!(!shown(&world, "format"));
    assert!(!shown(&world, "rm"), "a deny wins");
}

#[test]
fn resources_and_prompts_of_an_untrusted_server_need_an_allow_list_of_its_entry() {
    let own = |trust, resources| {
        World::default().server("git", trust, |known| {
            known.entry.resources = resources;
            known.entry.prompts = allow(&["greet"]);
        })
    };
    let shown = |world: &World, kind, name: &str| {
        let exposed =
            world.visibility().unwrap().exposes(MatterOwner::Server(&id("git")), kind, name);
        exposed == ToolExposure::Direct
    };
    let (trusted, untrusted) =
        (own(Trusted, NameFilter::default()), own(Untrusted, NameFilter::default()));
    assert!(shown(&trusted, MatterKind::Resource, "doc:a"));
    assert!(!shown(&untrusted, MatterKind::Resource, "doc:a"));
    assert!(!shown(&World::with(Untrusted), MatterKind::Prompt, "greet"));
    assert!(shown(&untrusted, MatterKind::Prompt, "greet"));
    let named = own(Untrusted, allow(&["doc:*"]));
    assert!(shown(&named, MatterKind::Resource, "doc:a"));
    assert!(!shown(&named, MatterKind::Resource, "secret:a"));
    // A project's policy may narrow, and what it lists opens nothing.
    let policy = Policy { resources: allow(&["doc:a"]), ..Policy::default() };
    let opened = World { policies: vec![policy.clone()], ..untrusted };
    assert!(!shown(&opened, MatterKind::Resource, "doc:a"));
    let narrowed = World { policies: vec![policy], ..named };
    assert!(shown(&narrowed, MatterKind::Resource, "doc:a"));
    assert!(!shown(&narrowed, MatterKind::Resource, "doc:b"));
}

#[test]
fn the_reason_names_list_and_pattern() {
    let reason = |world: &World, tool: &str| why(world.exposes("git", tool)).to_string();
    let world = World::with(Trusted).policy(deny(&["*delete*"])).role(allow(&["read", "delete"]));
    assert_eq!(reason(&world, "delete"), "denied by `*delete*` in the deny list of the policy");
    assert_eq!(reason(&world, "write"), "not in the allow list of role `reviewer`");
    let administrator =
        Administrator { deny_tools: patterns(&["git:read"]), ..Administrator::default() };
    let world = world.administrator(administrator);
    assert_eq!(
        reason(&world, "read"),
        "denied by `git:read` in the deny list of the administrator"
    );
    let bundled = World::with(Trusted).bundle("b", "git", BundleMode::Direct, deny(&["push"]));
    assert_eq!(reason(&bundled, "push"), "denied by `push` in the deny list of bundle `b`");
}

#[test]
fn the_reason_names_the_file_and_the_line_of_the_list() {
    let policy = Policy {
        tools: NameFilter { allow: Some(patterns(&["read", "push"])), deny: patterns(&["push"]) },
        ..Policy::default()
    };
    let mut policy = entry(policy, LayerGrade::Person);
    policy.values = vec![
        origin(LayerGrade::Person, "policy.allow_resources", 4),
        origin(LayerGrade::Person, "policy.denyTools", 5),
    ];
    let administrator = Administrator {
        deny_tools: patterns(&["read"]),
        origins: vec![origin(LayerGrade::Person, "deny_tools", 9)],
        ..Administrator::default()
    };
    let world = World::with(Trusted).administrator(administrator);
    let inputs =
        VisibilityInputs { policies: vec![ConfiguredValue::from(&policy)], ..world.inputs() };
    let visibility = Visibility::of(&inputs).unwrap();
    let git = id("git");
    let reason = |tool| {
        why(visibility.exposes(MatterOwner::Server(&git), MatterKind::Tool, tool)).to_string()
    };
    assert_eq!(
        reason("push"),
        "denied by `push` in the deny list of the policy (/x/toolgate.toml:5)"
    );
    // Of a list whose own line is not known, that of the section.
    assert_eq!(reason("drop"), "not in the allow list of the policy (/x/toolgate.toml:3)");
    assert_eq!(
        reason("read"),
        "denied by `read` in the deny list of the administrator (/x/toolgate.toml:9)"
    );
}
