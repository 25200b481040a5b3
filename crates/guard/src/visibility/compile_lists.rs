//! From configured lists to compiled ones.

use std::sync::Arc;

use toolgate_types::config::{BundleMode, NameFilter, Policy, Server};
use toolgate_types::{Pattern, Trust};

use super::bundles_by_server::BundlesByServer;
use super::inputs::{BundleInput, ConfiguredValue, ServerInput, VisibilityInputs};
use super::lists::{AllowList, JoinedLists, PerKind};
use super::{BundleUnion, ServerPlaces, ServerReach, ServerSlice, Unresolvable, Visibility};
use crate::case::{MatterKind, MatterOwner};
use crate::list::{ListEffect, ListOwner, ListRule, NameList};
use crate::pattern::PrefixReading;

pub(super) fn compile(
    inputs: &VisibilityInputs<'_>,
    places: Option<&Arc<ServerPlaces>>,
) -> Result<Visibility, Vec<Unresolvable>> {
    let places = ServerPlaces::of(&inputs.servers, places);
    let bundles = inputs.bundles.as_deref();
    let bundles = bundles.map(|bundles| BundlesByServer::of(bundles, &inputs.servers, &places));
    let bundles = bundles.transpose()?;
    let about = |place| bundles.as_ref().map(|bundles| bundles.about(place));
    let of_server = |(place, server)| slice(server, about(place), inputs);
    let servers = inputs.servers.iter().enumerate().map(of_server).collect();
    let (local, shared) = (local(about(inputs.servers.len())), shared(inputs));
    Ok(Visibility { places, servers, local, shared, narrowing: Default::default() })
}

/// Command tools have no entry of their own to say anything about them together.
fn local(bundles: Option<&[&BundleInput<'_>]>) -> ServerSlice {
    let own = has_denies(bundles).then(|| {
        let denies = bundles.into_iter().flatten().flat_map(|bundle| bundle_denies(bundle));
        let tools = JoinedLists::new(MatterKind::Tool, Vec::new(), denies.collect());
        Box::new(PerKind { tools, ..PerKind::default() })
    });
    let reach = match bundles {
        None => ServerReach::Implicit,
        Some(bundles) => bundled(bundles),
    };
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
    let Server { tools, resources, prompts, .. } = entry.value;
    let is_some = |filter: &NameFilter| filter.allow.is_some() || !filter.deny.is_empty();
    let has_own = [tools, resources, prompts].into_iter().any(is_some) || has_denies(bundles);
    let own = has_own.then(|| {
        Box::new(PerKind {
            tools: own(MatterKind::Tool, tools),
            resources: own(MatterKind::Resource, resources),
            prompts: own(MatterKind::Prompt, prompts),
        })
    });
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

fn has_denies(bundles: Option<&[&BundleInput<'_>]>) -> bool {
    let mut bundles = bundles.into_iter().flatten();
    bundles.any(|bundle| !bundle.entry.value.tools.deny.is_empty())
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
        let list = |patterns: &[Pattern]| {
            let list = NameList {
                whose: ListOwner::Bundle(bundle.id.clone()),
                effect: ListEffect::Allow,
                origin: bundle.entry.place(ListKeys::of(MatterKind::Tool).allow),
            };
            AllowList::new(MatterKind::Tool, list, patterns, PrefixReading::Either)
        };
        let allow = || patterns.map(|patterns| || list(patterns));
        match bundle.entry.value.mode {
            BundleMode::Auto => direct.add(allow()),
            BundleMode::Direct => {
                direct.add(allow());
                said.add(allow());
            }
            BundleMode::Meta => {
                meta.get_or_insert_with(Vec::new).extend(allow().map(|allow| allow()));
            }
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
