//! From configured lists to compiled ones, with every bundle that cannot be at once.

use std::collections::HashMap;

use toolgate_types::Trust;
use toolgate_types::config::{BundleMode, Filter, Policy};

use super::inputs::{BundleInput, ServerInput, VisibilityInputs, Written};
use super::lists::{Allow, Lists, PerKind};
use super::{Reach, Slice, Union, Unresolvable, Visibility};
use crate::case::{Kind, Owner};
use crate::list::{Effect, List, Rule, Whose};
use crate::pattern::Reading;

pub(super) fn compile(inputs: &VisibilityInputs<'_>) -> Result<Visibility, Vec<Unresolvable>> {
    let bundles = inputs.bundles.as_deref();
    let problems: Vec<_> =
        bundles.unwrap_or_default().iter().filter_map(|bundle| problem(bundle, inputs)).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut servers = HashMap::new();
    for server in &inputs.servers {
        servers.insert(server.id.as_str().into(), slice(server, inputs));
    }
    servers.insert(Owner::LOCAL.into(), local(bundles.is_some()));
    Ok(Visibility { servers, shared: shared(inputs) })
}

fn problem(bundle: &BundleInput<'_>, inputs: &VisibilityInputs<'_>) -> Option<Unresolvable> {
    let of = bundle.entry.value;
    let named = || (bundle.id.clone(), of.server.clone());
    let Some(server) = inputs.servers.iter().find(|server| *server.id == of.server) else {
        let (bundle, server) = named();
        return Some(Unresolvable::UnknownServer { bundle, server });
    };
    let names_some = of.tools.allow.as_ref().is_some_and(|allow| !allow.is_empty());
    let (bundle, server) = match server.trust {
        Trust::Trusted => return None,
        Trust::Untrusted => named(),
    };
    match of.mode {
        BundleMode::Direct => Some(Unresolvable::UntrustedDirect { bundle, server }),
        BundleMode::Meta if names_some => None,
        BundleMode::Meta => Some(Unresolvable::UntrustedWithoutAllow { bundle, server }),
    }
}

/// Command tools are in no bundle, so an address that selects bundles selects none of them.
fn local(has_bundles: bool) -> Slice {
    Slice {
        trust: Trust::Trusted,
        barred: None,
        own: PerKind::default(),
        accepted: None,
        reach: if has_bundles { Reach::None } else { Reach::Implicit },
    }
}

fn slice(server: &ServerInput<'_>, inputs: &VisibilityInputs<'_>) -> Slice {
    let barred = inputs.administrator.and_then(|one| one.permits_server(server.entry.value).err());
    let is_of_it = |bundle: &&BundleInput<'_>| bundle.entry.value.server == *server.id;
    let bundles: Option<Vec<&BundleInput<'_>>> =
        inputs.bundles.as_ref().map(|bundles| bundles.iter().filter(is_of_it).collect());
    let entry = server.entry;
    let own = |kind: Kind, filter: &Filter| {
        let keys = ListKeys::of(kind);
        let list = |effect, keys: &[&str]| List {
            whose: Whose::Server(server.id.clone()),
            effect,
            origin: entry.place(keys),
        };
        let allow = filter
            .allow
            .as_deref()
            .map(|allow| Allow::new(kind, list(Effect::Allow, keys.allow), allow, Reading::Either));
        let mut denies = list(Effect::Deny, keys.deny).rules(&filter.deny);
        if kind == Kind::Tool {
            denies.extend(bundles.iter().flatten().flat_map(|bundle| bundle_denies(bundle)));
        }
        Lists::new(kind, allow.into_iter().collect(), denies)
    };
    let own = PerKind {
        tools: own(Kind::Tool, &entry.value.tools),
        resources: own(Kind::Resource, &entry.value.resources),
        prompts: own(Kind::Prompt, &entry.value.prompts),
    };
    let accepted = match server.trust {
        Trust::Trusted => None,
        Trust::Untrusted => server.accepted.cloned(),
    };
    let reach = match &bundles {
        None => Reach::Implicit,
        Some(bundles) => bundled(bundles),
    };
    Slice { trust: server.trust, barred, own, accepted, reach }
}

fn bundle_denies(bundle: &BundleInput<'_>) -> Vec<Rule> {
    let list = List {
        whose: Whose::Bundle(bundle.id.clone()),
        effect: Effect::Deny,
        origin: bundle.entry.place(ListKeys::of(Kind::Tool).deny),
    };
    list.rules(&bundle.entry.value.tools.deny)
}

fn bundled(bundles: &[&BundleInput<'_>]) -> Reach {
    if bundles.is_empty() {
        return Reach::None;
    }
    let (mut direct, mut meta) = (Union::Some(Vec::new()), None);
    for bundle in bundles {
        let list = List {
            whose: Whose::Bundle(bundle.id.clone()),
            effect: Effect::Allow,
            origin: bundle.entry.place(ListKeys::of(Kind::Tool).allow),
        };
        let patterns = bundle.entry.value.tools.allow.as_deref();
        let allow =
            patterns.map(|patterns| Allow::new(Kind::Tool, list, patterns, Reading::Either));
        match (bundle.entry.value.mode, allow) {
            (BundleMode::Direct, None) => direct = Union::All,
            (BundleMode::Direct, Some(allow)) => {
                if let Union::Some(allows) = &mut direct {
                    allows.push(allow);
                }
            }
            (BundleMode::Meta, allow) => meta.get_or_insert_with(Vec::new).extend(allow),
        }
    }
    Reach::Bundled { direct, meta }
}

fn shared(inputs: &VisibilityInputs<'_>) -> PerKind<Lists> {
    let is_known = |id: &str| {
        id == Owner::LOCAL || inputs.servers.iter().any(|server| server.id.as_str() == id)
    };
    let of = |kind: Kind, pick: fn(&Policy) -> &Filter| {
        let reading = match kind {
            Kind::Tool | Kind::Prompt => Reading::Server,
            Kind::Resource => Reading::KnownServer(&is_known),
        };
        let (mut allows, mut denies) = (Vec::new(), Vec::new());
        let mut add = |whose: Whose, filter: &Filter, place: &dyn Fn(&[&str]) -> _| {
            let keys = ListKeys::of(kind);
            if let Some(allow) = &filter.allow {
                let origin = place(keys.allow);
                let list = List { whose: whose.clone(), effect: Effect::Allow, origin };
                allows.push(Allow::new(kind, list, allow, reading));
            }
            let list = List { whose, effect: Effect::Deny, origin: place(keys.deny) };
            denies.extend(list.rules(&filter.deny));
        };
        for policy in &inputs.policies {
            let place = |keys: &[&str]| Written::place(policy, keys);
            add(Whose::Policy, pick(policy.value), &place);
        }
        if kind == Kind::Tool {
            if let Some(role) = &inputs.role {
                let place = |keys: &[&str]| role.entry.place(keys);
                add(Whose::Role(role.id.clone()), &role.entry.value.tools, &place);
            }
            denies.extend(inputs.administrator.into_iter().flat_map(|one| one.denies()));
        }
        Lists::new(kind, allows, denies)
    };
    PerKind {
        tools: of(Kind::Tool, |policy| &policy.tools),
        resources: of(Kind::Resource, |policy| &policy.resources),
        prompts: of(Kind::Prompt, |policy| &policy.prompts),
    }
}

/// The keys that such lists are written under.
struct ListKeys {
    allow: &'static [&'static str],
    deny: &'static [&'static str],
}

impl ListKeys {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Tool => Self {
                allow: &["allow_tools", "enabled_tools"],
                deny: &["deny_tools", "disabled_tools"],
            },
            Kind::Resource => Self { allow: &["allow_resources"], deny: &["deny_resources"] },
            Kind::Prompt => Self { allow: &["allow_prompts"], deny: &["deny_prompts"] },
        }
    }
}
