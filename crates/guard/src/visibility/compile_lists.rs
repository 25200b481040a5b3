//! From configured lists to compiled ones, with every bundle that cannot be at once.

use std::collections::HashMap;

use toolgate_types::config::{BundleMode, NameFilter, Policy};
use toolgate_types::{Pattern, ServerId, Trust};

use super::inputs::{BundleInput, ConfiguredValue, ServerInput, VisibilityInputs};
use super::lists::{AllowList, JoinedLists, PerKind};
use super::{BundleUnion, ServerReach, ServerSlice, Unresolvable, Visibility};
use crate::case::{MatterKind, MatterOwner};
use crate::list::{ListEffect, ListOwner, ListRule, NameList};
use crate::pattern::PrefixReading;

pub(super) fn compile(inputs: &VisibilityInputs<'_>) -> Result<Visibility, Vec<Unresolvable>> {
    let known: HashMap<&ServerId, &ServerInput<'_>> =
        inputs.servers.iter().map(|server| (server.id, server)).collect();
    let bundles = inputs.bundles.as_deref();
    let problems: Vec<_> =
        bundles.unwrap_or_default().iter().filter_map(|bundle| problem(bundle, &known)).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let bundles = bundles.map(BundlesByServer::of);
    let mut servers = HashMap::with_capacity(inputs.servers.len() + 1);
    for server in &inputs.servers {
        let its = bundles.as_ref().map(|bundles| bundles.about(server.id.as_str()));
        servers.insert(server.id.as_str().into(), slice(server, its, inputs));
    }
    let its = bundles.as_ref().map(|bundles| bundles.about(MatterOwner::LOCAL));
    servers.insert(MatterOwner::LOCAL.into(), local(its));
    Ok(Visibility { servers, shared: shared(inputs), narrowing: Default::default() })
}

/// Put in order once: an address may have a bundle of each of hundreds of servers.
struct BundlesByServer<'a>(HashMap<&'a str, Vec<&'a BundleInput<'a>>>);

impl<'a> BundlesByServer<'a> {
    fn of(bundles: &'a [BundleInput<'a>]) -> Self {
        let mut by_server: HashMap<&str, Vec<&BundleInput<'_>>> = HashMap::new();
        for bundle in bundles {
            by_server.entry(bundle.entry.value.server.as_str()).or_default().push(bundle);
        }
        Self(by_server)
    }

    fn about(&self, server: &str) -> &[&'a BundleInput<'a>] {
        self.0.get(server).map(Vec::as_slice).unwrap_or_default()
    }
}

fn problem(
    bundle: &BundleInput<'_>,
    known: &HashMap<&ServerId, &ServerInput<'_>>,
) -> Option<Unresolvable> {
    let of = bundle.entry.value;
    if of.server.is_local() {
        return None;
    }
    let named = || (bundle.id.clone(), of.server.clone());
    let Some(server) = known.get(&of.server) else {
        let (bundle, server) = named();
        return Some(Unresolvable::UnknownServer { bundle, server });
    };
    let names_some = of.tools.allow.as_ref().is_some_and(|allow| !allow.is_empty());
    let (bundle, server) = match server.trust {
        Trust::Trusted => return None,
        Trust::Untrusted => named(),
    };
    match of.mode {
        BundleMode::Direct | BundleMode::Auto => {
            Some(Unresolvable::UntrustedDirect { bundle, server })
        }
        BundleMode::Meta if names_some => None,
        BundleMode::Meta => Some(Unresolvable::UntrustedWithoutAllow { bundle, server }),
    }
}

/// Command tools have no entry of their own to say anything about them together.
fn local(bundles: Option<&[&BundleInput<'_>]>) -> ServerSlice {
    let denies = bundles.into_iter().flatten().flat_map(|bundle| bundle_denies(bundle)).collect();
    let tools = JoinedLists::new(MatterKind::Tool, Vec::new(), denies);
    let reach = match bundles {
        None => ServerReach::Implicit,
        Some(bundles) => bundled(bundles),
    };
    let own = PerKind { tools, ..PerKind::default() };
    ServerSlice { trust: Trust::Trusted, barred: None, own, accepted: None, reach }
}

fn slice(
    server: &ServerInput<'_>,
    bundles: Option<&[&BundleInput<'_>]>,
    inputs: &VisibilityInputs<'_>,
) -> ServerSlice {
    let barred = inputs.administrator.and_then(|one| one.permits_server(server.entry.value).err());
    let entry = server.entry;
    let own = |kind: MatterKind, filter: &NameFilter| {
        let keys = ListKeys::of(kind);
        let list = |effect, keys: &[&str]| NameList {
            whose: ListOwner::Server(server.id.clone()),
            effect,
            origin: entry.place(keys),
        };
        let allow = filter.allow.as_deref().map(|allow| {
            AllowList::new(kind, list(ListEffect::Allow, keys.allow), allow, PrefixReading::Either)
        });
        let mut denies = rules_of(&filter.deny, || list(ListEffect::Deny, keys.deny));
        if kind == MatterKind::Tool {
            denies.extend(bundles.into_iter().flatten().flat_map(|bundle| bundle_denies(bundle)));
        }
        JoinedLists::new(kind, allow.into_iter().collect(), denies)
    };
    let own = PerKind {
        tools: own(MatterKind::Tool, &entry.value.tools),
        resources: own(MatterKind::Resource, &entry.value.resources),
        prompts: own(MatterKind::Prompt, &entry.value.prompts),
    };
    let accepted = match server.trust {
        Trust::Trusted => None,
        Trust::Untrusted => server.accepted.cloned(),
    };
    let reach = match bundles {
        None => ServerReach::Implicit,
        Some(bundles) => bundled(bundles),
    };
    ServerSlice { trust: server.trust, barred, own, accepted, reach }
}

fn bundle_denies(bundle: &BundleInput<'_>) -> Vec<ListRule> {
    rules_of(&bundle.entry.value.tools.deny, || NameList {
        whose: ListOwner::Bundle(bundle.id.clone()),
        effect: ListEffect::Deny,
        origin: bundle.entry.place(ListKeys::of(MatterKind::Tool).deny),
    })
}

/// The rules of a list. Nearly none has any, and looking up where one was written costs more than all
/// the rest of it.
fn rules_of(patterns: &[Pattern], list: impl FnOnce() -> NameList) -> Vec<ListRule> {
    match patterns.is_empty() {
        true => Vec::new(),
        false => list().rules(patterns),
    }
}

fn bundled(bundles: &[&BundleInput<'_>]) -> ServerReach {
    if bundles.is_empty() {
        return ServerReach::None;
    }
    let mut meta = None;
    // What is direct, and what of that a bundle says itself.
    let (mut direct, mut said) = (BundleUnion::nothing(), BundleUnion::nothing());
    for bundle in bundles {
        let patterns = bundle.entry.value.tools.allow.as_deref();
        let allow = || {
            patterns.map(|patterns| {
                let list = NameList {
                    whose: ListOwner::Bundle(bundle.id.clone()),
                    effect: ListEffect::Allow,
                    origin: bundle.entry.place(ListKeys::of(MatterKind::Tool).allow),
                };
                AllowList::new(MatterKind::Tool, list, patterns, PrefixReading::Either)
            })
        };
        match bundle.entry.value.mode {
            BundleMode::Auto => direct.add(allow()),
            BundleMode::Direct => {
                direct.add(allow());
                said.add(allow());
            }
            BundleMode::Meta => meta.get_or_insert_with(Vec::new).extend(allow()),
        }
    }
    ServerReach::Bundled { direct, said, meta }
}

fn shared(inputs: &VisibilityInputs<'_>) -> PerKind<JoinedLists> {
    let is_known = |id: &str| {
        id == MatterOwner::LOCAL || inputs.servers.iter().any(|server| server.id.as_str() == id)
    };
    let of = |kind: MatterKind, pick: fn(&Policy) -> &NameFilter| {
        let reading = match kind {
            MatterKind::Tool | MatterKind::Prompt => PrefixReading::Server,
            MatterKind::Resource => PrefixReading::KnownServer(&is_known),
        };
        let (mut allows, mut denies) = (Vec::new(), Vec::new());
        let mut add = |whose: ListOwner, filter: &NameFilter, place: &dyn Fn(&[&str]) -> _| {
            let keys = ListKeys::of(kind);
            if let Some(allow) = &filter.allow {
                let origin = place(keys.allow);
                let list = NameList { whose: whose.clone(), effect: ListEffect::Allow, origin };
                allows.push(AllowList::new(kind, list, allow, reading));
            }
            denies.extend(rules_of(&filter.deny, || NameList {
                whose,
                effect: ListEffect::Deny,
                origin: place(keys.deny),
            }));
        };
        for policy in &inputs.policies {
            let place = |keys: &[&str]| ConfiguredValue::place(policy, keys);
            add(ListOwner::Policy, pick(policy.value), &place);
        }
        if kind == MatterKind::Tool {
            if let Some(role) = &inputs.role {
                let place = |keys: &[&str]| role.entry.place(keys);
                add(ListOwner::Role(role.id.clone()), &role.entry.value.tools, &place);
            }
            denies.extend(inputs.administrator.into_iter().flat_map(|one| one.denies()));
        }
        JoinedLists::new(kind, allows, denies)
    };
    PerKind {
        tools: of(MatterKind::Tool, |policy| &policy.tools),
        resources: of(MatterKind::Resource, |policy| &policy.resources),
        prompts: of(MatterKind::Prompt, |policy| &policy.prompts),
    }
}

/// The keys that such lists are written under.
struct ListKeys {
    allow: &'static [&'static str],
    deny: &'static [&'static str],
}

impl ListKeys {
    fn of(kind: MatterKind) -> Self {
        match kind {
            MatterKind::Tool => Self {
                allow: &["allow_tools", "enabled_tools"],
                deny: &["deny_tools", "disabled_tools"],
            },
            MatterKind::Resource => Self { allow: &["allow_resources"], deny: &["deny_resources"] },
            MatterKind::Prompt => Self { allow: &["allow_prompts"], deny: &["deny_prompts"] },
        }
    }
}
