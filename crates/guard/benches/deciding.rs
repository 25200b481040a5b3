//! How long deciding takes with many rules, each case beside going through all patterns one by one.
//!
//! Figures only; nothing passes or fails by time.

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use toolgate_guard::{
    AudienceRules, MatterDetail, MatterKind, MatterOwner, PolicyCase, PolicyMatter, ToolExposure,
    admits, decide,
};
use toolgate_types::config::{ApprovalMode, BundleMode, NameFilter};
use toolgate_types::{Digest, Pattern, Principal, ServerId, ToolHints, Trust};
use world::World;

#[path = "../tests/it/world.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "the tests' own")]
mod world;

criterion_group!(benches, compiling, visibility, deciding);
criterion_main!(benches);

const NOW: Digest = Digest([0; 32]);
const VERBS: [&str; 10] =
    ["get", "list", "create", "update", "search", "delete", "read", "write", "push", "merge"];

/// As people write them: most are names, some begin with a name, a few begin with a star.
fn mixed(count: usize) -> Vec<Pattern> {
    let text = |n: usize| match n % 20 {
        0 => format!("*_{n}_secret*"),
        1..=3 => format!("{}_area{n}_*", VERBS[n % 10]),
        4 => format!("server{}:drop_{n}", n % 10),
        _ => format!("remove_thing_{n}"),
    };
    (0..count).map(|n| pattern(&text(n))).collect()
}

/// Every one begins with a star.
fn floating(count: usize) -> Vec<Pattern> {
    (0..count).map(|n| pattern(&format!("*_{n}_secret*"))).collect()
}

/// Every one begins with a star and has in it what every tool has.
fn shared(count: usize) -> Vec<Pattern> {
    (0..count).map(|n| pattern(&format!("*_thing_*_{n}x*"))).collect()
}

fn kinds() -> [(&'static str, Vec<Pattern>); 3] {
    [("mixed", mixed(1_000)), ("floating", floating(1_000)), ("shared", shared(1_000))]
}

#[allow(clippy::unwrap_used, reason = "written right here")]
fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap()
}

/// Ten servers, a bundle of each, a role, three layers of policy with the rules between them.
fn world(rules: &[Pattern]) -> World {
    let mut world = World::default();
    for n in 0..10 {
        let name = format!("server{n}");
        let tools = NameFilter { allow: Some(vec![pattern("*")]), deny: Vec::new() };
        world = world.server(&name, Trust::Trusted, |_| {});
        world = world.bundle(&format!("bundle{n}"), &name, BundleMode::Direct, tools);
    }
    let third = rules.len() / 3;
    world
        .role(NameFilter { allow: Some(vec![pattern("*")]), deny: Vec::new() })
        .policy(NameFilter { allow: None, deny: rules[..third].to_vec() })
        .policy(NameFilter { allow: None, deny: rules[third..2 * third].to_vec() })
        .policy(NameFilter { allow: None, deny: rules[2 * third..].to_vec() })
}

fn tools(count: usize) -> Vec<(ServerId, String)> {
    let name = |n: usize| format!("{}_thing_{n}_of_the_area", VERBS[n % 10]);
    (0..count).map(|n| (world::id(&format!("server{}", n % 10)), name(n))).collect()
}

fn matter<'a>(server: &'a ServerId, name: &'a str) -> PolicyMatter<'a> {
    let (mode, hints) = (Some(ApprovalMode::Auto), ToolHints::default());
    PolicyMatter { name, what: MatterDetail::ServerTool { server, mode, tool_mode: None, hints } }
}

fn compiling(criterion: &mut Criterion) {
    for (what, patterns) in kinds() {
        let configured = world(&patterns);
        criterion.bench_function(&format!("compile 1 000 {what} rules"), |bencher| {
            bencher.iter(|| configured.rules());
        });
    }
}

fn visibility(criterion: &mut Criterion) {
    let tools = tools(2_000);
    for (what, patterns) in kinds() {
        let rules = world(&patterns).rules();
        let mut group = criterion.benchmark_group(format!("see 2 000 tools, 1 000 {what} rules"));
        group.bench_function("compiled", |bencher| {
            let is_shown = |(server, name): &&(ServerId, String)| {
                let owner = MatterOwner::Server(server);
                black_box(rules.visibility().exposes(owner, MatterKind::Tool, name))
                    == ToolExposure::Direct
            };
            bencher.iter(|| tools.iter().filter(is_shown).count());
        });
        group.sample_size(10);
        group.bench_function("one by one", |bencher| {
            let filter = NameFilter { allow: None, deny: patterns.clone() };
            let is_admitted = |(server, name): &&(ServerId, String)| admits(&filter, server, name);
            bencher.iter(|| tools.iter().filter(is_admitted).count());
        });
    }
}

fn deciding(criterion: &mut Criterion) {
    let me = Principal::local_user();
    let tools = tools(500);
    for (what, patterns) in kinds() {
        let rules: AudienceRules = world(&patterns).rules();
        let mut group = criterion.benchmark_group(format!("decide a call, 1 000 {what} rules"));
        let cases: Vec<PolicyCase<'_>> =
            tools.iter().map(|(server, name)| case(server, name, &me)).collect();
        let mut turn = cases.iter().cycle();
        group.bench_function("worked out", |bencher| {
            bencher.iter(|| turn.next().map(|case| decide(&rules, case)));
        });
        let plain: HashMap<&str, u8> = tools.iter().map(|(_, name)| (name.as_str(), 1)).collect();
        group.bench_function("a plain lookup", |bencher| {
            bencher.iter(|| turn.next().and_then(|case| plain.get(case.matter.name)));
        });
    }
}

fn case<'a>(server: &'a ServerId, name: &'a str, principal: &'a Principal) -> PolicyCase<'a> {
    world::case(matter(server, name), principal, NOW)
}
