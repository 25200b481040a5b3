//! Worlds at random, with few names and patterns so that they meet often.

use proptest::prelude::*;
use proptest::sample::select;
use toolgate_types::config::{ApprovalMode, Bundle, BundleMode, NameFilter, Policy, Role};
use toolgate_types::{BundleId, Pattern, RoleId, ToolHints, Trust};

use crate::world::{World, id};

pub(crate) const SERVERS: [&str; 2] = ["git", "other"];
pub(crate) const NAMES: [&str; 6] = ["a", "b", "ab", "abc", "git:a", "other:b"];
const PATTERNS: [&str; 14] = [
    "a", "b", "ab", "abc", "*", "a*", "*b", "?b*", "git:*", "git:a", "git:a*", "other:b",
    "other:?", "*:*",
];

pub(crate) fn a_name() -> impl Strategy<Value = &'static str> {
    select(&NAMES[..])
}

pub(crate) fn a_pattern() -> impl Strategy<Value = Pattern> {
    select(&PATTERNS[..]).prop_map(|text| Pattern::parse(text).unwrap())
}

pub(crate) fn a_filter() -> impl Strategy<Value = NameFilter> {
    let allow = prop::option::of(prop::collection::vec(a_pattern(), 1..5));
    let deny = prop::collection::vec(a_pattern(), 0..2);
    (allow, deny).prop_map(|(allow, deny)| NameFilter { allow, deny })
}

fn a_trust() -> impl Strategy<Value = Trust> {
    prop_oneof![3 => Just(Trust::Trusted), 1 => Just(Trust::Untrusted)]
}

fn a_bundle() -> impl Strategy<Value = Bundle> {
    let mode = prop_oneof![Just(BundleMode::Direct), Just(BundleMode::Meta)];
    (select(&SERVERS[..]), mode, a_filter()).prop_map(|(server, mode, tools)| Bundle {
        server: id(server),
        mode,
        description: None,
        tools,
    })
}

type Accepted = Option<std::collections::BTreeSet<String>>;

fn accepted_names() -> impl Strategy<Value = Accepted> {
    prop::option::of(prop::collection::btree_set(a_name().prop_map(str::to_owned), 0..5))
}

/// Two servers, and whatever lists there may be. An untrusted server's bundles may not resolve.
pub(crate) fn a_world() -> impl Strategy<Value = World> {
    let server = || (a_trust(), a_filter(), accepted_names());
    (
        [server(), server()],
        prop::option::of(prop::collection::vec(a_bundle(), 0..4)),
        prop::option::of(a_filter()),
        prop::collection::vec(a_filter(), 0..3),
    )
        .prop_map(|(servers, bundles, role, policies)| {
            let mut world = World::default();
            for (name, (trust, tools, accepted)) in SERVERS.into_iter().zip(servers) {
                world = world.server(name, trust, |known| {
                    known.entry.tools = tools;
                    known.accepted = accepted;
                });
            }
            let numbered = |(at, bundle): (usize, Bundle)| {
                (BundleId::parse(&format!("b{at}")).unwrap(), bundle)
            };
            world.bundles =
                bundles.map(|bundles| bundles.into_iter().enumerate().map(numbered).collect());
            world.role = role.map(|tools| {
                let role = Role { description: None, bundles: Vec::new(), tools };
                (RoleId::parse("reviewer").unwrap(), role)
            });
            let policy = |tools| Policy { tools, ..Policy::default() };
            world.policies = policies.into_iter().map(policy).collect();
            world
        })
}

fn maybe() -> impl Strategy<Value = Option<bool>> {
    prop::option::of(any::<bool>())
}

pub(crate) fn hints() -> impl Strategy<Value = ToolHints> {
    (maybe(), maybe(), maybe(), maybe()).prop_map(
        |(read_only, destructive, idempotent, open_world)| ToolHints {
            read_only,
            destructive,
            idempotent,
            open_world,
        },
    )
}

pub(crate) fn mode() -> impl Strategy<Value = Option<ApprovalMode>> {
    prop::option::of(select(ApprovalMode::ALL))
}
